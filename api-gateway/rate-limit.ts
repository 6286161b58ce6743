import { TokenBucket } from '../operator/domain/base/token-bucket.ts'
import { RateLimited } from './response/errors.ts'

/** Token buckets by key. */
export interface RateLimit {
  /** Consumes one token; returns the seconds to wait if the bucket is empty, otherwise 0. */
  consume(key: string): number
}

const maxBuckets = 50_000
/** The size after a cleanup, which is worth its time only when it removes many. */
const remainingBuckets = 40_000

/** Allows each key `requestsPerSecond` on average and `burst` at once. */
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
      if (buckets.size <= remainingBuckets) return
      buckets.delete(key)
    }
  }

  return {
    consume(key) {
      const time = now()
      if (!buckets.has(key) && buckets.size >= maxBuckets) makeRoom(time)
      const bucket = buckets.get(key) ?? new TokenBucket(limit, time)
      buckets.set(key, bucket)
      return Math.ceil(bucket.take(time) / 1000)
    },
  }
}

/** Counts one request; throws RateLimited if the limit of the key is reached. */
export function checkRateLimit(limit: RateLimit, key: string): void {
  const wait = limit.consume(key)
  if (wait > 0) throw new RateLimited(wait)
}
