/** A timer that waits in virtual time. */
export interface Timer {
  /** Milliseconds since the start of the run. */
  readonly at: number
  /** Timers of the same time run in the order in which they were made. */
  readonly order: number
  readonly run: () => void
  isCancelled: boolean
}

/** Waiting timers, the next one first: a binary heap. */
export class Timers {
  readonly #heap: Timer[] = []

  add(timer: Timer): void {
    const heap = this.#heap
    let index = heap.push(timer) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(heap[index], heap[parent])) return
      this.#swap(index, parent)
      index = parent
    }
  }

  /** Takes the next timer that is not cancelled, if its time is `until` or earlier. */
  take(until: number): Timer | undefined {
    for (;;) {
      const [next] = this.#heap
      if (next === undefined) return undefined
      if (!next.isCancelled && next.at > until) return undefined
      this.#removeFirst()
      if (!next.isCancelled) return next
    }
  }

  #removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    heap[0] = last
    let index = 0
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      const child = isBefore(heap[right], heap[left]) ? right : left
      if (!isBefore(heap[child], heap[index])) return
      this.#swap(index, child)
      index = child
    }
  }

  #swap(left: number, right: number): void {
    const heap = this.#heap
    const [one, other] = [heap[left], heap[right]]
    if (one === undefined || other === undefined) return
    heap[left] = other
    heap[right] = one
  }
}

function isBefore(one: Timer | undefined, other: Timer | undefined): boolean {
  if (one === undefined || other === undefined) return other === undefined && one !== undefined
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}
