import { RateLimited } from './response/errors.ts'

/** Token buckets by key. */
export interface RateLimit {
  /** Consumes one token; returns the seconds to wait if the bucket is empty, otherwise 0. */
  consume(key: string): number
}

interface Bucket {
  tokens: number
  filledAt: number
}

const maxBuckets = 50_000
/** Scanning all buckets is worthwhile only if many of them are removed. */
const remainingBuckets = 40_000

/** Allows each key `requestsPerSecond` on average and `burst` at once. */
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

  /** Removes full buckets, which are equal to new ones, and the oldest ones if that is not enough. */
  function makeRoom(time: number): void {
    for (const [key, bucket] of buckets) {
      fill(bucket, time)
      if (bucket.tokens >= burst) buckets.delete(key)
    }
    for (const key of buckets.keys()) {
      if (buckets.size <= remainingBuckets) return
      buckets.delete(key)
    }
  }

  return {
    consume(key) {
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

/** Counts one request; throws RateLimited if the limit of the key is reached. */
export function checkRateLimit(limit: RateLimit, key: string): void {
  const wait = limit.consume(key)
  if (wait > 0) throw new RateLimited(wait)
}
