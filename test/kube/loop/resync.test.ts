import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { createCache } from '../../../operator/kube/cache/cache.ts'
import { startResync } from '../../../operator/kube/loop/resync.ts'
import { casesOf, fc } from '../../support/properties.ts'

const intervalMs = 1_800_000

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }))
afterEach(() => void jest.useRealTimers())

/** Lets this time pass, and work run that other work waits for. */
async function advance(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 1000) {
    jest.advanceTimersByTime(Math.min(1000, left))
    await turn()
  }
}

function thing(name: string): StoredObject {
  const metadata = { namespace: 'acme', name, uid: name, resourceVersion: '1' }
  return { apiVersion: 'v1', kind: 'Thing', metadata } as StoredObject // as far as a cache reads it
}

function cacheOf(count: number) {
  const cache = createCache({}, () => {})
  for (let index = 0; index < count; index += 1) cache.set(thing(`n-${index}`))
  return cache
}

test('every object is visited once in each interval, in its first half, as many in each second', async () => {
  const law = fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), async (count) => {
    const visits = new Map<string, number>()
    const times: number[] = []
    const resync = startResync(cacheOf(count), intervalMs, (key) => {
      visits.set(key, (visits.get(key) ?? 0) + 1)
      times.push(Date.now())
    })
    await advance(intervalMs - 1)
    expect(visits.size).toBe(0)
    for (const round of [1, 2]) {
      await advance(intervalMs / 2 + 10_000)
      expect(visits.size).toBe(count)
      expect(new Set(visits.values())).toEqual(new Set(count === 0 ? [] : [round]))
      await advance(intervalMs / 2 - 10_000)
    }
    resync.stop()
    const atOnce = Map.groupBy(times, (time) => time)
    const most = Math.max(0, ...[...atOnce.values()].map(({ length }) => length))
    expect(most).toBeLessThanOrEqual(Math.ceil((count * 1000) / (intervalMs / 2)))
  })
  await fc.assert(law, { numRuns: Math.min(10, casesOf(10)) })
})

test('visits end with it', async () => {
  const visits: string[] = []
  const resync = startResync(cacheOf(1000), intervalMs, (key) => {
    visits.push(key)
    if (visits.length === 500) resync.stop()
  })
  await advance(3 * intervalMs)
  expect(visits).toHaveLength(500)
})

test('every object has its turn, although others come as fast as objects are visited', async () => {
  const cache = cacheOf(50)
  const visits = new Map<string, number>()
  let count = 0
  const resync = startResync(cache, intervalMs, (key) => {
    visits.set(key, (visits.get(key) ?? 0) + 1)
    count += 1
    cache.set(thing(`late-${count}`))
    cache.remove(thing(`late-${count - 50}`))
  })
  await advance(5.9 * intervalMs)
  resync.stop()
  for (let index = 0; index < 50; index += 1) expect(visits.get(`acme/n-${index}`)).toBe(5)
})
