import { TokenBucket } from '../operator/domain/base/token-bucket.ts'
import { RateLimited } from './response/errors.ts'

/** A token bucket per key. */
export interface RateLimit {
  /** Takes one request; returns the seconds to wait, 0 when it is allowed. */
  take(key: string): number
}

const maxBuckets = 50_000
/** The size after a cleanup, which is worth its time only when it removes many. */
const keptBuckets = 40_000

/** Allows each key `requestsPerSecond` in the long run and `burst` at once. */
export function createRateLimit(
  { requestsPerSecond: perSecond, burst }: { readonly requestsPerSecond: number; readonly burst: number },
  now: () => number,
): RateLimit {
  const limit = { burst, perSecond }
  const buckets = new Map<string, TokenBucket>()

  /** Removes full buckets, which equal new ones, and then the oldest. */
  function makeRoom(time: number): void {
    for (const [key, bucket] of buckets) if (bucket.isFull(time)) buckets.delete(key)
    for (const key of buckets.keys()) {
      if (buckets.size <= keptBuckets) return
      buckets.delete(key)
    }
  }

  return {
    take(key) {
      const time = now()
      if (!buckets.has(key) && buckets.size >= maxBuckets) makeRoom(time)
      const bucket = buckets.get(key) ?? new TokenBucket(limit, time)
      buckets.set(key, bucket)
      return Math.ceil(bucket.take(time) / 1000)
    },
  }
}

/** Counts one request against the limit of `key`; throws when the limit is reached. */
export function take(limit: RateLimit, key: string): void {
  const wait = limit.take(key)
  if (wait > 0) throw new RateLimited(wait)
}
