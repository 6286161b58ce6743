import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { type Cluster, openCluster } from '../../../operator/kube/cache/cluster.ts'
import { stored } from '../../../operator/kube/cache/store.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { createClient, type KubeClient } from '../../../operator/kube/client/client.ts'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { pathOf, resourceOf } from '../../../operator/kube/client/resource.ts'
import { silentLog } from '../../../operator/log.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { connectionThrough, createNamespace, uniqueName } from './support.ts'

const shared = sharedCluster()
const namespace = uniqueName('client')
const sets = resourceOf(DeploymentSet)
const open: { close(): Promise<void> }[] = []
let proxy: FaultProxy

beforeAll(async () => {
  await createNamespace(shared.access, namespace)
  proxy = await startFaultProxy(shared.access)
})

afterEach(async () => {
  proxy.heal()
  await Promise.all(open.splice(0).map((each) => each.close()))
})

afterAll(() => proxy.close())

async function clientThroughProxy(connections?: number): Promise<KubeClient> {
  const client = createClient(await connectionThrough(proxy, shared.operatorKubeconfig), { connections })
  open.push(client)
  return client
}

async function clusterThroughProxy(idleMs?: number): Promise<Cluster> {
  const client = createClient(await connectionThrough(proxy, shared.operatorKubeconfig))
  const reflector = { idleMs, pausesMs: { first: 20, most: 100 } }
  const cluster = openCluster({ client, log: silentLog, kinds: [stored(DeploymentSet)], reflector })
  open.push(cluster)
  await cluster.ready
  return cluster
}

const setNamed = (name: string, modules = {}) =>
  newObject(DeploymentSet, { name, namespace }, { applicationName: 'shop', modules, shared: {} })
const createDirectly = (name: string) =>
  apiCall(shared.access, 'POST', pathOf(sets, namespace), setNamed(name))
const isCreation = (method: string) => method === 'POST'
const isWatch = (_: string, url: string) => url.includes('watch=true') && url.includes('deploymentsets')

describe('a client', () => {
  test('speaks to the API server itself with the identity of its kubeconfig', async () => {
    const client = createClient(await loadConnection({ kubeconfig: shared.operatorKubeconfig }))
    open.push(client)
    const answer = await client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    })
    const username = 'system:serviceaccount:quartermaster-system:quartermaster-operator'
    expect(answer).toMatchObject({ status: { userInfo: { username } } })
  })

  test('applies texts with any character as they are, although the API server reads them as YAML', async () => {
    const client = createClient(await loadConnection({ kubeconfig: shared.kubeconfigPath }))
    open.push(client)
    const codes = [...Array(0x1_00_00).keys()].filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
    const text = codes.map((code) => `a ${String.fromCharCode(code)} b`).join('')
    const body = setNamed('characters', { web: { [text.slice(700, 800)]: text, '😀': '\ud83d\ude00' } })
    const answer = await client.request('PATCH', pathOf(sets, namespace, 'characters'), {
      body,
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'test', force: true },
    })
    expect(answer).toMatchObject({ spec: body.spec })
  })

  test('reuses its connections: 200 requests open no more than it may have at once', async () => {
    const client = await clientThroughProxy(4)
    const before = proxy.connections
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => client.request('GET', pathOf(sets, namespace))))
    }
    expect(proxy.connections - before).toBeLessThanOrEqual(4)
  })

  test('waits for the time that a busy API server asks for', async () => {
    const client = await clientThroughProxy()
    proxy.inject(() => true, { kind: 'answer', status: 429, headers: { 'retry-after': '1' } })
    const begin = performance.now()
    expect(await client.request('GET', pathOf(sets, namespace))).toMatchObject({ kind: 'DeploymentSetList' })
    expect(performance.now() - begin).toBeGreaterThan(950)
  })

  test('waits for no hour, although the answer asks for it', async () => {
    const client = await clientThroughProxy()
    proxy.inject(() => true, { kind: 'answer', status: 429, headers: { 'retry-after': '3600' } })
    await expect(client.request('GET', pathOf(sets, namespace))).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 3600,
    })
  })

  test.each<[rule: string, status: number, body: object, expected: object]>([
    [
      'a refusal has the status and the reason of the API server',
      403,
      { reason: 'Forbidden' },
      { status: 403, reason: 'Forbidden' },
    ],
    ['one that is not a Status still has its status', 502, [], { status: 502, reason: 'Unknown' }],
    [
      '429 without a time is a refusal',
      429,
      { reason: 'TooManyRequests' },
      { status: 429, reason: 'TooManyRequests' },
    ],
  ])('%s', async (_, status, body, expected) => {
    const client = await clientThroughProxy()
    proxy.inject(() => true, { kind: 'answer', status, body })
    const error = await client.request('GET', pathOf(sets, namespace)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject(expected)
  })

  test('stops waiting for an answer that never arrives', async () => {
    const client = await clientThroughProxy()
    proxy.inject(() => true, { kind: 'freeze' })
    await expect(client.request('GET', pathOf(sets, namespace), { timeoutMs: 300 })).rejects.toThrow()
  })
})

describe('creating', () => {
  test.each(['resetAfter', 'resetBefore'] as const)(
    'without an answer (%s) returns the object, and creates one',
    async (kind) => {
      const cluster = await clusterThroughProxy()
      const name = uniqueName('lost')
      proxy.inject(isCreation, { kind })
      // An absent field may be undefined: it is not serialized.
      const created = await cluster.create(DeploymentSet, setNamed(name, { web: { image: undefined } }))
      expect(created.metadata.uid).toBeDefined()
      expect(cluster.store.get(DeploymentSet, namespace, name)?.metadata.uid).toBe(created.metadata.uid)
      expect(
        (await cluster.readAll(DeploymentSet, namespace)).filter(({ metadata }) => metadata.name === name),
      ).toHaveLength(1)
    },
  )

  test('does not adopt the object of another owner', async () => {
    const cluster = await clusterThroughProxy()
    const name = uniqueName('taken')
    await createDirectly(name)
    proxy.inject(isCreation, { kind: 'resetBefore' })
    await expect(cluster.create(DeploymentSet, setNamed(name, { other: {} }))).rejects.toMatchObject({
      reason: 'AlreadyExists',
    })
  })
})

describe('the store', () => {
  test('knows of a write as soon as it is answered', async () => {
    const cluster = await clusterThroughProxy()
    const name = uniqueName('own')
    const created = await cluster.create(DeploymentSet, setNamed(name))
    expect(cluster.store.get(DeploymentSet, namespace, name)?.metadata.uid).toBe(created.metadata.uid)
    await cluster.remove(DeploymentSet, created)
    expect(cluster.store.get(DeploymentSet, namespace, name)).toBeUndefined()
    await cluster.remove(DeploymentSet, created)
  })

  test('reconnects when a watch is silent, and loses nothing', async () => {
    const cluster = await clusterThroughProxy(600)
    proxy.silence(isWatch)
    const watches = proxy.requests.filter((each) => each.includes('deploymentsets?watch')).length
    const names = [uniqueName('silent'), uniqueName('silent')]
    for (const name of names) await createDirectly(name)
    await eventually(
      'the store has both',
      30_000,
      async () => names.every((name) => cluster.store.get(DeploymentSet, namespace, name)) || undefined,
    )
    expect(proxy.requests.filter((each) => each.includes('deploymentsets?watch')).length).toBeGreaterThan(
      watches,
    )
    expect(cluster.store.silentMs()).toBeLessThan(10_000)
  })

  test('gets its first list also when the first stream stays silent', async () => {
    proxy.inject(isWatch, { kind: 'freeze' })
    const name = uniqueName('first')
    await createDirectly(name)
    const cluster = await clusterThroughProxy(600)
    expect(cluster.store.get(DeploymentSet, namespace, name)).toBeDefined()
  })

  test('continues when a handler throws', async () => {
    const cluster = await clusterThroughProxy()
    cluster.store.cacheOf(DeploymentSet).subscribe(() => {
      throw new Error('broken handler')
    })
    for (const name of [uniqueName('after'), uniqueName('after')]) {
      await createDirectly(name)
      await eventually('the object is known', 30_000, async () =>
        cluster.store.get(DeploymentSet, namespace, name),
      )
    }
  })
})
