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
    const waitMs = this.waitMs(now)
    if (waitMs === 0) this.#tokens -= 1
    return waitMs
  }

  /** Returns the milliseconds until there is a token. */
  waitMs(now: number): number {
    this.#fill(now)
    return this.#tokens < 1 ? Math.ceil(((1 - this.#tokens) / this.#limit.perSecond) * 1000) : 0
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

const leastCleanup = 1000

/** Token buckets of one limit by key. Full ones, which equal new ones, are forgotten once the buckets are twice as many as after that. */
export class TokenBuckets {
  readonly #limit: TokenLimit
  readonly #buckets = new Map<string, TokenBucket>()
  #cleanUpAt = leastCleanup

  constructor(limit: TokenLimit) {
    this.#limit = limit
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Takes a token of the key and returns 0, or returns the milliseconds until there is one. */
  take(key: string, now: number): number {
    const known = this.#buckets.get(key)
    if (known) return known.take(now)
    if (this.#buckets.size >= this.#cleanUpAt) this.#cleanUp(now)
    const bucket = new TokenBucket(this.#limit, now)
    this.#buckets.set(key, bucket)
    return bucket.take(now)
  }

  /** Returns the milliseconds until there is a token of the key. */
  waitMs(key: string, now: number): number {
    return this.#buckets.get(key)?.waitMs(now) ?? 0
  }

  forget(key: string): void {
    this.#buckets.delete(key)
  }

  #cleanUp(now: number): void {
    for (const [key, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(key)
    this.#cleanUpAt = Math.max(leastCleanup, 2 * this.#buckets.size)
  }
}
