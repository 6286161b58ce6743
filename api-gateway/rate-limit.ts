import { RateLimited } from './response/errors.ts'

/** A token bucket per key. */
export interface RateLimit {
  /** Takes one request; answers the seconds to wait, 0 when it may go on. */
  take(key: string): number
}

interface Bucket {
  tokens: number
  filledAt: number
}

const maxBuckets = 50_000
/** Looking through all buckets is worth it only when many go. */
const keptBuckets = 40_000

/** Allows each key `requestsPerSecond` in the long run and `burst` at once. */
export function createRateLimit(
  { requestsPerSecond, burst }: { readonly requestsPerSecond: number; readonly burst: number },
  now: () => number,
): RateLimit {
  const buckets = new Map<string, Bucket>()

  function fill(bucket: Bucket, time: number): void {
    const elapsed = Math.max(0, time - bucket.filledAt) // the clock may be set back
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsed / 1000) * requestsPerSecond)
    bucket.filledAt = time
  }

  /** A full bucket says nothing that a new one would not; the oldest ones go when too few are full. */
  function makeRoom(time: number): void {
    for (const [key, bucket] of buckets) {
      fill(bucket, time)
      if (bucket.tokens >= burst) buckets.delete(key)
    }
    for (const key of buckets.keys()) {
      if (buckets.size <= keptBuckets) return
      buckets.delete(key)
    }
  }

  return {
    take(key) {
      const time = now()
      if (!buckets.has(key) && buckets.size >= maxBuckets) makeRoom(time)
      const bucket = buckets.get(key) ?? { tokens: burst, filledAt: time }
      buckets.set(key, bucket)
      fill(bucket, time)
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / requestsPerSecond))
      bucket.tokens -= 1
      return 0
    },
  }
}

/** Counts one request against the limit of `key`; refuses it when that is reached. */
export function take(limit: RateLimit, key: string): void {
  const wait = limit.take(key)
  if (wait > 0) throw new RateLimited(wait)
}
