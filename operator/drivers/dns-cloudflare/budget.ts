import { setTimeout as sleepFor } from 'node:timers/promises'
import { limited } from './fault.ts'

/** Calls that a token may make, and how long it must rest. */
export interface Budget {
  /** Resolves when a call may be made; ApiFault('limited') when that takes too long. */
  take(key: string, signal?: AbortSignal): Promise<void>
  /** No call for so long, because the provider said so. */
  rest(key: string, seconds: number): void
  /** How long the token rests on; undefined when it does not. */
  restSeconds(key: string): number | undefined
}

/** Allows a burst and then a steady rate. */
export interface Bucket {
  /** Takes one and answers 0, or takes none and answers the milliseconds until there is one. */
  take(now: number): number
  isFull(now: number): boolean
}

/**
 * Four fifths of what the provider allows a token, 1,200 calls in 300 seconds, since others may use it too: in no 300
 * seconds are there more than 360 + 300 × 2 calls.
 */
export const budgetOfToken = { burst: 360, perSecond: 2 }

const longestWaitMs = 5000
const longestRestSeconds = 3600
const mostBuckets = 1000

interface BudgetSettings {
  /** Milliseconds that only grow. */
  readonly clock: () => number
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** A bucket that is full at first. */
export function createBucket(
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
  start: number,
): Bucket {
  let level = burst
  let at = start
  const refill = (now: number) => {
    level = Math.min(burst, level + (Math.max(0, now - at) / 1000) * perSecond)
    at = Math.max(at, now)
  }
  return {
    take(now) {
      refill(now)
      if (level < 1) return Math.ceil(((1 - level) / perSecond) * 1000)
      level -= 1
      return 0
    },
    isFull(now) {
      refill(now)
      return level >= burst
    },
  }
}

/**
 * The budgets of all tokens, by a key that tells nothing of the token. They live in this process: after a restart each
 * is full again, which the fifth that is left alone makes up for.
 */
export function createBudget({ clock, sleep = pause }: BudgetSettings): Budget {
  const buckets = new Map<string, Bucket>()
  const rests = new Map<string, number>()

  function bucketOf(key: string): Bucket {
    const known = buckets.get(key)
    if (known) return known
    if (buckets.size >= mostBuckets) {
      for (const [each, bucket] of buckets) if (bucket.isFull(clock())) buckets.delete(each)
    }
    const bucket = createBucket(budgetOfToken, clock())
    buckets.set(key, bucket)
    return bucket
  }

  function restSeconds(key: string): number | undefined {
    const seconds = Math.ceil(((rests.get(key) ?? 0) - clock()) / 1000)
    if (seconds > 0) return seconds
    rests.delete(key)
    return undefined
  }

  return {
    async take(key, signal) {
      const deadline = clock() + longestWaitMs
      for (;;) {
        signal?.throwIfAborted()
        const seconds = restSeconds(key)
        if (seconds !== undefined) throw limited(seconds)
        const wait = bucketOf(key).take(clock())
        if (wait === 0) return
        if (clock() + wait > deadline) throw limited(Math.ceil((wait + longestWaitMs) / 1000))
        await sleep(wait, signal)
      }
    },
    rest(key, seconds) {
      const until = clock() + Math.min(seconds, longestRestSeconds) * 1000
      rests.set(key, Math.max(until, rests.get(key) ?? 0))
    },
    restSeconds,
  }
}

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleepFor(milliseconds, undefined, signal ? { signal } : {})
}
