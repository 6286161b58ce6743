/** Retries of a namespace in a row without a pause, and each second after them. */
const burst = 100
const perSecond = 25

/** Spreads the retries of each namespace over time, so that the load does not grow with the number of failing objects. */
export class RetryPace {
  readonly #now: () => number
  /** Time of the last retry of each namespace, as if all had the same distance. */
  readonly #last = new Map<string, number>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Reserves a retry; returns the milliseconds until it may run. */
  reserve(namespace: string): number {
    const now = this.#now()
    const interval = 1000 / perSecond
    const at = Math.max(this.#last.get(namespace) ?? 0, now - burst * interval) + interval
    this.#last.set(namespace, at)
    return Math.max(0, at - now)
  }
}
