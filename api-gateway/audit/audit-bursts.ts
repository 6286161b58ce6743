import type { Facts } from './audit.ts'

/** Refusals of callers who ask too often: a flood of them must not fill the log. */
export interface Bursts {
  /** The first refusal of a caller is told at once, those after it together at the end of the span. */
  take(key: string, at: string, facts: () => Facts): void
  /** Tells what is still to be told. */
  close(): void
}

interface Burst {
  /** The first refusal that was not told yet. */
  facts: Facts | undefined
  lastAt: string
  count: number
  readonly timer: NodeJS.Timeout
}

const maxBursts = 10_000

/** Tells at most two refusals of each key in a span, and with them how many there were. */
export function createBursts(tell: (facts: Facts) => void, spanMs: number): Bursts {
  const bursts = new Map<string, Burst>()

  function end(key: string): void {
    const { facts, lastAt, count, timer } = bursts.get(key) ?? {}
    clearTimeout(timer)
    bursts.delete(key)
    if (facts) tell({ ...facts, at: lastAt ?? facts.at, ...(count === 1 ? {} : { count }) })
  }

  function begin(key: string, at: string): void {
    for (const oldest of bursts.keys()) {
      if (bursts.size < maxBursts) break
      end(oldest)
    }
    const timer = setTimeout(() => {
      const { facts } = bursts.get(key) ?? {}
      end(key)
      if (facts) begin(key, at) // it may go on: what follows is not the first
    }, spanMs).unref()
    bursts.set(key, { facts: undefined, lastAt: at, count: 0, timer })
  }

  return {
    take(key, at, facts) {
      const burst = bursts.get(key)
      if (!burst) {
        begin(key, at)
        tell(facts())
        return
      }
      burst.facts ??= facts()
      burst.lastAt = at
      burst.count += 1
    },
    close() {
      for (const key of Array.from(bursts.keys())) end(key)
    },
  }
}
