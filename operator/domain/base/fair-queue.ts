/** From the most urgent to the least. */
const urgencies = ['high', 'normal', 'low'] as const

/** How soon an item is served, compared with others of its owner. */
export type Urgency = (typeof urgencies)[number]

/**
 * A queue that serves its owners round-robin, and the items of one owner by urgency and in order of arrival: more urgent items
 * before others, but no more than four in a row.
 */
export interface FairQueue<T> {
  /** Appends an item to those of its owner, unless the queue holds it already and it is no more urgent now. */
  add(owner: string, item: T, urgency?: Urgency): void
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

/** After so many items in a row, an owner gets a less urgent one. */
const mostInARow = 4

/** Items of one owner that are equally urgent, in order of arrival. */
interface Level<T> {
  readonly items: Set<T>
  /** How many were taken since a less urgent one. */
  inARow: number
}

/** The items of one owner. */
class Items<T> {
  readonly #levels: readonly Level<T>[] = urgencies.map(() => ({ items: new Set(), inARow: 0 }))

  get size(): number {
    return this.#levels.reduce((sum, { items }) => sum + items.size, 0)
  }

  /** Returns whether the item is new. */
  add(item: T, urgency: Urgency): boolean {
    const wanted = urgencies.indexOf(urgency)
    const known = this.#levels.findIndex(({ items }) => items.has(item))
    if (known !== -1 && known <= wanted) return false
    this.#levels[known]?.items.delete(item)
    this.#levels[wanted]?.items.add(item)
    return known === -1
  }

  take(): T | undefined {
    let left = this.size
    for (const level of this.#levels) {
      const { items } = level
      left -= items.size
      if (items.size > 0 && (level.inARow < mostInARow || left === 0)) {
        const [item] = items
        if (item !== undefined) items.delete(item)
        level.inARow += 1
        return item
      }
      level.inARow = 0
    }
    return undefined
  }

  clear(): void {
    for (const { items } of this.#levels) items.clear()
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
    add(owner, item, urgency = 'normal') {
      const items = held.get(owner) ?? waiting.get(owner) ?? new Items()
      if (!held.has(owner)) waiting.set(owner, items)
      if (items.add(item, urgency)) size += 1
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
