/** What waits, by whom it waits for: each owner has a turn after the other, whoever came first within one. */
export interface Turns<T> {
  /** Puts an item last among those of its owner, unless it is there already. */
  add(owner: string, item: T): void
  /** Takes the next item away; its owner is behind all others at the next time. */
  take(): T | undefined
  /** Items of an owner. */
  countOf(owner: string): number
  /** Items of all owners. */
  readonly size: number
  clear(): void
}

/** Nobody waits yet. */
export function createTurns<T>(): Turns<T> {
  const waiting = new Map<string, Set<T>>()
  let size = 0
  let last: string | undefined

  return {
    add(owner, item) {
      const items = waiting.get(owner) ?? new Set()
      waiting.set(owner, items)
      if (!items.has(item)) size += 1
      items.add(item)
    },
    take() {
      // Whoever came while the last one was at it comes before another one of the same owner.
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
      return item
    },
    countOf: (owner) => waiting.get(owner)?.size ?? 0,
    get size() {
      return size
    },
    clear() {
      waiting.clear()
      size = 0
    },
  }
}
