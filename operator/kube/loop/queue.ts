import { createFairQueue, type FairQueue, type Urgency } from '../../domain/base/fair-queue.ts'
import { createPace, type Pace } from './pace.ts'

/**
 * A queue of keys: a key has at most one worker at a time, a key that is added while it runs is run again, equal waiting
 * keys are merged, and namespaces take turns.
 */
export interface WorkQueue {
  /**
   * Adds the key. Within its namespace, most keys whose work is under way (`high`) are before changed ones, so that what has
   * begun ends soon, and most of these before keys that are only looked at again (`low`).
   */
  add(key: string, urgency?: Urgency): void
  /** Adds the key after this time, of at most 24 days, unless it is due earlier already, or its work begins before. */
  addAfter(key: string, milliseconds: number): void
  /**
   * Runs a part of a key's work that only waits, such as a call, outside the worker pool: another key uses the worker, one
   * of the same namespace only while that is below its limit. Resolves when the key has a worker again.
   */
  releaseWorker<T>(key: string, work: () => Promise<T>): Promise<T>
  readonly depth: number
  /** Resolves when no key runs or waits; delayed keys do not count. */
  idle(): Promise<void>
  /** Ignores further keys, and resolves when the running ones have ended. */
  stop(): Promise<void>
}

interface Delayed {
  readonly at: number
  readonly timer: NodeJS.Timeout
}

/** The longest delay of a timer: a longer one would end at once. */
const maxDelayMs = 2 ** 31 - 1

/** At this many released workers, a namespace starts no further key, so that they do not use up the memory. */
const maxReleasedPerNamespace = 500

/** What a queue reports. */
export interface QueueMetrics {
  added(key: string): void
  started(key: string): void
  ended(key: string): void
  /** A key will be added after a delay. */
  delayed(): void
}

/** How a namespace uses the pool. */
interface Load {
  /** Keys with a worker. */
  active: number
  /** Running keys without a worker, those that wait for one included. */
  released: number
}

/**
 * Runs `work` for each key as `pace` allows, with at most `workers` at once for one namespace. The pool has a third more, so
 * that one namespace never occupies all of it. `work` must not throw.
 */
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
  /** Keys whose part has ended, waiting for a worker. */
  readonly #returning = createFairQueue<() => void>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #runAgain = new Set<string>()
  readonly #delayed = new Map<string, Delayed>()
  readonly #idleWaiters: (() => void)[] = []
  readonly #loads = new Map<string, Load>()
  /** Free workers of the pool. */
  #free: number
  #isReturnNext = false
  #stopped = false

  constructor(
    workers: number,
    work: (key: string) => Promise<void>,
    pace: Pace,
    metrics: QueueMetrics | undefined,
  ) {
    this.#workers = workers
    this.#free = workers + Math.ceil(workers / 3)
    this.#work = work
    this.#pace = pace
    this.#metrics = metrics
  }

  add(key: string, urgency: Urgency = 'normal'): void {
    if (this.#stopped) return
    this.#cancelDelay(key)
    this.#metrics?.added(key)
    if (this.#running.has(key)) {
      this.#runAgain.add(key)
      return
    }
    this.#waiting.add(namespaceOf(key), key, urgency)
    this.#startWaiting()
  }

  addAfter(key: string, milliseconds: number): void {
    if (this.#stopped) return
    const at = performance.now() + milliseconds
    const earlier = this.#delayed.get(key)
    if (earlier && earlier.at <= at) return
    this.#cancelDelay(key)
    this.#metrics?.delayed()
    const timer = setTimeout(() => this.add(key), Math.min(milliseconds, maxDelayMs))
    this.#delayed.set(key, { at, timer })
  }

  async releaseWorker<T>(key: string, work: () => Promise<T>): Promise<T> {
    const namespace = namespaceOf(key)
    this.#count(namespace, { active: -1, released: 1 })
    this.#startWaiting()
    try {
      return await work()
    } finally {
      await new Promise<void>((resolve) => {
        this.#returning.add(namespace, resolve)
        this.#startWaiting()
      })
    }
  }

  get depth(): number {
    return this.#waiting.size
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
    await Promise.all(this.#running.values())
  }

  #cancelDelay(key: string): void {
    clearTimeout(this.#delayed.get(key)?.timer)
    this.#delayed.delete(key)
  }

  /** Gives free workers to returning and to waiting keys by turns. */
  #startWaiting(): void {
    while (this.#free > 0) {
      this.#isReturnNext = !this.#isReturnNext
      const hasStarted = this.#isReturnNext
        ? this.#resumeOne() || this.#startOne()
        : this.#startOne() || this.#resumeOne()
      if (!hasStarted) break
    }
    if (this.#running.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  #startOne(): boolean {
    const key = this.#waiting.take()
    if (key === undefined) return false
    this.#count(namespaceOf(key), { active: 1, released: 0 })
    this.#running.set(key, this.#run(key))
    return true
  }

  #resumeOne(): boolean {
    const next = this.#returning.takeOwned()
    if (!next) return false
    this.#count(next.owner, { active: 1, released: -1 })
    next.item()
    return true
  }

  async #run(key: string): Promise<void> {
    const namespace = namespaceOf(key)
    // Yields first: a key that is added many times in one burst runs once.
    await Promise.resolve()
    // The work must begin at once when it is permitted: an `await` would let others begin before.
    const permitted = this.#pace.permit(namespace)
    if (permitted) await permitted
    this.#runAgain.delete(key)
    // That of an earlier run: this one says when the next begins.
    this.#cancelDelay(key)
    this.#metrics?.started(key)
    await this.#work(key)
    this.#metrics?.ended(key)
    this.#running.delete(key)
    this.#count(namespace, { active: -1, released: 0 })
    if (this.#runAgain.delete(key) && !this.#stopped) this.#waiting.add(namespace, key, 'high')
    this.#startWaiting()
  }

  /** Changes the load of a namespace, which starts no key and takes none back while it is at a limit. */
  #count(namespace: string, change: Load): void {
    const { active, released } = this.#loads.get(namespace) ?? { active: 0, released: 0 }
    const load = { active: active + change.active, released: released + change.released }
    if (load.active + load.released > 0) this.#loads.set(namespace, load)
    else this.#loads.delete(namespace)
    this.#free -= change.active
    const isFull = load.active >= this.#workers
    setPaused(this.#returning, namespace, isFull)
    setPaused(this.#waiting, namespace, isFull || load.released >= maxReleasedPerNamespace)
  }
}

function setPaused(queue: FairQueue<unknown>, owner: string, isPaused: boolean): void {
  if (isPaused) queue.pause(owner)
  else queue.resume(owner)
}

function namespaceOf(key: string): string {
  return key.slice(0, Math.max(key.indexOf('/'), 0))
}
