import { setTimeout as sleepFor } from 'node:timers/promises'
import { TokenBuckets } from '../../domain/base/token-bucket.ts'
import { maxPauseSeconds, rateLimited } from './api-error.ts'

/** Limits the calls of each token, by a key that does not reveal the token. */
export interface RateLimiter {
  /** Resolves when a call is allowed; throws CloudflareError('rateLimited') when that takes too long. */
  take(key: string, signal?: AbortSignal): Promise<void>
  /** Allows no call for this long, as the provider asks. */
  pause(key: string, seconds: number): void
  /** How long the pause still lasts; undefined without one. */
  pausedSeconds(key: string): number | undefined
}

/**
 * Four fifths of the provider's limit of 1,200 calls in 300 seconds, since other clients may use the token too: at most
 * 360 + 300 × 2 calls in any 300 seconds.
 */
export const tokenLimit = { burst: 360, perSecond: 2 }

const maxWaitMs = 5000

interface RateLimiterOptions {
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** A rate limiter of this process; the fifth that it leaves unused allows for the full buckets after a restart. */
export function createRateLimiter({ clock, sleep = sleepUnlessAborted }: RateLimiterOptions): RateLimiter {
  const buckets = new TokenBuckets(tokenLimit)
  const pausedUntil = new Map<string, number>()

  function pausedSeconds(key: string): number | undefined {
    const seconds = Math.ceil(((pausedUntil.get(key) ?? 0) - clock()) / 1000)
    if (seconds > 0) return seconds
    pausedUntil.delete(key)
    return undefined
  }

  return {
    async take(key, signal) {
      const deadline = clock() + maxWaitMs
      for (;;) {
        signal?.throwIfAborted()
        const seconds = pausedSeconds(key)
        if (seconds !== undefined) throw rateLimited(seconds)
        const wait = buckets.take(key, clock())
        if (wait === 0) return
        if (clock() + wait > deadline) throw rateLimited(Math.ceil((wait + maxWaitMs) / 1000))
        await sleep(wait, signal)
      }
    },
    pause(key, seconds) {
      const until = clock() + Math.min(seconds, maxPauseSeconds) * 1000
      pausedUntil.set(key, Math.max(until, pausedUntil.get(key) ?? 0))
    },
    pausedSeconds,
  }
}

async function sleepUnlessAborted(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleepFor(milliseconds, undefined, { signal })
}
