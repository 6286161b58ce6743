import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { Registry } from '../../../operator/api/registry.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { watchesOf } from '../../../operator/controllers/active-resource/watches.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import type { Driver, ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { activeResource, driver, storedObject } from '../../support/builders.ts'
import { createWorld, type World } from '../support/world.ts'

const requests: ProvisionRequest[] = []
const canary = 'canary-of-a-password'

/** Makes a Deployment of the containers of a module. */
const renderer: Driver = {
  descriptor: driver('renderer'),
  async provision(request) {
    requests.push(request)
    const containers = Object.values((request.params as { spec: { containers: FreeForm } }).spec.containers)
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { template: { spec: { containers } } },
    }
    return { outputs: { values: {}, secrets: {} }, objects: [deployment] }
  },
  async deprovision() {},
}

function workload(image: string): ActiveResource {
  return workloadOf({ main: image })
}

function workloadOf(images: Readonly<Record<string, string>>): ActiveResource {
  const containers = Object.fromEntries(Object.entries(images).map(([name, image]) => [name, { image }]))
  return activeResource(
    { type: 'workload', resourceId: 'modules.web' },
    {
      definition: { definitionName: 'workload', driverType: 'quartermaster/renderer' },
      params: { spec: { containers } },
    },
  )
}

function podSpecOf(deployment: KubeObject | undefined): FreeForm {
  const { spec } = deployment as KubeObject & { spec: { template: { spec: FreeForm } } }
  return spec.template.spec
}
const ready = (
  status: 'True' | 'False',
  reason: Reason = status === 'True' ? 'Reconciled' : 'SecretNotFound',
) => ({
  observedGeneration: 1,
  conditions: [{ type: 'Ready', status, reason, message: '', lastTransitionTime: '' }],
})

let world: World

function putRegistry(
  name: string,
  registry: string,
  status: 'True' | 'False' = 'True',
  reason?: Reason,
  creationTimestamp = '2026-01-01T00:00:00Z',
): void {
  const spec = { registry, type: 'basic' as const, credentialsSecretName: `${name}-secret` }
  world.cluster.put(Registry, {
    ...storedObject(Registry, { name, generation: 1, creationTimestamp }, spec),
    status: ready(status, reason),
  })
  putSecret(name, canary)
}

function putSecret(registry: string, password: string): void {
  const data = { username: encoded('puller'), password: encoded(password) }
  const metadata = { name: `${registry}-secret`, namespace: 'acme' }
  world.objects.put({ apiVersion: 'v1', kind: 'Secret', metadata, data })
}
const encoded = (text: string) => Buffer.from(text).toString('base64')

function pullSecret(resource: ActiveResource): KubeObject | undefined {
  return world.objects.get('Secret', `${resource.metadata.name}-pull`)
}
function passwordsIn(secret: KubeObject | undefined): unknown {
  const text = (secret as { data?: Record<string, string> } | undefined)?.data?.['.dockerconfigjson'] ?? ''
  const { auths } = JSON.parse(Buffer.from(text, 'base64').toString()) as {
    auths: Record<string, { password: string }>
  }
  return Object.fromEntries(Object.entries(auths).map(([registry, { password }]) => [registry, password]))
}

beforeEach(() => {
  world = createWorld([renderer])
  requests.length = 0
})

describe('a workload with images of a registry', () => {
  test('gets a pull Secret with the credentials of that registry alone, and its pods name it', async () => {
    putRegistry('builds', 'r.test')
    putRegistry('other', 'other.test')
    const resource = world.put(workload('r.test/web:1'))
    expect(await world.reconcile(resource)).toBeUndefined()
    const secret = pullSecret(resource)
    expect(secret?.['type']).toBe('kubernetes.io/dockerconfigjson')
    expect(passwordsIn(secret)).toEqual({ 'r.test': canary })
    expect(world.objects.get('Deployment', 'web')?.['spec']).toMatchObject({
      template: { spec: { imagePullSecrets: [{ name: secret?.metadata.name }] } },
    })
  })

  test('has the credentials nowhere else', async () => {
    putRegistry('builds', 'r.test')
    const resource = world.put(workload('r.test/web:1'))
    await world.reconcile(resource)
    expect(requests).toHaveLength(1)
    // A keyed hash, which this world leaves readable.
    const { inputsHash: _, ...status } = world.statusOf(resource)
    const seen = JSON.stringify([requests, status, world.log])
    expect(seen).not.toContain(canary)
    expect(seen).not.toContain(encoded(canary))
  })

  test('has no password in an error of the cluster, which names the registry', async () => {
    putRegistry('builds', 'r.test')
    world.objects.before = ({ kind }) => {
      if (kind === 'Secret') throw new Stalled('Rejected', `r.test refuses '${canary}'`)
    }
    expect(String(await world.reconcile(world.put(workload('r.test/web:1'))))).toContain("r.test refuses '…'")
  })

  test('gets new credentials without a deployment', async () => {
    putRegistry('builds', 'r.test')
    const resource = world.put(workload('r.test/web:1'))
    await world.reconcile(resource)
    putSecret('builds', 'second')
    await world.reconcile(resource)
    expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': 'second' })
  })

  test.each<[rule: string, status: Registry['status']]>([
    ['a change of the registry is not observed yet', ready('True')],
    ['the registry is retried after an error', ready('False', 'Failed')],
  ])('keeps the pull Secret while %s, with the credentials that the registry names', async (_, status) => {
    putRegistry('builds', 'r.test')
    const resource = world.put(workload('r.test/web:1'))
    await world.reconcile(resource)
    const before = world.objects.get('Deployment', 'web')
    putSecret('changed', 'second')
    const spec = { registry: 'r.test', type: 'basic' as const, credentialsSecretName: 'changed-secret' }
    const changed = storedObject(Registry, { name: 'builds', generation: 2 }, spec)
    world.cluster.put(Registry, { ...changed, status })
    expect(await world.reconcile(resource)).toBeUndefined()
    expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': 'second' })
    expect(world.objects.get('Deployment', 'web')?.['spec']).toEqual(before?.['spec'])
  })

  describe('keeps its pods and its last credentials while the Secret of the registry', () => {
    const key = (name: string, text: string) => ({ [name]: encoded(text) })
    const replaced = (data: object) => () => {
      world.objects.delete('Secret', 'builds-secret')
      const metadata = { name: 'builds-secret', namespace: 'acme' }
      world.objects.put({ apiVersion: 'v1', kind: 'Secret', metadata, data })
    }
    const missing = () => world.objects.delete('Secret', 'builds-secret')
    const report = (reason: Reason) => {
      const { spec } = registryNamed('builds')
      const judged = { ...storedObject(Registry, { name: 'builds', generation: 1 }, spec) }
      world.cluster.put(Registry, { ...judged, status: ready('False', reason) })
    }
    const registryNamed = (name: string) => {
      const found = world.cluster.store.get(Registry, 'acme', name)
      if (!found) throw new Error(name)
      return found
    }

    test.each<[state: string, arrange: () => void, reason: Reason | undefined]>([
      ['is missing, before the registry says so', missing, undefined],
      ['is missing', missing, 'SecretNotFound'],
      ['has no password', replaced(key('username', 'puller')), 'InvalidSecret'],
      ['cannot be parsed', replaced(key('x.json', '{')), 'InvalidSecret'],
    ])('%s', async (_, arrange, reason) => {
      putRegistry('builds', 'r.test')
      putRegistry('shop', 'r.test/shop')
      const resource = world.put(workloadOf({ one: 'r.test/web:1', two: 'r.test/shop/web:1' }))
      await world.reconcile(resource)
      const before = world.objects.get('Deployment', 'web')
      arrange()
      if (reason) report(reason)
      // Nothing is called or written.
      expect(await world.reconcile(resource)).toBeUndefined()
      expect(requests).toHaveLength(1)
      // A deployment, and new credentials of another registry.
      putSecret('shop', 'second')
      const { spec } = workloadOf({ one: 'r.test/web:2', two: 'r.test/shop/web:1' })
      const metadata = { ...resource.metadata, generation: 2 }
      world.put({ ...resource, status: world.statusOf(resource), metadata, spec })
      expect(await world.reconcile(resource)).toBeUndefined()
      expect(requests).toHaveLength(2)
      expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': canary, 'r.test/shop': 'second' })
      expect(podSpecOf(world.objects.get('Deployment', 'web'))['imagePullSecrets']).toEqual(
        podSpecOf(before)['imagePullSecrets'],
      )
      // The Secret is there again.
      putSecret('builds', 'third')
      expect(await world.reconcile(resource)).toBeUndefined()
      expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': 'third', 'r.test/shop': 'second' })
    })

    test('is missing, also without its own pull Secret, which then has no credentials', async () => {
      putRegistry('builds', 'r.test')
      const resource = world.put(workload('r.test/web:1'))
      await world.reconcile(resource)
      const before = world.objects.get('Deployment', 'web')
      world.objects.delete('Secret', `${resource.metadata.name}-pull`)
      missing()
      expect(await world.reconcile(resource)).toBeUndefined()
      expect(passwordsIn(pullSecret(resource))).toEqual({})
      expect(podSpecOf(world.objects.get('Deployment', 'web'))).toEqual(podSpecOf(before))
    })

    test.each<[change: string, spec: Partial<Registry['spec']> | undefined]>([
      ['the registry is deleted', undefined],
      ['the registry becomes public', { type: 'public' }],
    ])('is missing, until %s', async (_, spec) => {
      putRegistry('builds', 'r.test')
      const resource = world.put(workload('r.test/web:1'))
      await world.reconcile(resource)
      missing()
      report('SecretNotFound')
      const registry = registryNamed('builds')
      if (spec) world.cluster.put(Registry, { ...registry, spec: { ...registry.spec, ...spec } })
      else world.cluster.drop(Registry, 'acme', 'builds')
      expect(await world.reconcile(resource)).toBeUndefined()
      expect(pullSecret(resource)).toBeUndefined()
      expect(podSpecOf(world.objects.get('Deployment', 'web'))).not.toHaveProperty('imagePullSecrets')
    })
  })

  describe('and of a part of it, whose Secret is missing from the beginning,', () => {
    const putPart = () => {
      putRegistry('shop', 'r.test/shop', 'False')
      world.objects.delete('Secret', 'shop-secret')
    }
    const image = 'r.test/shop/web:1'

    test('gets the credentials of the whole registry', async () => {
      putRegistry('builds', 'r.test')
      putPart()
      const resource = world.put(workload(image))
      await world.reconcile(resource)
      expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': canary })
    })

    test.each([
      ['alone', workload(image)],
      ['and others', workloadOf({ one: image, two: 'r.test/web:1' })],
    ])('follows those of the whole registry: images of the part %s', async (_, made) => {
      putRegistry('builds', 'r.test')
      const resource = world.put(made)
      await world.reconcile(resource)
      putPart()
      putSecret('builds', 'second')
      await world.reconcile(resource)
      expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': 'second' })
    })

    test('keeps nothing of a part whose registry is deleted', async () => {
      putRegistry('builds', 'r.test')
      putRegistry('shop', 'r.test/shop')
      const resource = world.put(workloadOf({ one: image, two: 'r.test/web:1' }))
      await world.reconcile(resource)
      world.objects.delete('Secret', 'builds-secret')
      world.cluster.drop(Registry, 'acme', 'shop')
      await world.reconcile(resource)
      expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': canary })
    })
  })

  test.each<Reason>(['SecretNotFound', 'Failed', 'Rejected'])(
    'has those of the registry that is ready, of two for the same address: the other is %s',
    async (reason) => {
      putRegistry('a-duplicate', 'r.test', 'False', reason)
      putSecret('a-duplicate', 'other')
      putRegistry('builds', 'r.test')
      const resource = world.put(workload('r.test/web:1'))
      await world.reconcile(resource)
      expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': canary })
    },
  )

  test('has those of the older registry, of two for the same address that the cluster refuses', async () => {
    putRegistry('a-duplicate', 'r.test', 'False', 'Rejected', '2026-01-02T00:00:00Z')
    putSecret('a-duplicate', 'other')
    putRegistry('builds', 'r.test', 'False', 'Rejected', '2026-01-01T00:00:00Z')
    const resource = world.put(workload('r.test/web:1'))
    await world.reconcile(resource)
    expect(passwordsIn(pullSecret(resource))).toEqual({ 'r.test': canary })
  })

  test('loses the pull Secret when the registry is gone', async () => {
    putRegistry('builds', 'r.test')
    const resource = world.put(workload('r.test/web:1'))
    await world.reconcile(resource)
    world.cluster.drop(Registry, 'acme', 'builds')
    await world.reconcile(resource)
    expect(pullSecret(resource)).toBeUndefined()
    expect(JSON.stringify(world.objects.get('Deployment', 'web')?.['spec'])).not.toContain('-pull')
  })
})

test.each<[rule: string, arrange: () => void]>([
  ['without a registry', () => {}],
  [
    'of a registry whose Secret is missing',
    () => {
      putRegistry('builds', 'r.test', 'False')
      world.objects.delete('Secret', 'builds-secret')
    },
  ],
  ['of another registry', () => putRegistry('other', 'other.test')],
])('a workload with images %s has no pull Secret', async (_, arrange) => {
  arrange()
  const resource = world.put(workload('r.test/web:1'))
  expect(await world.reconcile(resource)).toBeUndefined()
  expect(pullSecret(resource)).toBeUndefined()
})

test('a change of a registry enqueues the workloads of its organization', () => {
  const resource = world.put(workload('r.test/web:1'))
  world.put(activeResource({ type: 'dns', resourceId: 'shared.main' }))
  const enqueued: string[] = []
  for (const each of watchesOf(world.tools as Parameters<typeof watchesOf>[0]))
    each.subscribe((keys) => enqueued.push(...keys))
  putRegistry('builds', 'r.test')
  expect(enqueued).toEqual([`acme/${resource.metadata.name}`])
  // The cache keeps an equal spec. The credentials of a registry without its Secret stay, those of a duplicate do not.
  const registry = world.cluster.store.get(Registry, 'acme', 'builds') as Registry // put above
  const report = (reason: Reason) =>
    world.cluster.put(Registry, { ...registry, status: ready('False', reason) })
  report('SecretNotFound')
  enqueued.length = 0
  report('InvalidSecret')
  expect(enqueued).toEqual([])
  report('DuplicateRegistry')
  expect(enqueued).toEqual([`acme/${resource.metadata.name}`])
})
