/** What waits, by whom it waits for: each owner has a turn after the other, whoever came first within one. */
export interface FairQueue<T> {
  /** Puts an item last among those of its owner, unless it is there already. */
  add(owner: string, item: T): void
  /** Takes the next item away; its owner is behind all others at the next time. */
  take(): T | undefined
  /** Gives the owner no turns until it is released; what is added meanwhile waits. */
  pause(owner: string): void
  resume(owner: string): void
  /** Items of an owner. */
  countOf(owner: string): number
  /** Items of all owners. */
  readonly size: number
  clear(): void
}

/** Nobody waits yet. */
export function createFairQueue<T>(): FairQueue<T> {
  const waiting = new Map<string, Set<T>>()
  const held = new Map<string, Set<T>>()
  let size = 0
  let last: string | undefined

  return {
    add(owner, item) {
      const items = held.get(owner) ?? waiting.get(owner) ?? new Set()
      if (!held.has(owner)) waiting.set(owner, items)
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
