/** A queue that serves its owners round-robin, and the items of one owner in order of arrival. */
export interface FairQueue<T> {
  /** Appends an item to those of its owner, unless the queue holds it already. */
  add(owner: string, item: T): void
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

/** Creates an empty queue. */
export function createFairQueue<T>(): FairQueue<T> {
  const waiting = new Map<string, Set<T>>()
  const held = new Map<string, Set<T>>()
  let size = 0
  let last: string | undefined

  function takeOwned() {
    // Owners that arrived since the last call go before the owner of the last item.
    const rest = last === undefined ? undefined : waiting.get(last)
    if (last !== undefined && rest && waiting.delete(last)) waiting.set(last, rest)
    const [first] = waiting
    if (!first) return undefined
    const [owner, items] = first
    const [item] = items
    if (item === undefined) return undefined
    items.delete(item)
    if (items.size === 0) waiting.delete(owner)
    size -= 1
    last = owner
    return { owner, item }
  }

  return {
    add(owner, item) {
      const items = held.get(owner) ?? waiting.get(owner) ?? new Set()
      if (!held.has(owner)) waiting.set(owner, items)
      if (!items.has(item)) size += 1
      items.add(item)
    },
    take: () => takeOwned()?.item,
    takeOwned,
    pause(owner) {
      if (held.has(owner)) return
      held.set(owner, waiting.get(owner) ?? new Set())
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
