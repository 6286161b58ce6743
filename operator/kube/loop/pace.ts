import { createFairQueue } from '../../domain/base/fair-queue.ts'

/** Limits the work in one turn of the event loop, and shares it between owners. */
export interface Pace {
  /** Resolves when the owner may do one piece of work, which begins at once; undefined when it need not wait. */
  permit(owner: string): Promise<void> | undefined
}

/** Milliseconds of work in one turn; the piece that exceeds it is the last. */
const maxMs = 20

/** Spreads CPU-bound work over turns of the event loop, so that responses and timers run in between. */
export function createPace(now: () => number = () => performance.now()): Pace {
  return new FairPace(now)
}

class FairPace implements Pace {
  readonly #now: () => number
  readonly #waiting = createFairQueue<() => void>()
  #began: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  permit(owner: string): Promise<void> | undefined {
    if (this.#waiting.size === 0 && !this.#isSpent()) return undefined
    return new Promise((resolve) => {
      this.#waiting.add(owner, resolve)
    })
  }

  /** Whether this turn of the event loop has no time left. */
  #isSpent(): boolean {
    if (this.#began !== undefined) return this.#now() - this.#began >= maxMs
    this.#began = this.#now()
    setImmediate(() => {
      this.#began = undefined
      this.#permitNext()
    })
    return false
  }

  #permitNext(): void {
    if (this.#waiting.size === 0 || this.#isSpent()) return
    this.#waiting.take()?.()
    // The piece runs before this microtask, so that its time counts.
    queueMicrotask(() => this.#permitNext())
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

const itemsInTurn = 1000

/** Does a short piece of work for each item, and begins a new turn of the event loop after each thousand. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let count = 0
  for (const item of items) {
    work(item)
    count += 1
    if (count % itemsInTurn === 0) await nextTurn()
  }
}
