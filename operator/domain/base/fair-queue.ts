/**
 * A queue that serves its owners round-robin, and the items of one owner in order of arrival: preferred items before others,
 * but no more than four in a row.
 */
export interface FairQueue<T> {
  /** Appends an item to those of its owner, unless the queue holds it already. */
  add(owner: string, item: T, isPreferred?: boolean): void
  /** Removes and returns the next item. Its owner moves behind all others. */
  take(): T | undefined
  /** As `take`, with the owner. */
  takeOwned(): { readonly owner: string; readonly item: T } | undefined
  /** Serves no items of the owner until `resume`. Items can still be added. */
  pause(owner: string): void
  resume(owner: string): void
  /** Number of items of an owner. */
  countOf(owner: string): number
  /** Number of items of all owners. */
  readonly size: number
  clear(): void
}

/** After so many preferred items in a row, an owner gets another one. */
const mostPreferred = 4

/** The items of one owner, in order of arrival. */
class Items<T> {
  readonly #preferred = new Set<T>()
  readonly #others = new Set<T>()
  #preferredInARow = 0

  get size(): number {
    return this.#preferred.size + this.#others.size
  }

  /** Returns whether the item is new. */
  add(item: T, isPreferred: boolean): boolean {
    if (this.#preferred.has(item) || this.#others.has(item)) return false
    if (isPreferred) this.#preferred.add(item)
    else this.#others.add(item)
    return true
  }

  take(): T | undefined {
    const isTurnOfOthers = this.#preferred.size === 0 || this.#preferredInARow >= mostPreferred
    const items = isTurnOfOthers && this.#others.size > 0 ? this.#others : this.#preferred
    const [item] = items
    if (item !== undefined) items.delete(item)
    this.#preferredInARow = items === this.#preferred ? this.#preferredInARow + 1 : 0
    return item
  }

  clear(): void {
    this.#preferred.clear()
    this.#others.clear()
  }
}

/** Creates an empty queue. */
export function createFairQueue<T>(): FairQueue<T> {
  const waiting = new Map<string, Items<T>>()
  const held = new Map<string, Items<T>>()
  let size = 0
  let last: string | undefined

  function takeOwned() {
    // Owners that arrived since the last call go before the owner of the last item.
    const rest = last === undefined ? undefined : waiting.get(last)
    if (last !== undefined && rest && waiting.delete(last)) waiting.set(last, rest)
    const [first] = waiting
    if (!first) return undefined
    const [owner, items] = first
    const item = items.take()
    if (item === undefined) return undefined
    if (items.size === 0) waiting.delete(owner)
    size -= 1
    last = owner
    return { owner, item }
  }

  return {
    add(owner, item, isPreferred = false) {
      const items = held.get(owner) ?? waiting.get(owner) ?? new Items()
      if (!held.has(owner)) waiting.set(owner, items)
      if (items.add(item, isPreferred)) size += 1
    },
    take: () => takeOwned()?.item,
    takeOwned,
    pause(owner) {
      if (held.has(owner)) return
      held.set(owner, waiting.get(owner) ?? new Items())
      waiting.delete(owner)
    },
    resume(owner) {
      const items = held.get(owner)
      held.delete(owner)
      if (items && items.size > 0) waiting.set(owner, items)
    },
    countOf: (owner) => (held.get(owner) ?? waiting.get(owner))?.size ?? 0,
    get size() {
      return size
    },
    clear() {
      waiting.clear()
      for (const items of held.values()) items.clear()
      size = 0
    },
  }
}
