import type { PatchOperation } from '../api/deployment-delta.ts'
import { cancelsPending, type Layout, type ParsedOperation, Patcher, parseOperation } from './patch.ts'

interface Pending {
  operation: ParsedOperation
}

/** The shortest list of operations that does what `pending` and then `incoming` do. */
export function reduceOperations(
  pending: readonly PatchOperation[],
  incoming: readonly PatchOperation[],
  layout: Layout,
  where: string,
): PatchOperation[] {
  const list = new PendingList(layout, where)
  for (const operation of [...pending, ...incoming]) list.add(parseOperation(operation, layout, where))
  return list.operations()
}

/** Pending operations in order, found by their path and by every path above it. */
class PendingList {
  readonly #all = new Set<Pending>()
  readonly #byPrefix = new Map<string, Set<Pending>>()
  readonly #holders = new Map<string, Pending>()
  readonly #patcher: Patcher

  constructor(layout: Layout, where: string) {
    this.#patcher = new Patcher(layout, where)
  }

  add(operation: ParsedOperation): void {
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

  operations(): PatchOperation[] {
    return [...this.#all].map(({ operation: { op, path, value } }) =>
      op === 'remove' ? { op, path } : { op, path, value },
    )
  }

  /** The pending operation whose value contains the place that `operation` changes. */
  #holderOf({ tokens }: ParsedOperation): Pending | undefined {
    for (let length = tokens.length - 1; length >= 0; length--) {
      const found = this.#holders.get(keyOf(tokens.slice(0, length)))
      if (found) return found
    }
    return undefined
  }

  /** Drops what the operation makes void, and returns what it is without that. */
  #superseding(operation: ParsedOperation): ParsedOperation {
    const earlier = this.#atOrBelow(operation)
    const same = earlier.find(({ operation: { tokens } }) => tokens.length === operation.tokens.length)
    if (operation.op === 'replace' && same?.operation.op === 'remove') return operation
    for (const each of earlier) this.#delete(each)
    return operation.op === 'replace' && same?.operation.op === 'add'
      ? { ...operation, op: 'add' }
      : operation
  }

  #atOrBelow({ tokens }: ParsedOperation): Pending[] {
    return [...(this.#byPrefix.get(keyOf(tokens)) ?? [])]
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

// A step like `0` or `-` may be an index into an array, where adding shifts what follows: such operations
// stay as they are.
function isPlain({ tokens }: ParsedOperation): boolean {
  return !tokens.some((token) => token === '-' || /^\d+$/.test(token))
}

function keyOf(tokens: readonly string[]): string {
  return `${tokens.length}\0${tokens.join('\0')}`
}

function prefixKeys(tokens: readonly string[]): string[] {
  return [...tokens.keys(), tokens.length].map((length) => keyOf(tokens.slice(0, length)))
}
