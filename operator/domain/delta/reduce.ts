import type { PatchOperation } from '../../api/deployment-delta.ts'
import { escapeToken } from '../base/json.ts'
import { cancelsPending, type Layout, type ParsedOperation, Patcher, parseOperation } from './patch.ts'

interface Pending {
  operation: ParsedOperation
}

/** The shortest list of operations with the same effect. */
export function reduceOperations(
  operations: readonly PatchOperation[],
  layout: Layout,
  where: string,
): PatchOperation[] {
  const list = new PendingList(layout, where)
  list.add(operations)
  return list.operations()
}

/** The shortest list of operations with the effect of all added ones, indexed by their paths and all parent paths. */
export class PendingList {
  readonly #all = new Set<Pending>()
  readonly #byPrefix = new Map<string, Set<Pending>>()
  readonly #holders = new Map<string, Pending>()
  readonly #layout: Layout
  readonly #where: string
  readonly #patcher: Patcher

  constructor(layout: Layout, where: string) {
    this.#layout = layout
    this.#where = where
    this.#patcher = new Patcher(layout, where)
  }

  add(operations: readonly PatchOperation[]): void {
    for (const operation of operations) this.#add(parseOperation(operation, this.#layout, this.#where))
  }

  operations(): PatchOperation[] {
    return [...this.#all].map(({ operation: { op, path, value } }) =>
      op === 'remove' ? { op, path } : { op, path, value },
    )
  }

  #add(operation: ParsedOperation): void {
    const holder = this.#holderOf(operation)
    if (holder) {
      const { value, tokens } = holder.operation
      holder.operation = { ...holder.operation, value: this.#patcher.apply(value, operation, tokens) }
      return
    }
    if (cancelsPending(operation)) {
      for (const each of this.#atOrBelow(operation)) this.#delete(each)
      return
    }
    this.#append(isPlain(operation) ? this.#superseding(operation) : operation)
  }

  /** The pending operation whose value contains the target of `operation`. */
  #holderOf({ tokens }: ParsedOperation): Pending | undefined {
    for (const key of prefixKeys(tokens.slice(0, -1)).reverse()) {
      const found = this.#holders.get(key)
      if (found) return found
    }
    return undefined
  }

  /** Removes the operations that `operation` overrides, and returns the operation to add. */
  #superseding(operation: ParsedOperation): ParsedOperation {
    const same = this.#firstAt(operation)?.operation.op
    if (operation.op === 'replace' && same === 'remove') return operation
    for (const each of this.#atOrBelow(operation)) this.#delete(each)
    return operation.op === 'replace' && same === 'add' ? { ...operation, op: 'add' } : operation
  }

  #firstAt({ tokens }: ParsedOperation): Pending | undefined {
    for (const each of this.#atOrBelow({ tokens }))
      if (each.operation.tokens.length === tokens.length) return each
    return undefined
  }

  #atOrBelow({ tokens }: Pick<ParsedOperation, 'tokens'>): ReadonlySet<Pending> {
    return this.#byPrefix.get(keyOf(tokens)) ?? new Set()
  }

  #append(operation: ParsedOperation): void {
    const entry = { operation }
    this.#all.add(entry)
    if (operation.op !== 'remove' && isPlain(operation)) this.#holders.set(keyOf(operation.tokens), entry)
    for (const key of prefixKeys(operation.tokens)) {
      const found = this.#byPrefix.get(key)
      if (found) found.add(entry)
      else this.#byPrefix.set(key, new Set([entry]))
    }
  }

  #delete(entry: Pending): void {
    this.#all.delete(entry)
    const key = keyOf(entry.operation.tokens)
    if (this.#holders.get(key) === entry) this.#holders.delete(key)
    for (const key of prefixKeys(entry.operation.tokens)) this.#byPrefix.get(key)?.delete(entry)
  }
}

// A step like `0` or `-` can be an array index, where adding shifts later items. Such operations are not merged.
function isPlain({ tokens }: ParsedOperation): boolean {
  return !tokens.some((token) => token === '-' || /^\d+$/.test(token))
}

function keyOf(tokens: readonly string[]): string {
  return tokens.map((token) => `/${escapeToken(token)}`).join('')
}

function prefixKeys(tokens: readonly string[]): string[] {
  return [...tokens.keys(), tokens.length].map((length) => keyOf(tokens.slice(0, length)))
}
