import type { AuditEntry } from './audit-record.ts'

/** Aggregates rate-limited requests, so that a flood of them does not fill the log. */
export interface Bursts {
  /** Records the first request of a key at once, and the following ones together at the end of the interval. */
  take(key: string, at: string, entry: () => AuditEntry): void
  /** Writes all pending records. */
  close(): void
}

interface Burst {
  /** The first request that is not recorded yet. */
  entry: AuditEntry | undefined
  lastAt: string
  count: number
  readonly timer: NodeJS.Timeout
}

const maxBursts = 10_000

/** Writes at most two records per key and interval; the second one contains the number of requests. */
export function createBursts(write: (entry: AuditEntry) => void, intervalMs: number): Bursts {
  const bursts = new Map<string, Burst>()

  function end(key: string): void {
    const { entry, lastAt, count, timer } = bursts.get(key) ?? {}
    clearTimeout(timer)
    bursts.delete(key)
    if (entry) write({ ...entry, at: lastAt ?? entry.at, count: count === 1 ? undefined : count })
  }

  function begin(key: string, at: string): void {
    for (const oldest of bursts.keys()) {
      if (bursts.size < maxBursts) break
      end(oldest)
    }
    const timer = setTimeout(() => {
      const { entry } = bursts.get(key) ?? {}
      end(key)
      if (entry) begin(key, at) // The flood may continue, so the next request is not a first one.
    }, intervalMs).unref()
    bursts.set(key, { entry: undefined, lastAt: at, count: 0, timer })
  }

  return {
    take(key, at, entry) {
      const burst = bursts.get(key)
      if (!burst) {
        begin(key, at)
        write(entry())
        return
      }
      burst.entry ??= entry()
      burst.lastAt = at
      burst.count += 1
    },
    close() {
      for (const key of Array.from(bursts.keys())) end(key)
    },
  }
}
