import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredObject } from '../../api/kind.ts'
import type { Cache } from '../cache/cache.ts'
import { keyOf } from '../client/resource.ts'
import { inTurns } from './pace.ts'

/** Visits of objects that end with `stop`. */
export interface Resync {
  stop(): void
}

/** Objects are visited in steps of about this length, so that many cost few timers. */
const defaultStepMs = 1000

/**
 * Visits the key of every object of a cache once in each interval, in case an event was lost. The first half of the interval
 * is enough for all of them, so that they do not come at once. An object that comes meanwhile waits for the next interval:
 * where many come and go, the others must have their turn.
 */
export function startResync<T extends StoredObject>(
  cache: Pick<Cache<T>, 'all'>,
  { intervalMs, stepMs = defaultStepMs }: { readonly intervalMs: number; readonly stepMs?: number },
  visit: (key: string) => void,
): Resync {
  const stopping = new AbortController()
  const { signal } = stopping

  async function visitAll(): Promise<void> {
    const keys: string[] = []
    await inTurns(cache.all(), (object) => keys.push(keyOf(object)))
    const perObjectMs = intervalMs / 2 / Math.max(1, keys.length)
    const inStep = Math.ceil(stepMs / perObjectMs)
    for (const [index, key] of keys.entries()) {
      if (signal.aborted) return
      visit(key)
      if ((index + 1) % inStep === 0) await sleep(inStep * perObjectMs, undefined, { signal, ref: false })
    }
  }

  async function begin(): Promise<void> {
    try {
      await visitAll()
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  const timer = setInterval(() => void begin(), intervalMs)
  return {
    stop() {
      clearInterval(timer)
      stopping.abort()
    },
  }
}
