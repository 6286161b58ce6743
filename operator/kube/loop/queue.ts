import { createFairQueue } from '../../domain/base/fair-queue.ts'
import { createPace, nextTurn, type Pace } from './pace.ts'

/**
 * A queue of keys: a key has at most one worker at a time, a key that is added while it runs is run again, equal waiting
 * keys are merged, and namespaces take turns.
 */
export interface WorkQueue {
  add(key: string): void
  /** Adds the key after this time, unless it is due earlier already. */
  addAfter(key: string, milliseconds: number): void
  /**
   * Runs a part of a key's work that only waits, such as a call, outside the worker pool: another key uses the worker, one
   * of the same namespace only while that is below its limit. Resolves when the key has a worker again.
   */
  releaseWorker<T>(key: string, work: () => Promise<T>): Promise<T>
  readonly depth: number
  /** Since when each running key runs, the longest first; in milliseconds of `performance.now()`. */
  runningSince(): Iterable<number>
  /** Resolves when no key runs or waits; delayed keys do not count. */
  idle(): Promise<void>
  /** Ignores further keys, and resolves when the running ones have ended. */
  stop(): Promise<void>
}

interface Delayed {
  readonly at: number
  readonly timer: NodeJS.Timeout
}

/** At this many released workers, a namespace starts no further key, so that it cannot occupy the whole pool on return. */
const maxReleasedPerNamespace = 500

/** What a queue reports. Times are in seconds. */
export interface QueueMetrics {
  added(): void
  /** A key starts after it waited for this time. */
  started(waited: number): void
  ended(worked: number): void
  /** A key is added again after a delay. */
  delayed(): void
}

/** Runs `work` for each key with at most `workers` at once, as `pace` allows; `work` must not throw. */
export function createQueue(
  workers: number,
  work: (key: string) => Promise<void>,
  pace: Pace = createPace(),
  metrics?: QueueMetrics,
): WorkQueue {
  return new KeyQueue(workers, work, pace, metrics)
}

class KeyQueue implements WorkQueue {
  readonly #workers: number
  readonly #work: (key: string) => Promise<void>
  readonly #pace: Pace
  readonly #metrics: QueueMetrics | undefined
  readonly #waiting = createFairQueue<string>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #runAgain = new Set<string>()
  /** When the keys that wait, or will run again, were added. */
  readonly #addedAt = new Map<string, number>()
  readonly #startedAt = new Map<string, number>()
  readonly #delayed = new Map<string, Delayed>()
  readonly #idleWaiters: (() => void)[] = []
  /** Keys whose part has ended, waiting for a worker. */
  readonly #returning: (() => void)[] = []
  /** Released keys of each namespace, those in `#returning` included. */
  readonly #releasedOf = new Map<string, number>()
  /** Running keys without a worker. */
  #released = 0
  #stopped = false

  constructor(
    workers: number,
    work: (key: string) => Promise<void>,
    pace: Pace,
    metrics: QueueMetrics | undefined,
  ) {
    this.#workers = workers
    this.#work = work
    this.#pace = pace
    this.#metrics = metrics
  }

  add(key: string): void {
    if (this.#stopped) return
    this.#cancelDelay(key)
    this.#metrics?.added()
    if (!this.#addedAt.has(key)) this.#addedAt.set(key, performance.now())
    if (this.#running.has(key)) {
      this.#runAgain.add(key)
      return
    }
    this.#waiting.add(namespaceOf(key), key)
    this.#startWaiting()
  }

  addAfter(key: string, milliseconds: number): void {
    if (this.#stopped) return
    const at = performance.now() + milliseconds
    const earlier = this.#delayed.get(key)
    if (earlier && earlier.at <= at) return
    this.#cancelDelay(key)
    this.#metrics?.delayed()
    const timer = setTimeout(() => this.add(key), milliseconds)
    this.#delayed.set(key, { at, timer })
  }

  async releaseWorker<T>(key: string, work: () => Promise<T>): Promise<T> {
    const namespace = namespaceOf(key)
    this.#leave(namespace)
    try {
      return await work()
    } finally {
      await this.#reacquire()
      this.#forgetReleased(namespace)
    }
  }

  get depth(): number {
    return this.#waiting.size
  }

  runningSince(): Iterable<number> {
    return this.#startedAt.values()
  }

  idle(): Promise<void> {
    if (this.#running.size === 0 && this.#waiting.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve)
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const { timer } of this.#delayed.values()) clearTimeout(timer)
    this.#delayed.clear()
    this.#waiting.clear()
    this.#addedAt.clear()
    await Promise.all(this.#running.values())
  }

  #cancelDelay(key: string): void {
    clearTimeout(this.#delayed.get(key)?.timer)
    this.#delayed.delete(key)
  }

  #hasFreeWorker(): boolean {
    return this.#running.size - this.#released < this.#workers
  }

  /** Gives free workers to returning keys first, then to waiting ones. */
  #startWaiting(): void {
    while (this.#returning.length > 0 && this.#hasFreeWorker()) {
      this.#released -= 1
      this.#returning.shift()?.()
    }
    while (this.#hasFreeWorker()) {
      const key = this.#waiting.take()
      if (key === undefined) break
      this.#running.set(key, this.#run(key))
    }
    if (this.#running.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  async #run(key: string): Promise<void> {
    // Yields first: a key that is added many times in one burst runs once.
    await Promise.resolve()
    while (this.#pace.isSpent()) await nextTurn()
    this.#runAgain.delete(key)
    const startedAt = performance.now()
    this.#metrics?.started((startedAt - (this.#addedAt.get(key) ?? startedAt)) / 1000)
    this.#addedAt.delete(key)
    this.#startedAt.set(key, startedAt)
    await this.#work(key)
    this.#startedAt.delete(key)
    this.#metrics?.ended((performance.now() - startedAt) / 1000)
    this.#running.delete(key)
    if (this.#runAgain.delete(key) && !this.#stopped) this.#waiting.add(namespaceOf(key), key)
    this.#startWaiting()
  }

  #leave(namespace: string): void {
    const count = (this.#releasedOf.get(namespace) ?? 0) + 1
    this.#releasedOf.set(namespace, count)
    if (count === maxReleasedPerNamespace) this.#waiting.pause(namespace)
    this.#released += 1
    this.#startWaiting()
  }

  #reacquire(): Promise<void> | undefined {
    if (this.#hasFreeWorker() && this.#returning.length === 0) {
      this.#released -= 1
      return undefined
    }
    return new Promise((resolve) => {
      this.#returning.push(resolve)
    })
  }

  #forgetReleased(namespace: string): void {
    const count = (this.#releasedOf.get(namespace) ?? 1) - 1
    if (count > 0) this.#releasedOf.set(namespace, count)
    else this.#releasedOf.delete(namespace)
    if (count !== maxReleasedPerNamespace - 1) return
    this.#waiting.resume(namespace)
    this.#startWaiting()
  }
}

function namespaceOf(key: string): string {
  return key.slice(0, Math.max(key.indexOf('/'), 0))
}
