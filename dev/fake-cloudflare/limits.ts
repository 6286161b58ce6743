/** What the account may use. */
export interface Limits {
  /** Calls of one token in one window. */
  requests: number
  windowSeconds: number
  /** Operations in one batch. */
  batch: number
  /** Characters of a comment. */
  comment: number
}

/** What is left to a token after a call. */
export interface Budget {
  readonly allowed: boolean
  readonly left: number
  /** Until the window ends. */
  readonly seconds: number
}

interface Usage {
  windowStart: number
  inWindow: number
  calls: number
  refused: number
  maximum: number
  /** Times of the calls within the sliding window, oldest first, from `head` on. */
  times: number[]
  head: number
}

export const defaultLimits: Readonly<Limits> = {
  requests: 1200,
  windowSeconds: 300,
  batch: 200,
  comment: 100,
}

export type Limiter = ReturnType<typeof createLimiter>

/** Counts the calls of each token; over the limit everything of it is refused until the window ends. */
export function createLimiter(limits: Limits, clock: () => number) {
  const usages = new Map<string, Usage>()

  function slide(usage: Usage, now: number): void {
    const begin = now - limits.windowSeconds * 1000
    while ((usage.times[usage.head] ?? Infinity) <= begin) usage.head += 1
    if (usage.head > 10_000) {
      usage.times = usage.times.slice(usage.head)
      usage.head = 0
    }
  }

  function budget(usage: Usage, now: number): Budget {
    const end = usage.windowStart + limits.windowSeconds * 1000
    return {
      allowed: usage.inWindow <= limits.requests,
      left: Math.max(0, limits.requests - usage.inWindow),
      seconds: Math.max(1, Math.ceil((end - now) / 1000)),
    }
  }

  return {
    /** The answer to a caller without a known token. */
    full: (): Budget => ({ allowed: true, left: limits.requests, seconds: limits.windowSeconds }),

    /** Counts one call. */
    spend(token: string): Budget {
      const now = clock()
      const usage = usages.get(token) ?? emptyUsage(now)
      usages.set(token, usage)
      if (now >= usage.windowStart + limits.windowSeconds * 1000) {
        usage.windowStart = now
        usage.inWindow = 0
      }
      usage.calls += 1
      usage.inWindow += 1
      usage.times.push(now)
      slide(usage, now)
      usage.maximum = Math.max(usage.maximum, usage.times.length - usage.head)
      const result = budget(usage, now)
      if (!result.allowed) usage.refused += 1
      return result
    },

    /** Of each token: its calls, those refused, and the most calls that fell into any sliding window. */
    usage: () =>
      [...usages].map(([token, usage]) => {
        const { calls, refused, maximum } = usage
        return { token, calls, refused, maximum, ...budget(usage, clock()) }
      }),

    clear: (): void => usages.clear(),
  }
}

/** The headers that every answer carries. */
export function limitHeaders(limits: Limits, { allowed, left, seconds }: Budget): Record<string, string> {
  return {
    Ratelimit: `"default";r=${left};t=${seconds}`,
    'Ratelimit-Policy': `"default";q=${limits.requests};w=${limits.windowSeconds}`,
    ...(allowed ? {} : { 'retry-after': String(seconds) }),
  }
}

function emptyUsage(now: number): Usage {
  return { windowStart: now, inWindow: 0, calls: 0, refused: 0, maximum: 0, times: [], head: 0 }
}
