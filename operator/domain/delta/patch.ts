import type { PatchOperation } from '../../api/deployment-delta.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject, ownValue, pointerSteps } from '../base/json.ts'
import { splitTypeAndClass } from '../resource/descriptor.ts'

/** The type of a patched document: a module, with dependencies under `externals`, or the map of shared dependencies. */
export type Layout = 'module' | 'shared'

/** An operation with its path parsed. */
export interface ParsedOperation {
  readonly op: PatchOperation['op']
  readonly path: string
  readonly tokens: readonly string[]
  readonly value: unknown
}

const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Maximum number of steps of a path. The cost of an operation grows with their square. */
const maxSteps = 64

/** How many items of lists the operations of a delta may still move: to add or remove one moves all behind it. */
export interface MoveBudget {
  left: number
}

const maxMoves = 10_000_000

export function newMoveBudget(): MoveBudget {
  return { left: maxMoves }
}

/** Throws Problem('Invalid') for a key with a special meaning in JavaScript objects. */
export function refusePrototypeKey(key: string, where: string): void {
  if (prototypeKeys.has(key)) throw new Problem('Invalid', `${where}: '${key}' cannot be a name`)
}

/** The steps of a JSON pointer (RFC 6901). */
function parsePointer(path: string, where: string): string[] {
  if (path === '') return []
  if (!path.startsWith('/')) throw new Problem('Invalid', `${where}: path '${path}' must begin with '/'`)
  if (/~(?![01])/.test(path))
    throw new Problem('Invalid', `${where}: path '${path}' contains a '~' that is not part of '~0' or '~1'`)
  const tokens = pointerSteps(path)
  if (tokens.length > maxSteps)
    throw new Problem('Invalid', `${where}: path '${path}' has more than ${maxSteps} steps`)
  for (const token of tokens) refusePrototypeKey(token, where)
  return tokens
}

function inLayout(path: string, layout: Layout): string {
  return layout === 'shared' ? path.replace(/^(?:\/spec)?\/shared(?=\/)/, '') : path
}

/** Parses an operation and checks it as far as possible without the document. */
export function parseOperation(operation: PatchOperation, layout: Layout, where: string): ParsedOperation {
  const { op, value = null } = operation
  const inside = inLayout(operation.path, layout)
  const tokens = parsePointer(inside, where)
  // The path stays as it is if parsing it again would remove another prefix.
  const path = inLayout(inside, layout) === inside ? inside : operation.path
  if (tokens.length > 0) return { op, path, tokens, value }
  if (op === 'remove') throw new Problem('Invalid', `${where}: the whole document cannot be removed`)
  if (!isObject(value))
    throw new Problem('Invalid', `${where}: the whole document can only be replaced by an object`)
  return { op, path, tokens, value }
}

/** Whether an operation only cancels pending operations of the delta. */
export function cancelsPending({ op, value }: Pick<PatchOperation, 'op' | 'value'>): boolean {
  return op === 'remove' && isObject(value) && value['scope'] === 'delta'
}

/** Splits type and class of a dependency: `{type: 's3.admin'}` becomes `{type: 's3', class: 'admin'}`. */
export function normalizeDependency(value: unknown): unknown {
  if (!isObject(value) || typeof value['type'] !== 'string') return value
  if (value['class'] !== undefined && value['class'] !== null) return value
  const { type, class: resourceClass } = splitTypeAndClass(value['type'])
  return resourceClass === undefined ? value : { ...value, type, class: resourceClass }
}

/**
 * Applies operations to a document without changing the original. Containers are copied on the first write only, so n
 * operations on one map take n steps.
 */
export class Patcher {
  readonly #layout: Layout
  readonly #where: string
  readonly #moves: MoveBudget
  readonly #own = new WeakSet<object>()

  constructor(layout: Layout, where: string, moves = newMoveBudget()) {
    this.#layout = layout
    this.#where = where
    this.#moves = moves
  }

  /** The document after the operation; `base` is the path of the document in the whole. */
  apply(document: unknown, operation: ParsedOperation, base: readonly string[] = []): unknown {
    if (operation.tokens.length === base.length) return operation.value
    return this.#change(document, operation, base.length)
  }

  /** The document after all operations; throws Problem('Invalid') when the result is not an object. */
  applyAll(document: unknown, operations: readonly PatchOperation[]): FreeForm {
    let result = document
    for (const operation of operations)
      result = this.apply(result, parseOperation(operation, this.#layout, this.#where))
    if (!isObject(result)) throw new Problem('Invalid', `${this.#where} must be an object`)
    return result
  }

  #change(container: unknown, operation: ParsedOperation, depth: number): unknown {
    const owner = this.#prepared(container, operation.tokens, depth)
    const token = operation.tokens[depth] ?? '' // within bounds: the recursion stops at the last token
    if (Array.isArray(owner)) return this.#changeArray(owner, token, operation, depth)
    const exists = isObject(owner) && Object.hasOwn(owner, token)
    const isLast = depth === operation.tokens.length - 1
    if (!exists && operation.op === 'remove') return owner
    if (!isObject(owner) || (!exists && !(isLast && operation.op === 'add'))) throw this.#missing(operation)
    const copy = this.#owned(owner)
    if (isLast && operation.op === 'remove') delete copy[token]
    else copy[token] = isLast ? operation.value : this.#change(owner[token], operation, depth + 1)
    return copy
  }

  #changeArray(owner: unknown[], token: string, operation: ParsedOperation, depth: number): unknown {
    const { op, tokens, value } = operation
    const isLast = depth === tokens.length - 1
    const index = token === '-' && isLast && op === 'add' ? owner.length : arrayIndex(token)
    if (index === undefined)
      throw new Problem('Invalid', `${this.#where}: '${token}' in path '${operation.path}' is not an index`)
    if (index >= owner.length && op === 'remove') return owner
    if (index > owner.length || (index === owner.length && !(isLast && op === 'add')))
      throw this.#missing(operation)
    if (isLast && op !== 'replace') this.#move(owner.length - index)
    const copy = this.#ownedArray(owner)
    if (!isLast) copy[index] = this.#change(owner[index], operation, depth + 1)
    else if (op === 'replace') copy[index] = value
    else if (op === 'add') copy.splice(index, 0, value)
    else copy.splice(index, 1)
    return copy
  }

  #move(items: number): void {
    this.#moves.left -= items
    if (this.#moves.left < 0)
      throw new Problem('Invalid', `${this.#where}: the operations move more than ${maxMoves} items of lists`)
  }

  /** Normalizes each container on the path, so that operations have the same effect in any grouping. */
  #prepared(container: unknown, tokens: readonly string[], depth: number): unknown {
    if (this.#layout === 'module' && depth === 0) return withExternals(container)
    const isDependency = this.#layout === 'shared' ? depth === 1 : depth === 2 && tokens[0] === 'externals'
    return isDependency ? normalizeDependency(container) : container
  }

  #owned(object: FreeForm): FreeForm {
    if (this.#own.has(object)) return object
    const copy = { ...object }
    this.#own.add(copy)
    return copy
  }

  #ownedArray(array: unknown[]): unknown[] {
    if (this.#own.has(array)) return array
    const copy = [...array]
    this.#own.add(copy)
    return copy
  }

  #missing({ op, path }: ParsedOperation): Problem {
    return new Problem('Invalid', `${this.#where}: cannot ${op} '${path}': the path does not exist`)
  }
}

/** The module with a map of dependencies; null means none, as for other optional fields. */
export function withExternals(module: unknown): unknown {
  if (!isObject(module)) return module
  const externals = ownValue(module, 'externals')
  return externals === undefined || externals === null ? { ...module, externals: {} } : module
}

function arrayIndex(token: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : undefined
}
