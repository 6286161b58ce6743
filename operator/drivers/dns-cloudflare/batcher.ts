import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from './errors.ts'

/** An item that a caller waits for. */
export interface Pending<T> {
  readonly item: T
  readonly addedAt: number
  /** Whether the caller still waits. */
  readonly isOpen: boolean
  settle(error?: Error): void
}

interface BatcherOptions<T> {
  /** Monotonic milliseconds. */
  readonly clock: () => number
  /** A batch begins after this long without a new item. */
  readonly collectMs: number
  /** A batch begins at once with this many items. */
  readonly enough: number
  /** Items with the same key are in different batches. */
  keyOf(item: T): string
  /** Settles all items of the batch; the signal aborts when no caller waits. */
  run(batch: readonly Pending<T>[], signal: AbortSignal): Promise<void>
}

/** Runs items in batches, one batch at a time. */
export interface Batcher<T> {
  /** Resolves when the item is done; rejects at the latest when the signal aborts. */
  add(item: T, signal: AbortSignal): Promise<void>
  readonly isIdle: boolean
  close(): void
}

const maxCollectMs = 3000
const maxBatch = 2000

/** A batcher: items that are added during a batch join the next one. */
export function createBatcher<T>(options: BatcherOptions<T>): Batcher<T> {
  return new ItemBatcher(options)
}

class ItemBatcher<T> implements Batcher<T> {
  readonly #options: BatcherOptions<T>
  #queue: Pending<T>[] = []
  #batch: readonly Pending<T>[] = []
  #abort = new AbortController()
  #isRunning = false
  #onEnough = () => {}

  constructor(options: BatcherOptions<T>) {
    this.#options = options
  }

  get isIdle(): boolean {
    return !this.#isRunning
  }

  add(item: T, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (signal.aborted) {
      reject(noTimeLeft)
      return promise
    }
    const expire = () => {
      pending.settle(noTimeLeft)
      this.#remove(pending)
    }
    let isOpen = true
    const pending: Pending<T> = {
      item,
      addedAt: this.#options.clock(),
      get isOpen() {
        return isOpen
      },
      settle(error) {
        if (!isOpen) return
        isOpen = false
        signal.removeEventListener('abort', expire)
        if (error) reject(error)
        else resolve()
      },
    }
    signal.addEventListener('abort', expire, { once: true })
    this.#queue.push(pending)
    if (this.#queue.length >= this.#options.enough) this.#onEnough()
    if (!this.#isRunning) void this.#runAll()
    return promise
  }

  close(): void {
    for (const each of [...this.#queue, ...this.#batch]) each.settle(noTimeLeft)
    this.#queue = []
    this.#abort.abort()
    this.#onEnough()
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#queue.length > 0) {
      await this.#collect()
      this.#batch = this.#takeBatch()
      this.#abort = new AbortController()
      if (this.#batch.length > 0) await this.#runBatch()
    }
    this.#isRunning = false
  }

  /** Waits until no items arrive, there are enough, or the time is up. */
  async #collect(): Promise<void> {
    const { collectMs, enough } = this.#options
    const full = new AbortController()
    this.#onEnough = () => full.abort()
    let seen = 0
    for (let waited = 0; waited < maxCollectMs; waited += Math.max(1, collectMs)) {
      if (this.#queue.length === seen || this.#queue.length >= enough) break
      seen = this.#queue.length
      await sleep(collectMs, undefined, { signal: full.signal }).catch(() => {})
    }
    this.#onEnough = () => {}
  }

  /** Takes the first item of each key from the queue. */
  #takeBatch(): Pending<T>[] {
    const byKey = new Map<string, Pending<T>>()
    for (const each of this.#queue) {
      if (byKey.size >= maxBatch) break
      const key = this.#options.keyOf(each.item)
      if (!byKey.has(key)) byKey.set(key, each)
    }
    const chosen = new Set(byKey.values())
    this.#queue = this.#queue.filter((each) => !chosen.has(each))
    return [...chosen]
  }

  async #runBatch(): Promise<void> {
    const batch = this.#batch
    let failure: Error | undefined
    try {
      await this.#options.run(batch, this.#abort.signal)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    this.#batch = []
    for (const each of batch) each.settle(failure ?? notSettled)
  }

  #remove(pending: Pending<T>): void {
    this.#queue = this.#queue.filter((each) => each !== pending)
    if (this.#batch.every(({ isOpen }) => !isOpen)) this.#abort.abort()
  }
}

const noTimeLeft = unavailable('there was no time left for the call')
const notSettled = unavailable('the call was not answered')
