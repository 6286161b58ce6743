/** The limit of a token bucket: `burst` at once and `perSecond` in the long run. */
export interface TokenLimit {
  readonly burst: number
  readonly perSecond: number
}

/** A token bucket; times are in milliseconds, and a clock that is set back costs no tokens. */
export class TokenBucket {
  readonly #limit: TokenLimit
  #tokens: number
  #filledAt: number

  constructor(limit: TokenLimit, now: number) {
    this.#limit = limit
    this.#tokens = limit.burst
    this.#filledAt = now
  }

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(now: number): number {
    this.#fill(now)
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / this.#limit.perSecond) * 1000)
    this.#tokens -= 1
    return 0
  }

  isFull(now: number): boolean {
    this.#fill(now)
    return this.#tokens >= this.#limit.burst
  }

  #fill(now: number): void {
    const { burst, perSecond } = this.#limit
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, now - this.#filledAt) / 1000) * perSecond)
    this.#filledAt = now
  }
}
