import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { createCache } from '../../../operator/kube/cache/cache.ts'
import { startResync } from '../../../operator/kube/loop/resync.ts'
import { casesOf, fc } from '../../support/properties.ts'

function thing(name: string): StoredObject {
  const metadata = { namespace: 'acme', name, uid: name, resourceVersion: '1' }
  return { apiVersion: 'v1', kind: 'Thing', metadata } as StoredObject // as far as a cache reads it
}

function cacheOf(count: number) {
  const cache = createCache({}, () => {})
  for (let index = 0; index < count; index += 1) cache.set(thing(`n-${index}`))
  return cache
}

/** Resolves when the condition holds. */
const until = (holds: () => boolean) => eventually('the visits', 10_000, async () => holds() || undefined)

test('every object is visited once, however many there are, and few of them in one turn of the event loop', async () => {
  const law = fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), async (count) => {
    const [intervalMs, stepMs] = [60, 1]
    const visits = new Map<string, number>()
    let inTurn = 0
    let most = 0
    const resync = startResync(cacheOf(count), { intervalMs, stepMs }, (key) => {
      visits.set(key, (visits.get(key) ?? 0) + 1)
      if (inTurn === 0) setImmediate(() => (inTurn = 0))
      inTurn += 1
      most = Math.max(most, inTurn)
    })
    if (count === 0) await sleep(intervalMs * 1.5)
    await until(() => visits.size === count)
    resync.stop()
    expect([...visits.values()].every((each) => each <= 2)).toBe(true)
    // A thirtieth of the objects belongs to one step, and a late timer brings no more.
    expect(most).toBeLessThanOrEqual(Math.ceil(count / 30) + 1)
  })
  await fc.assert(law, { numRuns: Math.min(20, casesOf(20)) })
})

test('visits end with it', async () => {
  const visits: string[] = []
  const resync = startResync(cacheOf(1000), { intervalMs: 40, stepMs: 1 }, (key) => visits.push(key))
  await until(() => visits.length >= 500)
  resync.stop()
  const { length } = visits
  await sleep(100)
  expect(visits).toHaveLength(length)
})

test('every object has its turn, although others come as fast as objects are visited', async () => {
  const cache = cacheOf(50)
  const visits = new Map<string, number>()
  let count = 0
  const resync = startResync(cache, { intervalMs: 20, stepMs: 1 }, (key) => {
    visits.set(key, (visits.get(key) ?? 0) + 1)
    count += 1
    cache.set(thing(`late-${count}`))
    cache.remove(thing(`late-${count - 50}`))
  })
  const times = (index: number) => visits.get(`acme/n-${index}`) ?? 0
  await until(() => times(0) >= 5 && times(49) >= 5)
  resync.stop()
})
