/** Bounds of the delay after a failure. */
export interface BackoffMs {
  readonly first: number
  readonly most: number
}

/** Counts failures in a row by key. */
export interface Backoff {
  /** Counts a failure and returns the failures in a row. */
  fail(key: string): number
  reset(key: string): void
  /** Milliseconds until the next attempt, with jitter, after this many attempts. */
  delayAfter(attempts: number): number
}

/** Exponential back-off from `first` to `most`. */
export function createBackoff({ first, most }: BackoffMs = { first: 500, most: 300_000 }): Backoff {
  const failures = new Map<string, number>()
  return {
    fail(key) {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      return count
    },
    reset(key) {
      failures.delete(key)
    },
    delayAfter: (attempts) =>
      Math.min(most, first * 2 ** Math.min(attempts - 1, 20)) * (0.75 + Math.random() / 2),
  }
}
