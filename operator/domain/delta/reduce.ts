import type { PatchOperation } from '../../api/deployment-delta.ts'
import {
  cancelsPending,
  type Layout,
  type MoveBudget,
  type ParsedOperation,
  Patcher,
  parseOperation,
} from './patch.ts'

interface Pending {
  operation: ParsedOperation
}

/** The shortest list of operations with the same effect. */
export function reduceOperations(
  operations: readonly PatchOperation[],
  layout: Layout,
  where: string,
  moves?: MoveBudget,
): PatchOperation[] {
  const list = new PendingList(layout, where, moves)
  list.add(operations)
  return list.operations()
}

/** A path, with the operations that are pending at it, and the paths below it that have any. */
class Place {
  readonly pending: Pending[] = []
  /** The operation whose value contains everything below. */
  holder: Pending | undefined
  #below: Map<string, Place> | undefined

  below(token: string): Place | undefined {
    return this.#below?.get(token)
  }

  belowOrNew(token: string): Place {
    this.#below ??= new Map()
    const place = this.#below.get(token) ?? new Place()
    this.#below.set(token, place)
    return place
  }

  /** Removes the operations at this path and below, and returns them. */
  *takeAll(): Generator<Pending> {
    yield* this.pending.splice(0)
    this.holder = undefined
    for (const place of this.#below?.values() ?? []) yield* place.takeAll()
    this.#below = undefined
  }
}

/** The shortest list of operations with the effect of all added ones, indexed by their paths. */
export class PendingList {
  readonly #all = new Set<Pending>()
  readonly #root = new Place()
  readonly #layout: Layout
  readonly #where: string
  readonly #patcher: Patcher

  constructor(layout: Layout, where: string, moves?: MoveBudget) {
    this.#layout = layout
    this.#where = where
    this.#patcher = new Patcher(layout, where, moves)
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
      this.#deleteFrom(this.#placeOf(operation))
      return
    }
    this.#append(isPlain(operation) ? this.#superseding(operation) : operation)
  }

  /** The pending operation whose value contains the target of `operation`; the whole document contains itself. */
  #holderOf({ tokens }: ParsedOperation): Pending | undefined {
    let place: Place | undefined = this.#root
    let holder = place.holder
    for (const token of tokens.slice(0, -1)) {
      place = place.below(token)
      if (!place) break
      holder = place.holder ?? holder
    }
    return holder
  }

  /** Removes the operations that `operation` overrides, and returns the operation to add. */
  #superseding(operation: ParsedOperation): ParsedOperation {
    const place = this.#placeOf(operation)
    const same = place?.pending[0]?.operation.op
    if (operation.op === 'replace' && same === 'remove') return operation
    this.#deleteFrom(place)
    return operation.op === 'replace' && same === 'add' ? { ...operation, op: 'add' } : operation
  }

  #placeOf({ tokens }: ParsedOperation): Place | undefined {
    let place: Place | undefined = this.#root
    for (const token of tokens) {
      place = place.below(token)
      if (!place) return undefined
    }
    return place
  }

  #append(operation: ParsedOperation): void {
    const entry = { operation }
    this.#all.add(entry)
    let place = this.#root
    for (const token of operation.tokens) place = place.belowOrNew(token)
    place.pending.push(entry)
    if (operation.op !== 'remove' && isPlain(operation)) place.holder = entry
  }

  #deleteFrom(place: Place | undefined): void {
    for (const entry of place?.takeAll() ?? []) this.#all.delete(entry)
  }
}

// A step like `0` or `-` can be an array index, where adding shifts later items. Such operations are not merged.
function isPlain({ tokens }: ParsedOperation): boolean {
  return !tokens.some((token) => token === '-' || /^\d+$/.test(token))
}
