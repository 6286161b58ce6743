import type { StoredObject } from '../../api/kind.ts'
import type { Cache } from '../cache/cache.ts'
import { keyOf } from '../client/resource.ts'
import { inTurns } from './pace.ts'

/** Visits of objects that end with `stop`. */
export interface Resync {
  stop(): void
}

/** Objects are visited in steps of about this length, so that many cost few timers. */
const stepMs = 1000

/**
 * Visits the key of every object of a cache once in each interval, in case an event was lost. The first half of the interval
 * is enough for all of them, so that they do not come at once. An object that comes meanwhile waits for the next interval:
 * where many come and go, the others must have their turn.
 */
export function startResync<T extends StoredObject>(
  cache: Pick<Cache<T>, 'all'>,
  intervalMs: number,
  visit: (key: string) => void,
): Resync {
  let step: NodeJS.Timeout | undefined
  let isVisiting = false
  let isStopped = false

  async function begin(): Promise<void> {
    // A busy process may be late with the visits of the last interval.
    if (isVisiting) return
    isVisiting = true
    const keys: string[] = []
    await inTurns(cache.all(), (object) => keys.push(keyOf(object)))
    const perObjectMs = intervalMs / 2 / Math.max(1, keys.length)
    visitFrom(keys.values(), { inStep: Math.ceil(stepMs / perObjectMs), perObjectMs })
  }

  function visitFrom(
    keys: Iterator<string>,
    pace: { readonly inStep: number; readonly perObjectMs: number },
  ): void {
    for (let left = pace.inStep; left > 0; left -= 1) {
      if (isStopped) return
      const next = keys.next()
      isVisiting = next.done !== true
      if (next.done) return
      visit(next.value)
    }
    step = setTimeout(() => visitFrom(keys, pace), pace.inStep * pace.perObjectMs).unref()
  }

  const timer = setInterval(() => void begin(), intervalMs)
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
      clearTimeout(step)
    },
  }
}
