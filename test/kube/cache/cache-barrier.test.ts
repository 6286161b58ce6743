import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { createCache } from '../../../operator/kube/cache/cache.ts'
import { createCacheBarrier } from '../../../operator/kube/cache/cache-barrier.ts'
import { silentLog } from '../../../operator/log.ts'
import { storedMeta } from '../../support/builders.ts'

type Known = Readonly<Record<string, number>>

const object = (name: string, version: number) => ({
  apiVersion: 'quartermaster.dev/v1alpha1',
  kind: 'ResourceDefinition',
  metadata: storedMeta({ namespace: 'acme', name, resourceVersion: String(version) }),
})

/** A store that knows these versions, and an API server whose list has others. */
function setUp(known: Known, listed: Known, listVersion = 100, withinMs = 5000) {
  const cache = createCache({}, (error) => silentLog.error('', { error }))
  const empty = createCache({}, () => {})
  for (const [name, version] of Object.entries(known)) cache.set(object(name, version))
  const asked: string[] = []
  const answers = { listed, listVersion, delayMs: 0 }
  const client = {
    async request(_method: string, path: string) {
      asked.push(path.split('/').at(-1) ?? '')
      const items = path.endsWith('/resourcedefinitions')
        ? Object.entries(answers.listed).map(([name, version]) => object(name, version))
        : []
      await sleep(answers.delayMs)
      return {
        metadata: { resourceVersion: String(answers.listVersion) },
        items: items.length > 0 ? items : null,
      }
    },
  }
  const cacheOf = (kind: { kind: string }) => (kind === ResourceDefinition ? cache : empty)
  const parts = { client, store: { cacheOf } } as unknown as Parameters<typeof createCacheBarrier>[0] // all that is used
  return {
    cache,
    answers,
    asked,
    awaitCache: createCacheBarrier(parts, [ResourceDefinition, ResourceType], withinMs),
  }
}

test.each<[string, Known, Known]>([
  ['nothing', {}, {}],
  ['the same', { a: 5, b: 7 }, { a: 5, b: 7 }],
  ['a newer one', { a: 9 }, { a: 5 }],
  ['an object added after the list', { a: 5, b: 101 }, { a: 5 }],
])('who knows %s asks once', async (_, known, listed) => {
  const { awaitCache, asked } = setUp(known, listed)
  await awaitCache('acme')
  expect(asked).toEqual(['resourcedefinitions', 'resourcetypes'])
})

test.each<[string, Known, Known, (cache: ReturnType<typeof setUp>['cache']) => unknown]>([
  ['a new one', {}, { a: 5 }, (cache) => cache.set(object('a', 5))],
  ['a change', { a: 9 }, { a: 10 }, (cache) => cache.set(object('a', 10))],
  ['a deletion', { a: 9 }, {}, (cache) => cache.remove(object('a', 50))],
])('a caller waits until the cache has seen %s', async (_, known, listed, hear) => {
  const { awaitCache, cache, asked } = setUp(known, listed)
  let isDone = false
  const done = awaitCache('acme').then(() => {
    isDone = true
  })
  await eventually('the question', 5000, async () => asked.length === 2 || undefined)
  await sleep(20)
  cache.set(object('another', 60))
  await sleep(20)
  expect(isDone).toBe(false)
  hear(cache)
  await done
  expect(asked).toHaveLength(2)
})

test('an object that changes all the time is waited for once', async () => {
  const { awaitCache, cache, asked } = setUp({ a: 5 }, { a: 10 })
  let version = 5
  const timer = setInterval(() => cache.set(object('a', (version += 1))), 2)
  await awaitCache('acme')
  clearInterval(timer)
  expect(version).toBeGreaterThanOrEqual(10)
  expect(asked).toHaveLength(2)
})

test('an object deleted before it was seen is not waited for long', async () => {
  const { awaitCache, answers, asked } = setUp({}, { a: 5 })
  const done = awaitCache('acme')
  await eventually('the question', 5000, async () => asked.length === 2 || undefined)
  answers.listed = {}
  await done
  expect(asked).toHaveLength(3)
})

test('a caller without contact gives up for now, with the missing kind in its message', async () => {
  const { awaitCache } = setUp({}, { a: 5 }, 100, 50)
  await expect(awaitCache('acme')).rejects.toMatchObject({
    reason: 'CacheBehind',
    message: expect.stringContaining('ResourceDefinition'),
    retryAfterSeconds: 1,
  })
})

test('a caller that arrives during a check shares the next check, never the current one', async () => {
  const { awaitCache, asked, answers } = setUp({}, {})
  answers.delayMs = 20
  const all = [awaitCache('acme')]
  await sleep(5)
  for (let each = 0; each < 10; each += 1) all.push(awaitCache('acme'))
  all.push(awaitCache('globex'))
  await Promise.all(all)
  expect(asked).toHaveLength(2 * 3)
  await awaitCache('acme')
  expect(asked).toHaveLength(2 * 4)
})

test('a failed check fails for its own callers alone', async () => {
  const { awaitCache, answers } = setUp({}, { a: 5 }, 100, 10)
  const first = awaitCache('acme').catch(({ reason }) => reason)
  const second = awaitCache('acme')
  expect(await first).toBe('CacheBehind')
  answers.listed = {}
  await second
})
