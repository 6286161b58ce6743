import { describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { type Kind, newObject, type ObjectOf } from '../../../operator/api/kind.ts'
import { finalizer } from '../../../operator/api/names.ts'
import { type Cache, createCache } from '../../../operator/kube/cache/cache.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { createObjectWrites } from '../../../operator/kube/cache/object-writes.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'
import { removeFinalizer } from '../../../operator/kube/loop/finalizer.ts'
import { casesOf, fc } from '../../support/properties.ts'

type Stored = ObjectOf<Kind>

/** One object at an API server, and a cache that saw it. */
function serverOf(kind: Kind, metadata: object = {}) {
  const manifest = newObject(kind, { name: 'one', namespace: 'acme' }, { given: true })
  const server = {
    live: {
      ...manifest,
      metadata: {
        ...manifest.metadata,
        uid: 'first',
        resourceVersion: '1',
        creationTimestamp: '',
        ...metadata,
      },
    } as Stored | undefined,
    requests: [] as string[],
    /** Another client writes before a request. */
    before: (_request: number): void => {},
    change(metadata: object): void {
      if (!server.live) return
      const resourceVersion = String(Number(server.live.metadata.resourceVersion) + 1)
      server.live = { ...server.live, metadata: { ...server.live.metadata, resourceVersion, ...metadata } }
    },
  }
  const known = server.live as Stored
  const cache = createCache<Stored>({}, (error) => {
    throw error
  })
  cache.set(known)

  async function request(method: string, path: string, { body }: RequestOptions = {}) {
    server.requests.push(`${method}${path.endsWith('/status') ? ' status' : ''}`)
    server.before(server.requests.length)
    const { live } = server
    if (!live) throw new ApiError(404, 'NotFound', 'not found')
    if (method === 'GET') return live
    if (method === 'DELETE') {
      const { uid } = (body as { preconditions: { uid: string } }).preconditions
      if (uid !== live.metadata.uid) throw new ApiError(409, 'Conflict', 'another uid')
      server.live = undefined
      return {}
    }
    const { uid, resourceVersion, finalizers = [] } = (body as Stored).metadata
    if (method === 'PATCH' && resourceVersion === undefined && uid !== live.metadata.uid)
      throw new ApiError(422, 'Invalid', 'metadata.uid: field is immutable')
    if (uid !== live.metadata.uid || resourceVersion !== live.metadata.resourceVersion)
      throw new ApiError(409, 'Conflict', 'it has changed')
    if (!path.endsWith('/status')) server.change({ finalizers })
    else {
      server.change({})
      server.live = { ...(server.live ?? live), status: (body as Stored).status }
    }
    return server.live
  }
  const writes = createObjectWrites(
    { request, watch: () => [] as never, close: async () => {} },
    new Map([[kind.kind, cache as unknown as Cache]]),
  )
  const store = { get: (_: Kind, namespace: string, name: string) => cache.get(namespace, name) }
  return { server, known, cache, writes, cluster: { ...writes, store } as unknown as Cluster }
}

test('a status is written with one request', async () => {
  const { server, known, cache, writes } = serverOf(Environment)
  await writes.replaceStatus(Environment, known as ObjectOf<typeof Environment>, { observedGeneration: 1 })
  expect(server.requests).toEqual(['PUT status'])
  expect(cache.get('acme', 'one')?.status).toEqual({ observedGeneration: 1 })
})

test('a status is written for the newest version of the object that the cache knows', async () => {
  const { server, known, cache, writes } = serverOf(Environment)
  server.change({ annotations: { a: 'b' } })
  cache.set(server.live as Stored)
  await writes.replaceStatus(Environment, known as ObjectOf<typeof Environment>, { observedGeneration: 1 })
  expect(server.requests).toEqual(['PUT status'])
})

test('however often others change the object, its status is written whole, or the loop is asked to begin again; one of another object is never written', async () => {
  const event = fc.constantFrom('nothing', 'change', 'replace', 'delete')
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (events) => {
      const { server, known, writes } = serverOf(Environment)
      server.before = (count) => {
        const next = events[count - 1]
        if (next === 'change') server.change({ annotations: { at: String(count) } })
        if (next === 'replace') server.change({ uid: 'second' })
        if (next === 'delete') server.live = undefined
      }
      const status = { observedGeneration: 7 }
      const written = await writes
        .replaceStatus(Environment, known as ObjectOf<typeof Environment>, status)
        .catch((error: unknown) => {
          // The loop reconciles again after these.
          expect([404, 409]).toContain((error as ApiError).status)
          return undefined
        })
      if (written) expect([server.live?.metadata.uid, server.live?.status]).toEqual(['first', status])
      else expect(server.live?.status).toBeUndefined()
      const isSame = !events.includes('replace') && !events.includes('delete')
      if (isSame && events.filter((each) => each === 'change').length < 5) expect(written).toBeDefined()
    }),
    { numRuns: casesOf(1000) },
  )
})

test('a status is tried five times when its object changes each time', async () => {
  const { server, known, writes } = serverOf(Environment)
  server.before = () => server.change({})
  const status = { observedGeneration: 1 }
  const written = writes.replaceStatus(Environment, known as ObjectOf<typeof Environment>, status)
  await expect(written).rejects.toMatchObject({ status: 409 })
  expect(server.requests.filter((each) => each === 'PUT status')).toHaveLength(5)
})

test('a status that was made from an earlier one, such as that from before a lost answer, is not written', async () => {
  const { server, known, cache, writes } = serverOf(Environment)
  const object = known as ObjectOf<typeof Environment>
  const lost = { observedGeneration: 1, lastDeploymentNumber: 7 }
  server.change({})
  server.live = { ...(server.live ?? known), status: lost }
  await expect(writes.replaceStatus(Environment, object, { observedGeneration: 1 })).rejects.toMatchObject({
    status: 409,
  })
  expect(server.live.status).toEqual(lost)
  // The next reconcile begins with it.
  expect(cache.get('acme', 'one')?.status).toEqual(lost)
})

test('a status of a history that a restore of etcd has ended does not prevent the next one', async () => {
  const { server, known, cache, writes } = serverOf(Environment)
  const restored = { ...known, status: { observedGeneration: 1 } }
  cache.set({
    ...restored,
    metadata: { ...known.metadata, resourceVersion: '9' },
    status: { lost: true },
  } as Stored)
  server.live = restored as Stored
  const status = { observedGeneration: 2 }
  await writes.replaceStatus(Environment, known as ObjectOf<typeof Environment>, status)
  expect(server.live.status).toEqual(status)
})

const deletionTimestamp = '2026-01-01T00:00:00Z'

test('a deletion is final, although a version that the cache never had is on its way', async () => {
  const { server, known, cache, writes } = serverOf(Environment)
  server.change({})
  const unknown = server.live as Stored
  expect(await writes.remove(Environment, known as Environment)).toBe(true)
  cache.set(unknown)
  expect(cache.get('acme', 'one')).toBeUndefined()
})

test('the last finalizer of a resource of the operator is removed by an update with no more than its spec', async () => {
  const { server, known, cache, cluster } = serverOf(ActiveResource, {
    finalizers: [finalizer],
    deletionTimestamp,
    labels: { a: 'b' },
  })
  await removeFinalizer(cluster, ActiveResource, known as ObjectOf<typeof ActiveResource>)
  expect(server.requests).toEqual(['PUT'])
  expect(cache.get('acme', 'one')).toBeUndefined()
})

test.each([
  ['has a finalizer of another client', ActiveResource, [finalizer, 'example.com/other']],
  ['is of a kind that people write', Environment, [finalizer]],
])('a finalizer is removed by a patch when the object %s', async (_, kind, finalizers) => {
  const { server, known, cluster } = serverOf(kind, { finalizers, deletionTimestamp, labels: { a: 'b' } })
  await removeFinalizer(cluster, kind as Kind, known)
  expect(server.requests).toEqual(['PATCH'])
  expect(server.live?.metadata.labels).toEqual({ a: 'b' })
})

test.each([
  ['is this one', (): void => {}, true, ['DELETE']],
  [
    'is gone',
    (server: { live: Stored | undefined }) => {
      server.live = undefined
    },
    true,
    ['DELETE'],
  ],
  [
    'belongs to another one',
    (server: { change(metadata: object): void }) => server.change({ uid: 'second' }),
    false,
    ['DELETE'],
  ],
])('a removal says whether the name %s', async (_, happen, isRemoved, requests) => {
  const { server, known, cache, writes } = serverOf(Environment)
  happen(server)
  expect(await writes.remove(Environment, known as ObjectOf<typeof Environment>)).toBe(isRemoved)
  expect([server.requests, cache.get('acme', 'one'), server.live?.metadata.uid]).toEqual([
    requests,
    undefined,
    isRemoved ? undefined : 'second',
  ])
})

test('a patch of an object whose name belongs to another one is a conflict, although the API server calls it invalid', async () => {
  const { server, known, writes } = serverOf(Environment)
  const patch = (metadata: object) => writes.patch(Environment, known, { metadata })
  await expect(patch({ uid: 'none' })).rejects.toMatchObject({ status: 422 })
  server.change({ uid: 'second' })
  await expect(patch({ uid: 'first' })).rejects.toMatchObject({ status: 409, reason: 'Conflict' })
  server.live = undefined
  await expect(patch({ uid: 'first' })).rejects.toMatchObject({ status: 404 })
})

test('a patch that is invalid says so, also when the object cannot be read then', async () => {
  const client = {
    async request(method: string) {
      if (method === 'PATCH') throw new ApiError(422, 'Invalid', 'a policy refuses it')
      throw new ApiError(403, 'Forbidden', 'cannot get')
    },
  } as unknown as KubeClient // all that a patch uses
  const writes = createObjectWrites(client, new Map())
  const known = { metadata: { namespace: 'acme', name: 'one', uid: 'first' } }
  await expect(writes.patch(Environment, known, {})).rejects.toThrow('a policy refuses it')
})

describe('a creation', () => {
  const wanted = newObject(
    Environment,
    { name: 'one', namespace: 'acme' },
    { applicationName: 'shop', typeName: 'dev' },
  )
  const stored = (spec: object) =>
    ({
      ...wanted,
      spec,
      metadata: { ...wanted.metadata, uid: 'u', resourceVersion: '5' },
    }) as unknown as Stored
  const [made, other] = [stored(wanted.spec), stored({ applicationName: 'blog' })]
  const none = new Error('socket hang up')
  const taken = new ApiError(409, 'AlreadyExists', 'it exists')
  const invalid = new ApiError(422, 'Invalid', 'a policy refuses it')
  const gone = new ApiError(404, 'NotFound', 'not found')

  test.each<
    [what: string, answers: (Stored | Error)[], expected: Stored | Error, cached: Stored | undefined]
  >([
    ['is in the cache', [made], made, made],
    ['that is refused is not repeated', [invalid], invalid, undefined],
    ['of a name that is taken shows what has the name', [taken, other], taken, other],
    ['without an answer is repeated', [none, made], made, made],
    ['without an answer that had succeeded is done', [none, taken, made], made, made],
    ['without an answer of a name that is taken', [none, taken, other], taken, other],
    ['without an answer of an object that is gone', [none, taken, gone], taken, undefined],
    ['without an answer that is refused then', [none, invalid], invalid, undefined],
    ['without any answer', [none, none], none, undefined],
  ])('%s', async (_, answers, expected, cached) => {
    const cache = createCache<Stored>({}, () => {})
    const left = [...answers]
    const client = {
      async request() {
        const answer = left.shift()
        if (answer instanceof Error) throw answer
        return answer
      },
    } as unknown as KubeClient // all that a creation uses
    const writes = createObjectWrites(client, new Map([['Environment', cache as unknown as Cache]]))
    const result = await writes.create(Environment, wanted).catch((error: unknown) => error)
    expect([result, cache.get('acme', 'one'), left]).toEqual([expected, cached, []])
  })
})

test('an object that waits for its finalizers is in the cache as one that is being deleted', async () => {
  const { known, cache } = serverOf(Environment)
  const metadata = { ...known.metadata, resourceVersion: '2', deletionTimestamp, finalizers: [finalizer] }
  const client = { request: async () => ({ ...known, metadata }) } as unknown as KubeClient // all that a removal uses
  const writes = createObjectWrites(client, new Map([['Environment', cache as unknown as Cache]]))
  expect(await writes.remove(Environment, known as Environment)).toBe(true)
  expect(cache.get('acme', 'one')?.metadata.deletionTimestamp).toBe(deletionTimestamp)
})

test('a removal that is refused keeps the object', async () => {
  const { known, cache } = serverOf(Environment)
  const refusal = new ApiError(403, 'Forbidden', 'cannot delete')
  const client = { request: () => Promise.reject(refusal) } as unknown as KubeClient // all that a removal uses
  const writes = createObjectWrites(client, new Map([['Environment', cache as unknown as Cache]]))
  await expect(writes.remove(Environment, known as Environment)).rejects.toBe(refusal)
  expect(cache.get('acme', 'one')).toBeDefined()
})
