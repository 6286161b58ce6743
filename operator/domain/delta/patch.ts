import type { PatchOperation } from '../../api/deployment-delta.ts'
import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { isObject, pointerSteps } from '../base/json.ts'
import { splitTypeAndClass } from '../resource/descriptor.ts'

/**
 * What a patched document is: a module, whose dependencies lie under `externals`, or the map of shared
 * dependencies.
 */
export type Layout = 'module' | 'shared'

/** An operation with its path taken apart. */
export interface ParsedOperation {
  readonly op: PatchOperation['op']
  readonly path: string
  readonly tokens: readonly string[]
  readonly value: unknown
}

const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Longest path; what an operation costs grows with the square of its steps. */
const maxSteps = 64

/** Refuses a key that JavaScript objects treat specially. */
export function refusePrototypeKey(key: string, where: string): void {
  if (prototypeKeys.has(key)) throw new Problem('Invalid', `${where}: '${key}' cannot be a name`)
}

/** The steps of a JSON pointer (RFC 6901). */
function parsePointer(path: string, where: string): string[] {
  if (path === '') return []
  if (!path.startsWith('/')) throw new Problem('Invalid', `${where}: path '${path}' must begin with '/'`)
  if (/~(?![01])/.test(path))
    throw new Problem('Invalid', `${where}: path '${path}' has a '~' that is neither '~0' nor '~1'`)
  const tokens = pointerSteps(path)
  if (tokens.length > maxSteps)
    throw new Problem('Invalid', `${where}: path '${path}' has more than ${maxSteps} steps`)
  for (const token of tokens) refusePrototypeKey(token, where)
  return tokens
}

function inLayout(path: string, layout: Layout): string {
  return layout === 'shared' ? path.replace(/^(?:\/spec)?\/shared(?=\/)/, '') : path
}

/** The operation, checked as far as it can be without the document. */
export function parseOperation(operation: PatchOperation, layout: Layout, where: string): ParsedOperation {
  const { op, value = null } = operation
  const inside = inLayout(operation.path, layout)
  const tokens = parsePointer(inside, where)
  // What would lose another prefix when it is read again stays as it came.
  const path = inLayout(inside, layout) === inside ? inside : operation.path
  if (tokens.length > 0) return { op, path, tokens, value }
  if (op === 'remove') throw new Problem('Invalid', `${where}: cannot remove the whole`)
  if (!isObject(value)) throw new Problem('Invalid', `${where}: the whole can only be replaced by an object`)
  return { op, path, tokens, value }
}

/** Whether an operation only cancels pending ones of the delta. */
export function cancelsPending({ op, value }: Pick<PatchOperation, 'op' | 'value'>): boolean {
  return op === 'remove' && isObject(value) && value['scope'] === 'delta'
}

/**
 * A dependency with its class apart from its type: `{type: 's3.admin'}` is `{type: 's3', class: 'admin'}`.
 */
export function normalizeDependency(value: unknown): unknown {
  if (!isObject(value) || typeof value['type'] !== 'string') return value
  if (value['class'] !== undefined && value['class'] !== null) return value
  const { type, class: resourceClass } = splitTypeAndClass(value['type'])
  return resourceClass === undefined ? value : { ...value, type, class: resourceClass }
}

/**
 * Changes a document by one operation after another without touching what it was given: a container is copied
 * when it is first written to, so that n operations on one map take n steps.
 */
export class Patcher {
  readonly #layout: Layout
  readonly #where: string
  readonly #own = new WeakSet<object>()

  constructor(layout: Layout, where: string) {
    this.#layout = layout
    this.#where = where
  }

  /** The document after the operation; `base` is where in the whole document it lies. */
  apply(document: unknown, operation: ParsedOperation, base: readonly string[] = []): unknown {
    if (operation.tokens.length === base.length) return operation.value
    return this.#change(document, operation, base.length)
  }

  /** The document after all the operations, which must leave an object. */
  applyAll(document: unknown, operations: readonly PatchOperation[]): FreeForm {
    let result = document
    for (const operation of operations)
      result = this.apply(result, parseOperation(operation, this.#layout, this.#where))
    if (!isObject(result)) throw new Problem('Invalid', `${this.#where} must be an object`)
    return result
  }

  #change(container: unknown, operation: ParsedOperation, depth: number): unknown {
    const owner = this.#prepared(container, operation.tokens, depth)
    const token = operation.tokens[depth] ?? '' // never beyond the last: the caller stops there
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
    const copy = this.#ownedArray(owner)
    if (!isLast) copy[index] = this.#change(owner[index], operation, depth + 1)
    else if (op === 'replace') copy[index] = value
    else if (op === 'add') copy.splice(index, 0, value)
    else copy.splice(index, 1)
    return copy
  }

  /**
   * Whatever an operation passes through has its normal form first, so that operations mean the same in any
   * grouping.
   */
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
    return new Problem('Invalid', `${this.#where}: cannot ${op} '${path}': there is no such path`)
  }
}

/** A module always has a map of dependencies. */
export function withExternals(module: unknown): unknown {
  return isObject(module) && !Object.hasOwn(module, 'externals') ? { ...module, externals: {} } : module
}

function arrayIndex(token: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : undefined
}
