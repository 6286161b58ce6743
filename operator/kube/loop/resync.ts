import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredObject } from '../../api/kind.ts'
import type { Cache } from '../cache/cache.ts'

/** Visits of objects that end with `stop`. */
export interface Resync {
  stop(): void
}

/** Objects are visited in steps of about this length, so that many cost few timers. */
const defaultStepMs = 1000

/**
 * Visits every object of a cache once in each interval, in case an event was lost. The first half of the interval is enough
 * for all of them, so that they do not come at once.
 */
export function startResync<T extends StoredObject>(
  cache: Pick<Cache<T>, 'all' | 'size'>,
  { intervalMs, stepMs = defaultStepMs }: { readonly intervalMs: number; readonly stepMs?: number },
  visit: (object: T) => void,
): Resync {
  const stopping = new AbortController()
  const { signal } = stopping
  let isVisiting = false

  async function visitAll(): Promise<void> {
    const perObjectMs = intervalMs / 2 / Math.max(1, cache.size)
    const inStep = Math.ceil(stepMs / perObjectMs)
    let count = 0
    for (const object of cache.all()) {
      visit(object)
      count += 1
      if (count % inStep === 0) await sleep(inStep * perObjectMs, undefined, { signal, ref: false })
    }
  }

  async function begin(): Promise<void> {
    // More objects may have come than the rest of the interval was enough for.
    if (isVisiting) return
    isVisiting = true
    try {
      await visitAll()
    } catch (error) {
      if (!signal.aborted) throw error
    }
    isVisiting = false
  }

  const timer = setInterval(() => void begin(), intervalMs)
  return {
    stop() {
      clearInterval(timer)
      stopping.abort()
    },
  }
}
