import { setTimeout as sleep } from 'node:timers/promises'

/** When a reflector watches again, in milliseconds. */
export interface PausesMs {
  readonly first: number
  readonly most: number
  /** An API server that says when to try again works, so that the pauses are short, unless it asks for longer ones, at most `most`. */
  readonly mostWhenAsked: number
  /** A watch that lasted this long after its answer, or after the list that it streamed, ends a series of failures. */
  readonly steady: number
}

/**
 * The pauses between the watches of a reflector: they double with each failure, from twice `first`. Calls `onRecovered` when a
 * watch works after failures.
 */
export class WatchPauses {
  readonly #pausesMs: PausesMs
  readonly #onRecovered: () => void
  #failures = 0
  /** What the last failure asks for. */
  #retryAfterMs: number | undefined
  /** When the current watch began to continue from a position; undefined before. */
  #steadySince: number | undefined
  #steadyTimer: NodeJS.Timeout | undefined
  #pause: AbortController | undefined

  constructor(pausesMs: Partial<PausesMs> = {}, onRecovered: () => void = () => {}) {
    this.#onRecovered = onRecovered
    this.#pausesMs = { first: 200, most: 30_000, mostWhenAsked: 5000, steady: 1000, ...pausesMs }
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures
  }

  fail(retryAfterSeconds?: number): void {
    this.#failures += 1
    this.#retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
  }

  reset(): void {
    const isRecovered = this.#failures > 0
    this.#failures = 0
    if (isRecovered) this.#onRecovered()
  }

  /** The API server has answered the current watch, and a list that it streams first is complete. */
  noteAnswer(): void {
    if (this.#steadySince !== undefined) return
    this.#steadySince = performance.now()
    this.#steadyTimer = setTimeout(() => this.reset(), this.#pausesMs.steady).unref()
  }

  /** Runs a watch. One that ends soon, although without an error, is a failure, so that it is not repeated in a tight loop. */
  async around(watch: () => Promise<void>): Promise<void> {
    const begun = performance.now()
    const isLong = (since: number | undefined) =>
      since !== undefined && performance.now() - since >= this.#pausesMs.steady
    this.#steadySince = undefined
    try {
      await watch()
      if (!isLong(begun)) this.fail()
    } finally {
      clearTimeout(this.#steadyTimer)
      if (isLong(this.#steadySince)) this.reset()
    }
  }

  /** Waits after a failure. */
  async wait(): Promise<void> {
    if (this.#failures === 0) return
    const { first, most, mostWhenAsked } = this.#pausesMs
    const askedMs = this.#retryAfterMs
    const grownMs = first * 2 ** Math.min(this.#failures, 16)
    const pauseMs = askedMs === undefined ? grownMs : Math.max(askedMs, Math.min(mostWhenAsked, grownMs))
    this.#pause = new AbortController()
    try {
      await sleep(Math.min(most, pauseMs) * (0.5 + Math.random()), undefined, { signal: this.#pause.signal })
    } catch {
      // The pause was ended.
    }
    this.#pause = undefined
  }

  /** Ends the current pause. */
  end(): void {
    this.#pause?.abort()
  }
}
