import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { Kind, KubeObject } from '../../../operator/api/kind.ts'
import { createCache } from '../../../operator/kube/cache/cache.ts'
import { startReflector } from '../../../operator/kube/cache/reflector.ts'
import type { Reflector, ReflectorOptions } from '../../../operator/kube/cache/reflector-options.ts'
import { createStore } from '../../../operator/kube/cache/store.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, Query } from '../../../operator/kube/client/client.ts'
import { type LogFields, silentLog } from '../../../operator/log.ts'

const things = { apiVersion: 'v1', kind: 'Thing', plural: 'things', namespaced: true }
const ended = new AbortController()
let reflector: Reflector | undefined

afterEach(() => reflector?.stop())

function thing(name: string, resourceVersion: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { namespace: 'acme', name, uid: name, resourceVersion: String(resourceVersion) },
  }
}

const event = (type: string, object: object) => JSON.stringify({ type, object })
const endOfList = (resourceVersion: number) =>
  event('BOOKMARK', {
    metadata: {
      resourceVersion: String(resourceVersion),
      annotations: { 'k8s.io/initial-events-end': 'true' },
    },
  })

const unstreamed = new ApiError(422, 'Invalid', 'no streamed lists')

/** Plays one script for each watch, then keeps the last one open; an error is thrown instead of an answer. */
function reflect(
  scripts: readonly (readonly string[] | Error)[],
  pages: readonly object[] = [],
  options: ReflectorOptions = {},
) {
  const watches: Query[] = []
  const lists: Query[] = []
  const accepted: (string | undefined)[] = []
  const signals: (AbortSignal | undefined)[] = []
  const left = [...pages]
  const client: KubeClient = {
    request: async (_method, _path, { query = {}, accept } = {}) => {
      lists.push(query)
      accepted.push(accept)
      return left.shift()
    },
    async *watch(_, { query, signal, accept }) {
      accepted.push(accept)
      signals.push(signal)
      const script = scripts[watches.push(query) - 1]
      if (script instanceof Error) throw script
      if (script) yield* script
      if (watches.length >= scripts.length) await sleep(10_000, undefined, { signal })
    },
    close: async () => ended.abort(),
  }
  const cache = createCache({}, () => {})
  const changes: string[] = []
  cache.subscribe(({ before, after }) =>
    changes.push(`${(after ?? before)?.metadata.name} ${after ? 'is' : 'gone'}`),
  )
  reflector = startReflector(client, things, cache, silentLog, {
    pausesMs: { first: 5, most: 20 },
    ...options,
  })
  return { cache, changes, watches, lists, accepted, signals, synced: reflector.synced }
}

/** Until this holds. */
const until = (check: () => unknown) =>
  eventually('what is expected', 30_000, async () => {
    await check()
    return true
  })

const versions = (cache: { all(): Iterable<KubeObject> }) =>
  [...cache.all()].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)

describe('the first list', () => {
  test('is applied event by event, objects deleted during it included', async () => {
    const list = [
      event('ADDED', thing('a', 1)),
      event('ADDED', thing('b', 2)),
      event('MODIFIED', thing('a', 4)),
      event('DELETED', thing('b', 5)),
    ]
    const { cache, changes, synced } = reflect([[...list, endOfList(5)]])
    await synced
    expect(versions(cache)).toEqual(['a 4'])
    expect(changes).toEqual(['a is', 'b is', 'a is', 'b gone'])
  })

  test('gives other work a turn while it arrives in one piece', async () => {
    let turns = 0
    let isOver = false
    const countTurns = () => {
      turns += 1
      if (!isOver) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    const names = Array.from({ length: 50 }, (_, index) => `n-${index}`)
    const large = (name: string) => ({ ...thing(name, 1), data: 'x'.repeat(100_000) })
    const { cache, synced } = reflect([[...names.map((name) => event('ADDED', large(name))), endOfList(5)]])
    await synced
    isOver = true
    expect(cache.size).toBe(50)
    expect(turns).toBeGreaterThanOrEqual(16)
  })

  test('counts only when it is complete: an object of a broken list may be gone by then', async () => {
    const broken = [event('ADDED', thing('a', 1)), event('ADDED', thing('b', 2))]
    const complete = [event('ADDED', thing('a', 1)), event('ADDED', thing('c', 7)), endOfList(8)]
    const { cache, synced } = reflect([broken, complete])
    await synced
    expect(versions(cache)).toEqual(['a 1', 'c 7'])
  })

  test('is not over at a bookmark without the mark of its end', async () => {
    const bookmark = event('BOOKMARK', { metadata: { resourceVersion: '3' } })
    const list = [event('ADDED', thing('a', 1)), bookmark, event('ADDED', thing('b', 4)), endOfList(5)]
    const { cache, synced } = reflect([list])
    await synced
    expect(versions(cache)).toEqual(['a 1', 'b 4'])
  })

  test('has pages from an API server that cannot stream it', async () => {
    const pages = [
      { metadata: { resourceVersion: '7', continue: 'more' }, items: [thing('a', 1)] },
      // The API server writes null for an empty list of metadata.
      { metadata: { resourceVersion: '7', continue: 'still more' }, items: null },
      { metadata: { resourceVersion: '7' }, items: [thing('b', 2)] },
    ]
    const { cache, watches, lists, synced } = reflect([unstreamed, []], pages)
    await synced
    expect(versions(cache)).toEqual(['a 1', 'b 2'])
    expect(lists.map((query) => query['continue'])).toEqual([undefined, 'more', 'still more'])
    await until(() => expect(watches.at(-1)).toMatchObject({ resourceVersion: '7' }))
  })
})

test.each<[what: string, options: ReflectorOptions, expected: unknown]>([
  ['whole objects', {}, [undefined, undefined, undefined]],
  [
    'metadata, where that is enough',
    { metadataOnly: true },
    [/as=PartialObjectMetadata;/, /as=PartialObjectMetadataList;/, /as=PartialObjectMetadata;/].map((each) =>
      expect.stringMatching(each),
    ),
  ],
])('lists and watches are asked for %s', async (_, options, expected) => {
  const { accepted } = reflect([unstreamed, []], [{ metadata: { resourceVersion: '7' } }], options)
  await until(() => expect(accepted).toEqual(expected))
})

test('the end of it ends the open watch', async () => {
  const { signals, synced } = reflect([[endOfList(5)]])
  await synced
  expect(signals.map((each) => each?.aborted)).toEqual([false])
  reflector?.stop()
  expect(signals.map((each) => each?.aborted)).toEqual([true])
})

test('a list that failed is tried again for those who wait for it, however long the pause is', async () => {
  const pausesMs = { first: 3_600_000, most: 3_600_000 }
  const { cache } = reflect([new Error('reset'), [event('ADDED', thing('a', 4)), endOfList(5)]], [], {
    pausesMs,
  })
  await until(() => reflector?.waitForList(100))
  expect(versions(cache)).toEqual(['a 4'])
})

test('a list is read again from time to time, in case an event was lost', async () => {
  const lists = [
    [event('ADDED', thing('a', 4)), endOfList(5)],
    [event('ADDED', thing('b', 6)), endOfList(7)],
  ]
  const { cache, watches } = reflect([...lists, []], [], { relistMs: 0 })
  await until(() => expect(watches).toHaveLength(3))
  expect(versions(cache)).toEqual(['b 6'])
})

test('the store reflects a version when the watch has reported it, and none while it is listed', async () => {
  const kind = { ...things, kind: 'Thing', spec: {} } as unknown as Kind // a kind of the store
  const list = [event('ADDED', thing('a', 1)), endOfList(5)]
  const news = [event('MODIFIED', thing('a', 8)), event('BOOKMARK', thing('', 12))]
  const { synced } = reflect([[...list, ...news]])
  const store = createStore(
    new Map(),
    { namespaces: createCache({}, () => {}), quotas: createCache({}, () => {}) },
    [
      reflector as Reflector, // started
    ],
  )
  expect(store.reflects(kind, 1n)).toBe(false)
  await synced
  await until(() => expect(store.reflects(kind, 12n)).toBe(true))
  expect(store.reflects(kind, 5n)).toBe(true)
  expect(store.reflects(kind, 13n)).toBe(false)
})

describe('a right that is missing', () => {
  const refusal = new ApiError(403, 'Forbidden', 'cannot watch things')

  test('is asked for again, because it may be given', async () => {
    const { synced } = reflect([refusal, refusal, [endOfList(5)]])
    await synced
  })

  test('is an answer of the API server, without a line', async () => {
    const { watches } = reflect([refusal, refusal, []])
    await until(() => expect(watches).toHaveLength(3))
    expect(reflector?.unansweredMs()).toBeLessThan(reflector?.silentMs() ?? 0)
  })

  test('is the end of it where that may be, before the first list', async () => {
    const { watches, synced } = reflect([refusal, []], [], { failIfForbidden: true })
    await expect(synced).rejects.toBe(refusal)
    await sleep(50)
    expect(watches).toHaveLength(1)
  })

  test('is asked for again after the first list', async () => {
    const scripts = [[endOfList(5)], refusal, [event('ADDED', thing('a', 8)), endOfList(9)], []]
    const { cache, synced } = reflect(scripts, [], { failIfForbidden: true })
    await synced
    await until(() => expect(versions(cache)).toEqual(['a 8']))
    await reflector?.ensureAllowed()
  })

  test('is reported while it is missing', async () => {
    const refusals = Array.from({ length: 1000 }, () => refusal)
    const { synced } = reflect([[endOfList(5)], ...refusals], [], { failIfForbidden: true })
    await synced
    await until(() => expect(reflector?.ensureAllowed()).rejects.toBe(refusal))
  })

  const pausesMs = { first: 3_600_000, most: 3_600_000 }

  test('is used as soon as it is given, however long the pause between attempts is', async () => {
    const { watches } = reflect([refusal, refusal, [endOfList(9)]], [], { pausesMs })
    await until(() => expect(reflector?.ensureAllowed()).rejects.toBe(refusal))
    await reflector?.ensureAllowed()
    expect(watches).toHaveLength(3)
  })

  test('is asked for once by all callers of the same moment', async () => {
    const { watches } = reflect([refusal, refusal, refusal, refusal], [], { pausesMs })
    await until(() => expect(reflector?.ensureAllowed()).rejects.toBe(refusal))
    const before = watches.length
    await Promise.allSettled(Array.from({ length: 100 }, async () => reflector?.ensureAllowed()))
    expect(watches).toHaveLength(before + 1)
  })

  test('is not waited for after the end', async () => {
    reflect([refusal, refusal], [], { pausesMs })
    await until(() => expect(reflector?.ensureAllowed()).rejects.toBe(refusal))
    reflector?.stop()
    await expect(reflector?.ensureAllowed()).rejects.toBe(refusal)
  })
})

test('a watch continues from its last version, bookmarks included', async () => {
  const bookmark = event('BOOKMARK', { metadata: { resourceVersion: '9' } })
  const { cache, watches, synced } = reflect([[endOfList(5)], [event('ADDED', thing('a', 8)), bookmark], []])
  await synced
  await until(() => expect(watches).toHaveLength(3))
  expect(versions(cache)).toEqual(['a 8'])
  expect(watches.map(({ resourceVersion }) => resourceVersion)).toEqual([undefined, '5', '9'])
})

test.each<[rule: string, expired: readonly string[] | Error]>([
  ['as an answer', new ApiError(410, 'Expired', 'too old')],
  ['as an event', [event('ERROR', { code: 410, reason: 'Expired', message: 'too old' })]],
])('410 %s: a new list, and missing objects are deleted, notified once', async (_, expired) => {
  const list = [event('ADDED', thing('a', 1)), event('ADDED', thing('b', 2)), endOfList(5)]
  const again = [event('ADDED', thing('a', 1)), endOfList(20)]
  const { cache, changes, synced } = reflect([list, expired, again])
  await synced
  await until(() => expect(versions(cache)).toEqual(['a 1']))
  expect(changes).toEqual(['a is', 'b is', 'b gone'])
})

test('a list whose versions went backwards is read again and taken as it is: etcd was restored', async () => {
  const list = [event('ADDED', thing('a', 100)), endOfList(100)]
  const restored = [event('ADDED', thing('a', 50)), endOfList(60)]
  const expired = new ApiError(410, 'Expired', 'too old')
  const { cache, synced } = reflect([list, expired, restored, restored])
  await synced
  await until(() => expect(versions(cache)).toEqual(['a 50']))
})

test('so is a list that is newer than the last one, but older than what the watch has shown since', async () => {
  const list = [event('ADDED', thing('a', 90)), endOfList(100)]
  const news = [event('MODIFIED', thing('a', 200)), event('ADDED', thing('late', 210))]
  const restored = [event('ADDED', thing('a', 150)), endOfList(160)]
  const expired = new ApiError(410, 'Expired', 'too old')
  const { cache, synced } = reflect([[...list, ...news], expired, restored, restored])
  await synced
  await until(() => expect(versions(cache)).toEqual(['a 150']))
})

describe('after a restore of etcd whose versions do not go backwards, the cache is what the server has', () => {
  test.each<[rule: string, version: number]>([
    ['restored with --bump-revision', 1_000_000_060],
    ['with more writes since than were lost', 150],
  ])('%s', async (_, version) => {
    const first = [event('ADDED', thing('a', 50)), event('ADDED', thing('b', 40)), endOfList(60)]
    const lost = [event('MODIFIED', thing('a', 100)), event('DELETED', thing('b', 101))]
    const restored = [event('ADDED', thing('a', 50)), event('ADDED', thing('b', 40)), endOfList(version)]
    const expired = new ApiError(410, 'Expired', 'too old')
    const { cache, watches, synced } = reflect([[...first, ...lost], expired, restored, restored])
    await synced
    await until(() => expect(watches).toHaveLength(4))
    await until(() => expect(versions(cache).sort()).toEqual(['a 50', 'b 40']))
  })
})

test('a watch that ends as soon as it began is not asked for in a tight loop', async () => {
  const { watches, synced } = reflect([[endOfList(5)], ...Array.from({ length: 500 }, () => [])])
  await synced
  await sleep(300)
  expect(watches.length).toBeLessThan(60)
})

test('a quiet watch that breaks again and again, as behind a load balancer, soon continues each time', async () => {
  const watches: number[] = []
  const client: KubeClient = {
    request: async () => undefined,
    async *watch(_, { signal }) {
      yield ''
      if (watches.push(watches.length) === 1) yield endOfList(5)
      await sleep(40, undefined, { signal })
      throw new Error('read ECONNRESET')
    },
    close: async () => {},
  }
  reflector = startReflector(
    client,
    things,
    createCache({}, () => {}),
    silentLog,
    {
      pausesMs: { first: 50, most: 1_000_000, steady: 30 },
    },
  )
  // Pauses that double would last more than a minute by then.
  await until(() => expect(watches.length).toBeGreaterThan(12))
})

test('a first list that breaks again and again is asked for ever less often, and the log says so', async () => {
  let lists = 0
  const warnings: unknown[] = []
  const client: KubeClient = {
    request: async () => undefined,
    async *watch(_, { signal }) {
      lists += 1
      yield ''
      yield event('ADDED', thing('a', 1))
      await sleep(12, undefined, { signal })
      yield event('ERROR', { code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' })
    },
    close: async () => {},
  }
  const log = { ...silentLog, warn: (_: string, fields?: LogFields) => void warnings.push(fields) }
  reflector = startReflector(
    client,
    things,
    createCache({}, () => {}),
    log,
    {
      pausesMs: { first: 10, most: 1_000_000, steady: 10 },
    },
  )
  await sleep(2000)
  expect(lists).toBeLessThan(12)
  expect(warnings[0]).toMatchObject({ resource: 'things', cause: 'etcdserver: request timed out' })
})

test.each<[end: string, failIfForbidden: boolean]>([
  ['is refused', true],
  ['is stopped', false],
])('a reflector that %s leaves nothing in its cache', async (_, failIfForbidden) => {
  const client: KubeClient = {
    request: async () => undefined,
    async *watch() {
      yield ''
      throw new ApiError(403, 'Forbidden', 'things is forbidden')
    },
    close: async () => {},
  }
  const cache = createCache({}, () => {})
  const { subscribe } = cache
  let subscriptions = 0
  cache.subscribe = (handler) => {
    const unsubscribe = subscribe.call(cache, handler)
    subscriptions += 1
    return () => {
      unsubscribe()
      subscriptions -= 1
    }
  }
  const ending = startReflector(client, things, cache, silentLog, { failIfForbidden })
  expect(subscriptions).toBe(1)
  if (failIfForbidden) await ending.synced.catch(() => {})
  else ending.stop()
  await until(() => expect(subscriptions).toBe(0))
})
