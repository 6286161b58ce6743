import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { ReconcileError, Stalled } from '../../../operator/domain/base/errors.ts'
import { ApiError, NoAnswer } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient } from '../../../operator/kube/client/client.ts'
import { openObjects } from '../../../operator/kube/objects/cluster-objects.ts'
import type { Objects } from '../../../operator/kube/objects/objects.ts'
import { silentLog } from '../../../operator/log.ts'

const reference = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'acme--shop--live', name: 'settings' }
const secret = { ...reference, kind: 'Secret' }
const user = 'system:serviceaccount:quartermaster-system:quartermaster-operator'

const endOfList = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } } },
}

/** As the authorizer words it. */
const lacking = (verb: string) =>
  `configmaps "settings" is forbidden: User "${user}" cannot ${verb} resource "configmaps" in API group "" in the namespace "acme--shop--live"`

/** A cluster that knows these kinds and answers every request for an object as the test says. */
function objectsOf(
  answer: (body: unknown) => unknown,
  discovery?: ApiError,
  options?: Parameters<typeof openObjects>[2],
): Objects {
  const client: KubeClient = {
    async request(_, path, options) {
      if (path !== '/api/v1') return answer(options?.body)
      if (discovery) throw discovery
      const kinds = ['ConfigMap', 'Secret', 'Namespace'].map((kind) => ({
        name: `${kind.toLowerCase()}s`,
        kind,
        namespaced: kind !== 'Namespace',
      }))
      return { resources: kinds }
    },
    // oxlint-disable-next-line eslint/require-yield -- refused before the first line
    async *watch() {
      answer(undefined)
    },
    close: async () => {},
  }
  return openObjects(client, silentLog, options)
}

function objectsRefusedWith(refusal: ApiError, discovery?: ApiError): Objects {
  return objectsOf(() => {
    throw refusal
  }, discovery)
}

const calls: Record<string, (objects: Objects, target: typeof reference) => Promise<unknown>> = {
  get: (objects, target) => objects.read(target),
  delete: (objects, target) => objects.remove(target, 'uid'),
  watch: (objects, target) => objects.watch(target),
  apply: (objects, { apiVersion, kind, namespace, name }) =>
    objects.apply({ apiVersion, kind, metadata: { namespace, name } }),
}

async function thrown(verb: string, refusal: ApiError, target = reference): Promise<unknown> {
  const objects = objectsRefusedWith(refusal)
  try {
    return await calls[verb]?.(objects, target).then(
      () => undefined,
      (error: unknown) => error,
    )
  } finally {
    objects.close()
  }
}

describe('the labels of the settings', () => {
  const namespaceLabels = { 'pod-security.kubernetes.io/enforce': 'baseline' }

  test.each<[what: string, kind: string, own: Record<string, string> | undefined, labels: unknown]>([
    ['are on a Namespace', 'Namespace', undefined, namespaceLabels],
    [
      'replace those of a definition, and keep its others',
      'Namespace',
      { 'pod-security.kubernetes.io/enforce': 'privileged', team: 'a' },
      { ...namespaceLabels, team: 'a' },
    ],
    ['are not on another object', 'ConfigMap', { team: 'a' }, { team: 'a' }],
  ])('%s', async (_, kind, labels, expected) => {
    const objects = objectsOf((body) => body, undefined, { namespaceLabels })
    const metadata = { name: 'one', ...(labels && { labels }) }
    const applied = await objects.apply({ apiVersion: 'v1', kind, metadata })
    objects.close()
    expect(applied.metadata.labels).toEqual(expected)
  })
})

describe.each(Object.keys(calls))('a request to %s an object', (verb) => {
  test('that the operator has no right to is Stalled, names the missing rule, and is repeated', async () => {
    const error = await thrown(verb, new ApiError(403, 'Forbidden', lacking(verb)))
    expect(error).toMatchObject({ reason: 'NotAllowed', retryAfterSeconds: expect.any(Number) })
    expect(error).toBeInstanceOf(Stalled)
    for (const part of [`let the operator ${verb}`, "'ConfigMap'", `cannot ${verb}`, 'resource "configmaps"'])
      expect((error as Stalled).message).toContain(part)
  })

  test('that admission refuses is no lack of a right: Stalled, Rejected, and repeated', async () => {
    const quota = 'configmaps "settings" is forbidden: exceeded quota: all, requested: configmaps=1'
    const error = await thrown(verb, new ApiError(403, 'Forbidden', quota))
    expect(error).toMatchObject({ reason: 'Rejected', retryAfterSeconds: expect.any(Number) })
    expect(error).toBeInstanceOf(Stalled)
  })

  test('whose refusal quotes a Secret does not quote it', async () => {
    const error = await thrown(verb, new ApiError(403, 'Forbidden', 'value canary is refused'), secret)
    expect((error as Stalled).message).not.toContain('canary')
  })

  test.each([
    ["ValidatingAdmissionPolicy 'team.labels'", " with binding 'all' denied request: canary has no label"],
    ['admission webhook "team.example.com"', ' denied the request: canary has no label'],
    ['admission webhook "team.example.com"', ' denied the request: canary cannot use resource "gpu"'],
  ])('that %s refuses names it, and its words unless they may quote a Secret', async (policy, words) => {
    const refusal = new ApiError(403, 'Forbidden', `secrets "login" is forbidden: ${policy}${words}`)
    expect(((await thrown(verb, refusal)) as Stalled).message).toContain(`${policy}${words}`)
    const { message } = (await thrown(verb, refusal, secret)) as Stalled
    expect([message.includes(`${policy} denies it`), message.includes('canary')]).toEqual([true, false])
  })

  test('whose refusal quotes many policies takes no time', async () => {
    const quoted = `${"ValidatingAdmissionPolicy 'x' ".repeat(15_000)}denied\n`
    const refusal = new ApiError(422, 'Invalid', `${quoted}admission webhook "y" denied the request`)
    const begin = performance.now()
    const { message } = (await thrown(verb, refusal, secret)) as Stalled
    expect(message).toContain('admission webhook "y" denies it')
    // The time grew with the square of their number: it took many seconds.
    expect(performance.now() - begin).toBeLessThan(1000)
  })

  test('that needs an admission webhook which does not answer names the object, and is tried again', async () => {
    const words = 'Internal error occurred: failed calling webhook "down.example.com"'
    const refusal = new ApiError(500, 'InternalError', `${words}: canary: connection refused`)
    const error = await thrown(verb, refusal)
    expect(error).toBeInstanceOf(ReconcileError)
    expect(error).toMatchObject({ reason: 'Rejected', message: expect.stringContaining(`'ConfigMap'`) })
    const { message } = (await thrown(verb, refusal, secret)) as ReconcileError
    expect([message.includes(words), message.includes('canary')]).toEqual([true, false])
  })
})

test('a request to apply an object that a terminating namespace refuses is tried again', async () => {
  const message = 'unable to create new content in namespace acme because it is being terminated'
  const refusal = new ApiError(403, 'Forbidden', message)
  expect(await thrown('apply', refusal)).toBe(refusal)
})

test.each<[what: string, message: string, thrown: object]>([
  ['another uid is a conflict: its object is gone', 'metadata.uid: Invalid value: "a"', { status: 409 }],
  ['another invalid value is rejected', 'spec.size: Invalid value: "a"', { reason: 'Rejected' }],
])('a request to apply an object with %s', async (_, message, expected) => {
  const refusal = new ApiError(422, 'Invalid', `ConfigMap "settings" is invalid: ${message}`)
  expect(await thrown('apply', refusal)).toMatchObject(expected)
})

describe.each([
  ['create typed patch object', '.data.pin: expected string, got &value.valueUnstructured{Value:12345}'],
  ['convert new object', 'unable to convert unstructured object: error decoding from json: 12345'],
])('a request to apply an object that is none of its kind: failed to %s', (what, detail) => {
  // Kubernetes answers so to applied objects; an update of the same content is answered 400.
  const refusal = new ApiError(500, 'InternalError', `failed to ${what} (acme/login; /v1): ${detail}`)

  test('is Stalled, Rejected, and repeated', async () => {
    const error = await thrown('apply', refusal)
    expect(error).toBeInstanceOf(Stalled)
    const message = expect.stringMatching(/'ConfigMap'.*12345/)
    expect(error).toMatchObject({ reason: 'Rejected', retryAfterSeconds: expect.any(Number), message })
  })

  test('does not quote a Secret', async () => {
    const { message } = (await thrown('apply', refusal, secret)) as Error
    expect(message).not.toContain('12345')
  })
})

test('a conversion webhook that fails during an apply may work at the next attempt', async () => {
  const message =
    'failed to convert old object: conversion webhook for example.com/v1, Kind=Widget failed: Post "https://widgets.acme.svc:443/"'
  const refusal = new ApiError(500, 'InternalError', message)
  expect(await thrown('apply', refusal)).toBe(refusal)
})

describe('a kind is served', () => {
  /** A cluster that serves the kind Route in these versions of its group, except in v3, and does not serve v5 yet. */
  function objectsWith(versions: readonly string[], asked: string[] = []): Objects {
    const group = '/apis/example.com'
    const client: KubeClient = {
      async request(_, path) {
        asked.push(path)
        const groupVersions = versions.map((each) => ({ groupVersion: `example.com/${each}` }))
        if (path === group && versions.length > 0) return { versions: groupVersions }
        if (!versions.some((each) => path === `${group}/${each}`) || path.endsWith('/v5'))
          throw new ApiError(404, 'NotFound', 'not found')
        return {
          resources: path.endsWith('/v3') ? [] : [{ name: 'routes', kind: 'Route', namespaced: true }],
        }
      },
      watch: () => {
        throw new Error('not expected')
      },
      close: async () => {},
    }
    return openObjects(client, silentLog)
  }

  test.each<[rule: string, versions: readonly string[], expected: string | undefined]>([
    ['in its version', ['v2', 'v1'], 'v1'],
    ['in the preferred one of other versions that have it', ['v3', 'v2', 'v4'], 'v2'],
    ['in none when no version has it', ['v3'], undefined],
    ['in none without its group', [], undefined],
  ])('%s', async (_, versions, expected) => {
    const served = await objectsWith(versions).served({ apiVersion: 'example.com/v1', kind: 'Route' })
    expect(served).toEqual(expected && { apiVersion: `example.com/${expected}`, kind: 'Route' })
  })

  test('in none, which many ask at the cost of one question', async () => {
    const asked: string[] = []
    const objects = objectsWith([], asked)
    for (let time = 0; time < 3; time++)
      expect(await objects.served({ apiVersion: 'example.com/v1', kind: 'Route' })).toBeUndefined()
    expect(asked).toEqual(['/apis/example.com/v1', '/apis/example.com'])
  })

  test.each([
    'apps/v1/deployments?watch=true&x=1',
    'apps/v1/deployments',
    'apps/v1?watch=true',
    'apps/v1#',
    '../api/v1',
    'apps/../v1',
    'apps/%2e%2e',
    './v1',
    'Apps/v1',
    'v1\r\nx: y',
    'v1\n',
    ' v1',
    '?watch=true/v1',
    '/',
  ])('in none for %j, which is no version, without a request', async (apiVersion) => {
    const asked: string[] = []
    const objects = objectsWith(['v1'], asked)
    expect(await objects.served({ apiVersion, kind: 'Route' })).toBeUndefined()
    const object = { apiVersion, kind: 'Route', metadata: { name: 'web' } }
    await expect(objects.placed(object, 'acme--shop--live')).rejects.toMatchObject({ reason: 'NotServed' })
    expect(asked).toEqual([])
  })

  test.each(['v1', 'apps/v1', 'networking.k8s.io/v1beta1', 'a.example-b.com/v1', '1a/v1-x'])(
    'after a question for %j, which is one',
    async (apiVersion) => {
      const asked: string[] = []
      await objectsWith([], asked).served({ apiVersion, kind: 'Route' })
      expect(asked[0]).toBe(`${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`)
    },
  )

  test('in a version that its group lists already, but the cluster does not serve yet', async () => {
    const served = objectsWith(['v5']).served({ apiVersion: 'example.com/v1', kind: 'Route' })
    await expect(served).rejects.toMatchObject({ reason: 'NotListed' })
  })
})

describe('a version that the cluster stops serving', () => {
  const group = '/apis/example.com'
  const route = { apiVersion: 'example.com/v1', kind: 'Route', namespace: 'acme--shop--live', name: 'web' }
  const metadata = { namespace: route.namespace, name: route.name, uid: 'uid-1' }

  /** A cluster that stores one object, and serves its kind in these versions, which the test may change. */
  function clusterWith(...versions: string[]) {
    const closed = Promise.withResolvers<void>()
    const cluster = { versions, watched: [] as string[], isStored: true, closed }
    const versionIn = (path: string) => path.split('/')[3] ?? ''
    const client: KubeClient = {
      async request(method, path) {
        if (path === group)
          return { versions: cluster.versions.map((each) => ({ groupVersion: `example.com/${each}` })) }
        const version = versionIn(path)
        if (!cluster.versions.includes(version))
          throw new ApiError(404, 'Unknown', `the API server answered 404 to ${method} ${path}`)
        if (path === `${group}/${version}`)
          return { resources: [{ name: 'routes', kind: 'Route', namespaced: true }] }
        if (method === 'DELETE') cluster.isStored = false
        return { apiVersion: `example.com/${version}`, kind: 'Route', metadata }
      },
      async *watch(path, { signal }) {
        const version = versionIn(path)
        cluster.watched.push(version)
        if (!cluster.versions.includes(version)) throw new ApiError(404, 'Unknown', 'it is not served')
        yield JSON.stringify({ type: 'ADDED', object: { metadata: { ...metadata, resourceVersion: '4' } } })
        yield JSON.stringify(endOfList)
        await Promise.race([sleep(60_000, undefined, { signal }), cluster.closed.promise])
      },
      close: async () => {},
    }
    return { cluster, objects: openObjects(client, silentLog, { pausesMs: { first: 1 } }) }
  }

  const requests: [verb: string, work: (objects: Objects, target: typeof route) => Promise<unknown>][] = [
    ['read', (objects, target) => objects.read(target)],
    ['remove', (objects, target) => objects.remove(target, 'uid-1')],
    ['apply', (objects, { apiVersion, kind }) => objects.apply({ apiVersion, kind, metadata })],
    ['create', (objects, { apiVersion, kind }) => objects.create({ apiVersion, kind, metadata })],
    ['merge', (objects, { apiVersion, kind }) => objects.merge({ apiVersion, kind, metadata })],
    ['list', (objects, target) => objects.readForeign(target, target.namespace)],
  ]

  test.each(requests)('says nothing about its objects: the next %s uses another one', async (_, work) => {
    const { cluster, objects } = clusterWith('v1', 'v2')
    await objects.watch(route)
    cluster.versions = ['v2']
    await expect(work(objects, route)).rejects.toMatchObject({ reason: 'NotListed' })
    expect(cluster.isStored).toBe(true)
    const served = await objects.served(route)
    expect(served?.apiVersion).toBe('example.com/v2')
    expect(await work(objects, { ...route, ...served })).toBeTruthy()
    objects.close()
  })

  test('ends its watch, after which its objects are looked for in another one', async () => {
    const { cluster, objects } = clusterWith('v1', 'v2')
    await objects.watch(route)
    const gone = Promise.withResolvers<KubeObject>()
    objects.onChange((object, isGone) => isGone && gone.resolve(object))
    cluster.versions = ['v2']
    cluster.closed.resolve()
    expect(await gone.promise).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Route', metadata })
    const tries = cluster.watched.length
    const served = await objects.served(route)
    expect(served?.apiVersion).toBe('example.com/v2')
    await objects.watch(served ?? route)
    expect(cluster.watched.slice(tries)).toEqual(['v2'])
    objects.close()
  })

  test('and then serves again is discovered and watched again', async () => {
    const { cluster, objects } = clusterWith('v1', 'v2')
    for (const versions of [['v1'], ['v2'], ['v1']]) {
      cluster.versions = versions
      await objects.read({ ...route, ...(await objects.served(route)) }).catch(() => {})
      const served = await objects.served(route)
      expect(served?.apiVersion).toBe(`example.com/${versions[0]}`)
      await objects.watch(served ?? route)
    }
    expect(cluster.watched).toEqual(['v1', 'v2', 'v1'])
    objects.close()
  })
})

test('a kind that the operator may not discover is Stalled, and names the path', async () => {
  const message = `forbidden: User "${user}" cannot get path "/api/v1"`
  const refusal = new ApiError(403, 'Forbidden', message)
  const error = await objectsRefusedWith(refusal, refusal)
    .read(reference)
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ reason: 'NotAllowed', message: expect.stringContaining('"/api/v1"') })
})

describe('a kind that the cluster does not list', () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget' }
  const notListed = { reason: 'NotListed', message: expect.stringContaining("'Widget'") }

  /** A cluster whose first list fails with the error, which the test may remove. */
  function clusterWith(error: Error | undefined, listMs?: number) {
    const cluster = { error, isSilent: false }
    const client: KubeClient = {
      async request(_, path) {
        if (cluster.error && path.includes('/namespaces/')) throw cluster.error
        return { resources: [{ name: 'widgets', kind: 'Widget', namespaced: true }] }
      },
      async *watch(_, { signal }) {
        if (cluster.error) throw cluster.error
        if (!cluster.isSilent) yield JSON.stringify(endOfList)
        await sleep(60_000, undefined, { signal })
      },
      close: async () => {},
    }
    return { cluster, objects: openObjects(client, silentLog, { listMs }) }
  }

  test.each([
    new ApiError(404, 'Unknown', 'the API server answered 404 to GET /apis/example.com/v1/widgets'),
    new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method'),
    new ApiError(500, 'InternalError', 'conversion webhook for example.com/v1, Kind=Widget failed'),
    new Error('read ECONNRESET'),
  ])('is named with the cause, and used as soon as it can be: %s', async (error) => {
    const { cluster, objects } = clusterWith(error)
    await expect(objects.watch(widget)).rejects.toMatchObject(notListed)
    await expect(objects.watch(widget)).rejects.toThrow(error.message)
    await expect(objects.readForeign(widget, 'acme')).rejects.toMatchObject(notListed)
    cluster.error = undefined
    expect((await objects.watch(widget)).size).toBe(0)
    objects.close()
  })

  test('is not waited for without end when the list does not end', async () => {
    const { cluster, objects } = clusterWith(undefined, 10)
    cluster.isSilent = true
    await expect(objects.watch(widget)).rejects.toMatchObject(notListed)
    objects.close()
  })

  test('is named when the API service of its group is down', async () => {
    const down = new ApiError(
      503,
      'ServiceUnavailable',
      'the server is currently unable to handle the request',
    )
    const watching = objectsRefusedWith(down, down).watch(reference)
    await expect(watching).rejects.toMatchObject({
      ...notListed,
      message: expect.stringContaining(down.message),
    })
  })
})

describe('an applied Secret', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const number = { stringData: { port: 5432 } }
  test.each<[rule: string, given: FreeForm, sent: FreeForm]>([
    [
      'has its texts among its data, where the cluster removes a key that is no longer given',
      { type: 'Opaque', stringData: { user: 'é' } },
      { type: 'Opaque', data: { user: base64('é') } },
    ],
    [
      'has both, of which a text wins',
      { data: { user: base64('old'), token: base64('t') }, stringData: { user: 'new' } },
      { data: { user: base64('new'), token: base64('t') } },
    ],
    ['has its data as they are', { data: { user: base64('u') } }, { data: { user: base64('u') } }],
    ['is left to the cluster to refuse when it is malformed', number, number],
  ])('%s', async (_, given, sent) => {
    expect(await appliedBody({ kind: 'Secret', ...given })).toEqual({ kind: 'Secret', ...sent })
  })

  test('is of the core group', async () => {
    const given = { kind: 'ConfigMap', stringData: { user: 'u' } }
    expect(await appliedBody(given)).toEqual(given)
  })
})

/** The fields that the cluster receives when these are applied. */
async function appliedBody(fields: FreeForm & { readonly kind: string }): Promise<FreeForm> {
  const head = { apiVersion: 'v1', metadata: { namespace: 'acme--shop--live', name: 'login' } }
  const objects = objectsOf((body) => body)
  const { apiVersion: _, metadata: __, ...sent } = (await objects.apply({ ...head, ...fields })) as KubeObject
  objects.close()
  return sent as unknown as FreeForm // the object as it was sent
}

test('a kind that cannot be watched because the API server does not answer is not listed now', async () => {
  const client: KubeClient = {
    request: () => Promise.reject(new NoAnswer('no answer')),
    watch: () => {
      throw new Error('not expected')
    },
    close: async () => {},
  }
  const watching = openObjects(client, silentLog).watch({ apiVersion: 'v1', kind: 'ConfigMap' })
  await expect(watching).rejects.toMatchObject({ reason: 'NotListed' })
})

describe('the cache keeps of a labelled object what is read', () => {
  const labels = { 'quartermaster.dev/resource': 'a', 'app.kubernetes.io/managed-by': 'quartermaster' }
  const resource = { 'quartermaster.dev/active-resource': 'acme/a' }
  const long = 'x'.repeat(250_000)

  test.each<[what: string, annotations: Record<string, string>, kept: Record<string, string>]>([
    [
      'and no other annotation',
      { ...resource, 'quartermaster.dev/descriptor': 'd', long },
      { ...resource, 'quartermaster.dev/descriptor': 'd' },
    ],
    ['and no value that is too long for it', { ...resource, 'quartermaster.dev/descriptor': long }, resource],
  ])('%s', async (_, annotations, kept) => {
    const metadata = { name: 'settings', namespace: 'default', uid: 'u', resourceVersion: '4', generation: 2 }
    const forged = { metadata: { ...metadata, labels: { ...labels, more: 'x' }, annotations } }
    const expected = { ...metadata, labels, annotations: kept }
    const client: KubeClient = {
      async request() {
        return { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] }
      },
      async *watch(_, { signal }) {
        yield JSON.stringify({ type: 'ADDED', object: forged })
        yield JSON.stringify(endOfList)
        await sleep(60_000, undefined, { signal })
      },
      close: async () => {},
    }
    const objects = openObjects(client, silentLog)
    const changes: unknown[] = []
    objects.onChange(({ metadata }) => changes.push(metadata))
    const cache = await objects.watch(reference)
    expect(cache.get('default', 'settings')?.metadata).toEqual(expected)
    expect(changes).toEqual([expected])
    objects.close()
  })
})
