import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { Environment } from '../../operator/api/environment.ts'
import { type KubeObject, newObject } from '../../operator/api/kind.ts'
import { annotations, finalizer } from '../../operator/api/names.ts'
import { activeResourceController } from '../../operator/controllers/active-resource/active-resource.ts'
import { Removals } from '../../operator/controllers/active-resource/removals.ts'
import { removeResources } from '../../operator/controllers/environment-removal.ts'
import { ReconcileError, Stalled } from '../../operator/domain/base/errors.ts'
import type { Driver } from '../../operator/drivers/driver.ts'
import type { Objects } from '../../operator/kube/objects/objects.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { activeResource, driver, environmentOf } from '../support/builders.ts'
import { environmentOptions } from './support/environment-options.ts'
import { createOperatorWorld, type OperatorWorld, type Wanted } from './support/operator-world.ts'
import type { Death } from './support/process.ts'
import { resourceTools } from './support/resource-tools.ts'

const own = 'acme--shop--dev'
const elsewhere = 'elsewhere'
let world: OperatorWorld
let wantedNow: readonly Wanted[] = []
/** Ids of the instances that exist outside the cluster. */
let outside = new Set<string>()
/** Ids of the instances outside the cluster whose driver fails to deprovision them. */
let stuck = new Set<string>()
/** What is wrong when an instance outside the cluster is deprovisioned. */
let faults: string[] = []

const shortId = (resourceId: string) => resourceId.replace('shared.', '')

function objectOf(id: string, namespace: string, custom: unknown): KubeObject {
  const kind = custom
    ? { apiVersion: 'example.org/v1', kind: 'Bucket' }
    : { apiVersion: 'v1', kind: 'ConfigMap' }
  return { ...kind, metadata: { name: id, namespace } }
}

const makerOf = (name: string, remote: boolean): Driver => ({
  descriptor: driver(name, { remote }),
  async provision({ resourceId, namespace, values }) {
    const id = shortId(resourceId)
    if (remote) outside.add(id)
    const places = values.places ? [String(values.places)] : remote ? [] : [namespace]
    return {
      outputs: { values: { name: id }, secrets: {} },
      objects: places.map((each) => objectOf(id, each, values.custom)),
      reservedHosts: values.host ? [`${id}.example.test`] : [],
    }
  },
  async deprovision({ resourceId }) {
    const id = shortId(resourceId)
    if (stuck.has(id)) throw new ReconcileError('DeprovisionFailed', 'the driver answered 500')
    if (!remote || !outside.delete(id)) return
    const isThere = (each: string) => world.ids().includes(each) || world.objects.get('ConfigMap', each)
    for (const each of wantedNow) {
      if (dependsOn(each.id, id) && isThere(each.id)) faults.push(`dependent ${each.id} outlives ${id}`)
      if (dependsOn(id, each.id) && !isWhole(each)) faults.push(`${each.id} is gone before ${id}`)
    }
  },
})

/** Whether the resource and its object exist, and no terminating namespace takes the object away. */
function isWhole({ id, driver: name }: Wanted): boolean {
  if (!world.ids().includes(id)) return false
  if (name === 'remote') return outside.has(id)
  const object = world.objects.get('ConfigMap', id)
  const namespace = world.objects.get('Namespace', object?.metadata.namespace ?? '')
  return object !== undefined && !namespace?.metadata.deletionTimestamp
}

function dependsOn(id: string, other: string): boolean {
  const direct = wantedNow.find((each) => each.id === id)?.dependsOn ?? []
  return direct.includes(other) || direct.some((each) => dependsOn(each, other))
}

async function deployed(wanted: readonly Wanted[], mostTogetherMs?: number): Promise<OperatorWorld> {
  world?.close()
  wantedNow = wanted
  outside = new Set()
  stuck = new Set()
  faults = []
  const drivers = [makerOf('maker', false), makerOf('remote', true)]
  world = createOperatorWorld(drivers, { mostTogetherMs, unlistedMs: 1 })
  world.objects.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } })
  world.fake.store.cacheOf(ActiveResource).subscribe(({ before, after }) => {
    const id = shortId(before?.spec.resourceId ?? '')
    if (after || !before?.status?.reservedHosts?.length) return
    // Its host is free for other organizations now.
    if (world.objects.get('ConfigMap', id)) faults.push(`the object of ${id} outlives its reservation`)
  })
  world.start()
  world.deploy('first', wanted)
  expect(await world.hasSucceeded('first')).toBe(true)
  world.log.length = 0
  return world
}

/** Begins a deployment whose first write of a resource takes until the operator has sent this request. */
async function deployingUntil(request: string): Promise<void> {
  const { create } = world.fake
  let isWriting = false
  world.fake.create = async (kind, object) => {
    if (kind.kind === ActiveResource.kind) {
      isWriting = true
      await world.until(() => world.log.includes(request))
    }
    return create(kind, object)
  }
  world.deploy('second', [...wantedNow, { id: 'slow', driver: 'remote' }])
  await world.until(() => isWriting)
}

/** Resources without cycles, some outside the cluster, some with their object in a namespace of others. */
const graphs = fc
  .array(
    fc.tuple(fc.array(fc.nat(), { maxLength: 3 }), fc.constantFrom('maker', 'host', 'remote', elsewhere)),
    {
      minLength: 1,
      maxLength: 10,
    },
  )
  .map((rows) =>
    rows.map(([row, what], index): Wanted => {
      const needs = new Set(index === 0 ? [] : row.map((each) => `r${each % index}`))
      if (what === 'remote') return { id: `r${index}`, dependsOn: [...needs], driver: what }
      const values = { host: what === 'host', ...(what === elsewhere ? { places: elsewhere } : {}) }
      return { id: `r${index}`, dependsOn: [...needs], driver: 'maker', values }
    }),
  )

const mixed: readonly Wanted[] = [
  { id: 'config' },
  { id: 'database', driver: 'remote', dependsOn: ['config'] },
  { id: 'workload', dependsOn: ['database'] },
  { id: 'other' },
  { id: 'site', values: { host: true } },
  { id: 'guest', values: { places: elsewhere } },
]

/** Resources that consist of objects in the namespace of the environment. */
const within: readonly Wanted[] = [
  { id: 'config' },
  { id: 'site', values: { host: true }, dependsOn: ['config'] },
  { id: 'workload', dependsOn: ['site'] },
]

/** Their deletion may last longer than the cluster waits before it deletes the objects of a namespace. */
const many: readonly Wanted[] = Array.from({ length: 1001 }, (_, index) => ({ id: `r${index}` }))

/** Two resources, which are deleted by name among a thousand others. */
const few: readonly Wanted[] = [{ id: 'config' }, { id: 'database', driver: 'remote', dependsOn: ['config'] }]

/** A thousand resources of another environment, which the operator leaves alone: they end without it. */
const strangers = Array.from({ length: 1000 }, (_, index) =>
  activeResource(
    { type: 's3', resourceId: `shared.stranger-${index}` },
    { environmentName: 'other.dev' },
    {
      name: `${index}`.padStart(40, '0'),
      uid: `stranger-${index}`,
      deletionTimestamp: '2026-02-01T00:00:00Z',
    },
  ),
)

function addStrangers(): void {
  for (const each of strangers) world.put(each)
}

/** Takes the strangers away. */
function expectDeletedByName(): void {
  for (const { metadata } of strangers) world.fake.drop(ActiveResource, metadata.namespace, metadata.name)
  expect(world.log.filter((each) => each === 'collection ActiveResource')).toEqual([])
  expect(world.log.filter((each) => each.startsWith('delete ActiveResource')).length).toBeGreaterThan(0)
}

const writesIn = (log: readonly string[]) =>
  log.filter(
    (each) => !/^(read|list|foreign) /.test(each) && !/ (Environment|EnvironmentDeployment) /.test(each),
  )

/** Nothing of the environment is left, in the cluster or outside. */
function expectNothingLeft(): void {
  expect(world.ids()).toEqual([])
  expect([...outside]).toEqual([])
  expect(world.objects.names()).toEqual([`Namespace ${elsewhere}`])
}

beforeEach(() => {
  faults = []
})
afterEach(() => world?.close())

describe('the deletion of an environment', () => {
  test('costs one write for each resource that consists of objects in its namespace, and no read', async () => {
    const wanted = Array.from({ length: 30 }, (_, index) => ({
      id: `r${index}`,
      dependsOn: index % 5 === 0 ? [] : [`r${index - 1}`],
      values: index % 3 === 0 ? { host: true } : {},
    }))
    await deployed(wanted)
    world.removeEnvironment()
    await world.untilGone()
    expectNothingLeft()
    const names = world.log.filter((each) => / ActiveResource [0-9a-f]{40}$/.test(each))
    expect(names).toHaveLength(wanted.length)
    expect(names.every((each) => each.startsWith('replace '))).toBe(true)
    expect(faults).toEqual([])
    const ofObjects = world.log.filter((each) => each.includes('ConfigMap'))
    expect(ofObjects).toEqual(['foreign ConfigMap', 'collection ConfigMap'])
    expect(writesIn(world.log).length).toBeLessThanOrEqual(wanted.length + 3)
  })

  test.each([
    ['before its resources, when all of them go with it', within, false, true],
    ['after its resources, while a deployment runs', within, true, false],
    ['after those that are removed alone', mixed, false, false],
    ['after its resources, when these are many', many, false, false],
  ])('deletes the namespace %s', async (_, wanted, isDeploying, isFirst) => {
    await deployed(wanted)
    if (isDeploying) await deployingUntil('collection ActiveResource')
    world.removeEnvironment()
    await world.untilGone()
    expectNothingLeft()
    const order = [`delete Namespace ${own}`, 'collection ActiveResource'].map((each) =>
      world.log.indexOf(each),
    )
    expect(order).not.toContain(-1)
    expect((order[0] ?? 0) < (order[1] ?? 0)).toBe(isFirst)
  })

  test('deletes the objects in its namespace without waiting for the cluster, if it may', async () => {
    for (const isAllowed of [true, false]) {
      await deployed(within)
      world.objects.refusesCollections = !isAllowed
      world.removeEnvironment()
      await world.untilGone()
      expectNothingLeft()
      expect(world.log).toContain('collection ConfigMap')
    }
  })

  test('removes dependents first where something is outside the cluster, and leaves nothing', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (wanted) => {
        await deployed(wanted)
        world.removeEnvironment()
        await world.untilGone()
        expect(faults).toEqual([])
        expectNothingLeft()
      }),
      { numRuns: 25, endOnFailure: true },
    )
  })

  test('keeps nothing but what cannot be deprovisioned and what that needs', async () => {
    const count = { stuck: 0, others: 0 }
    await fc.assert(
      fc.asyncProperty(graphs, async (wanted) => {
        await deployed(wanted, 1)
        stuck = new Set(wanted.filter((each) => each.driver === 'remote').map(({ id }) => id))
        const isKept = (id: string) => stuck.has(id) || [...stuck].some((each) => dependsOn(each, id))
        const kept = wanted.map(({ id }) => id).filter(isKept)
        world.removeEnvironment()
        await world.until(() => world.ids().length === kept.length)
        expect(world.ids().sort()).toEqual(kept.sort())
        count.stuck += stuck.size
        count.others += wanted.length - kept.length
        stuck = new Set()
        await world.untilGone()
        expect(faults).toEqual([])
        expectNothingLeft()
      }),
      { numRuns: 25, endOnFailure: true },
    )
    expect(count.stuck).toBeGreaterThan(0)
    expect(count.others).toBeGreaterThan(0)
  })

  test.each([
    ['lacks the right to watch', new Stalled('NotAllowed', 'no right')],
    ['cannot list', new ReconcileError('NotListed', 'conversion failed')],
  ])('keeps of a kind that the operator %s only the resource that records it', async (_, error) => {
    await deployed([{ id: 'bucket', values: { custom: true } }, { id: 'workload' }, { id: 'other' }], 1)
    world.objects.beforeWatch = (kind) => {
      if (kind === 'Bucket') throw error
    }
    world.start()
    world.removeEnvironment()
    await world.until(() => world.ids().length === 1)
    expect(world.ids()).toEqual(['bucket'])
    world.objects.beforeWatch = () => {}
    await world.untilGone()
    expectNothingLeft()
  })

  test('deletes objects in a namespace of others one by one', async () => {
    await deployed(mixed)
    world.objects.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'theirs', namespace: elsewhere },
    })
    world.removeEnvironment()
    await world.untilGone()
    expect(world.log).toContain('delete ConfigMap guest')
    expect(world.log).not.toContain('delete ConfigMap other')
    expect(world.objects.names().sort()).toEqual(['ConfigMap theirs', `Namespace ${elsewhere}`])
  })

  test('deletes an object of a custom kind before its resource is gone', async () => {
    await deployed([{ id: 'bucket', values: { custom: true } }])
    world.removeEnvironment()
    await world.untilGone()
    const order = ['delete Bucket bucket', `delete Namespace ${own}`].map((each) => world.log.indexOf(each))
    expect(order[0]).toBeGreaterThanOrEqual(0)
    expect(order[1]).toBeGreaterThan(order[0] ?? 0)
  })

  test('names the objects that no resource made before the namespace is deleted', async () => {
    await deployed(mixed)
    const theirs = { name: 'theirs', namespace: own }
    world.objects.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: theirs })
    const injected = { name: 'kube-root-ca.crt', namespace: own }
    world.objects.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: injected })
    world.removeEnvironment()
    await world.untilGone()
    const [event, ...others] = world.events
    expect(others).toEqual([])
    expect(event).toMatchObject({ reason: 'ForeignObjectsDeleted' })
    expect(event?.message).toContain("ConfigMap 'theirs'")
    expect(event?.message).not.toContain('kube-root-ca.crt')
    expect(event?.isNamespaceThere).toBe(true)
  })

  test('removes a resource whose deletion began before that of the environment', async () => {
    await deployed(mixed)
    world.removeResource('config')
    world.removeResource('other')
    world.removeEnvironment()
    await world.untilGone()
    expect(faults).toEqual([])
    expectNothingLeft()
  })
})

test('a resource that is written after the deletion began is removed too', async () => {
  await deployed(mixed)
  const [late] = world.resources()
  if (!late) throw new Error('the environment has no resources')
  world.removeEnvironment()
  await world.until(() => world.objects.get('Namespace', own)?.metadata.deletionTimestamp !== undefined)
  world.put({ ...late, metadata: { ...late.metadata, name: 'f'.repeat(40), uid: 'late' }, status: undefined })
  await world.untilGone()
  expectNothingLeft()
})

test('a resource of a late request is removed too, although one of its name was removed before', async () => {
  await deployed(mixed)
  const first = world.resources().find(({ spec }) => spec.resourceId === 'shared.workload')
  if (!first) throw new Error('the environment has no workload')
  world.removeEnvironment()
  await world.until(() => !world.ids().includes('workload'))
  const { deletionTimestamp: _, ...metadata } = first.metadata
  world.put({ ...first, metadata: { ...metadata, uid: 'late' }, status: undefined })
  await world.untilGone()
  expectNothingLeft()
})

test('a resource of a late request is removed too, although its environment is gone', async () => {
  await deployed(mixed)
  const [first] = world.resources()
  if (!first) throw new Error('the environment has no resource')
  world.removeEnvironment()
  await world.untilGone()
  const { deletionTimestamp: _, ...metadata } = first.metadata
  world.put({ ...first, metadata: { ...metadata, uid: 'late' }, status: undefined })
  await world.until(() => world.resources().length === 0)
  expectNothingLeft()
})

test('the end of an environment enqueues the resources that wait for it', () => {
  const cluster = createFakeCluster()
  const resource = cluster.put(ActiveResource, activeResource({ type: 's3', resourceId: 'a' }))
  cluster.put(Environment, environmentOf(resource))
  const { drivers, inventory } = resourceTools(cluster, [])
  const removals = new Removals({ store: cluster.store, drivers, inventory })
  const enqueued: string[] = []
  removals.onEnqueue((keys) => enqueued.push(...keys))
  cluster.drop(Environment, 'acme', resource.spec.environmentName)
  expect(enqueued).toEqual([`acme/${resource.metadata.name}`])
})

test('a resource that is gone before the decision about it keeps no environment', async () => {
  const cluster = createFakeCluster()
  const [environmentName, deletionTimestamp] = ['shop.dev', '2026-02-01T00:00:00Z']
  const spec = { applicationName: 'shop', typeName: 'development' }
  const environment = cluster.put(
    Environment,
    newObject(Environment, { namespace: 'acme', name: environmentName, deletionTimestamp }, spec),
  )
  const resource = cluster.put(ActiveResource, activeResource({ type: 's3', resourceId: 'a' }))
  const { drivers } = resourceTools(cluster, [makerOf('echo', false)])
  const removals = new Removals({
    store: cluster.store,
    drivers,
    inventory: {
      async objectsOf() {
        cluster.drop(ActiveResource, 'acme', resource.metadata.name)
        return [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: elsewhere, name: 'a' }]
      },
    },
  })
  await removals.decide(environment, [resource], { namespace: own, sawAll: () => true })
  expect(removals.hasAlone(environment)).toBe(false)
})

test.each<[rule: string, next: string, recorded: readonly string[], isAlone: boolean]>([
  ['in the cluster alone', 'maker', ['maker', 'maker'], false],
  ['outside the cluster', 'remote', ['remote'], true],
  ['outside, and an earlier one in the cluster', 'remote', ['maker', 'remote'], true],
  ['in the cluster, and an earlier one outside', 'maker', ['remote', 'maker'], true],
  ['in the cluster, and the next one outside', 'remote', ['maker'], true],
  ['in the cluster, and an earlier one of an unknown driver', 'maker', ['former', 'maker'], true],
])('a resource with an instance %s', async (_, next, recorded, isAlone) => {
  const cluster = createFakeCluster()
  const environment = cluster.put(
    Environment,
    newObject(
      Environment,
      { namespace: 'acme', name: 'shop.dev', deletionTimestamp: '2026-02-01T00:00:00Z' },
      { applicationName: 'shop', typeName: 'development' },
    ),
  )
  const definition = { definitionName: 's3', driverType: `quartermaster/${next}` }
  const instances = recorded.map((each) => ({ driverType: `quartermaster/${each}` }))
  const resource = cluster.put(ActiveResource, {
    ...activeResource({ type: 's3', resourceId: 'a' }, { definition }),
    status: { provisioned: instances.at(-1), predecessors: instances.slice(0, -1) },
  })
  const { drivers } = resourceTools(cluster, [makerOf('maker', false), makerOf('remote', true)])
  const inventory = {
    objectsOf: async () => [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: own, name: 'a' }],
  }
  const removals = new Removals({ store: cluster.store, drivers, inventory })
  await removals.decide(environment, [resource], { namespace: own, sawAll: () => true })
  expect(removals.hasAlone(environment)).toBe(isAlone)
})

const deletedAt = '2026-02-01T00:00:00Z'

test.each<[rule: string, what: 'environment' | 'organization' | 'resource', isLater: boolean]>([
  ['waits for dependents in a terminating environment', 'environment', true],
  ['waits for dependents in a terminating organization', 'organization', true],
  ['does not wait in an environment that stays', 'resource', false],
])('a resource whose dependents the cache does not know as deleted %s', async (_, what, isLater) => {
  const cluster = createFakeCluster()
  const deletion = (of: typeof what) => (what === of ? { deletionTimestamp: deletedAt } : {})
  const namespace = { name: 'acme', uid: 'acme', resourceVersion: '1', creationTimestamp: deletedAt }
  cluster.store.namespaces.set({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { ...namespace, ...deletion('organization') },
  })
  const environment = cluster.put(
    Environment,
    newObject(
      Environment,
      { namespace: 'acme', name: 'shop.dev', finalizers: [finalizer], ...deletion('environment') },
      { applicationName: 'shop', typeName: 'development' },
    ),
  )
  const first = cluster.put(
    ActiveResource,
    activeResource({ type: 's3', resourceId: 'a' }, {}, { deletionTimestamp: deletedAt }),
  )
  const dependsOn = [first.metadata.name]
  const second = cluster.put(
    ActiveResource,
    activeResource({ type: 'postgres', resourceId: 'b' }, { dependsOn }),
  )
  const tools = resourceTools(cluster, [makerOf('echo', true)])
  const removals = new Removals({ ...tools, store: cluster.store })
  await removals.decide(environment, [first, second], { namespace: own, sawAll: () => true })
  const { finalize } = activeResourceController({ ...tools, removals })
  const context = { report: async () => {}, releaseWorker: <T>(work: () => T) => work() }
  const end = finalize?.(first, context as unknown as Parameters<typeof finalize>[1]) // what a removal uses
  if (isLater) await expect(end).rejects.toMatchObject({ reason: 'DependentsRemain' })
  else await expect(end).resolves.toBeUndefined()
})

const madeNamespace = {
  metadata: { name: own, uid: 'made', annotations: { [annotations.environment]: 'acme/shop.dev' } },
}

/** Removes what is left of a terminating environment; `objects` answers for its namespace. */
async function removeRest(cluster: ReturnType<typeof createFakeCluster>, objects: object): Promise<void> {
  const name = 'shop.dev'
  const deletionTimestamp = '2026-02-01T00:00:00Z'
  const spec = { applicationName: 'shop', typeName: 'development' }
  const metadata = { namespace: 'acme', name, deletionTimestamp }
  const environment = cluster.put(Environment, newObject(Environment, metadata, spec))
  const { removals, log } = environmentOptions(cluster)
  await removeResources(environment, {
    cluster,
    objects: objects as Objects, // what a removal asks for
    inventory: { foreignIn: async () => [] },
    removals,
    log,
    throwIfStopping: () => {},
  })
}

test('a namespace that the last resource made while the namespace was read is deleted too', async () => {
  const cluster = createFakeCluster()
  const resource = cluster.put(ActiveResource, activeResource({ type: 's3', resourceId: 'a' }))
  let reads = 0
  const removed: string[] = []
  const objects = {
    async read() {
      reads += 1
      if (reads > 1) return madeNamespace
      cluster.drop(ActiveResource, 'acme', resource.metadata.name)
      return undefined
    },
    async remove({ name }: { name: string }) {
      removed.push(name)
    },
  }
  await expect(removeRest(cluster, objects)).rejects.toMatchObject({ reason: 'NamespaceRemains' })
  expect(removed).toEqual([own])
})

test('an environment whose namespace the operator may not delete says so', async () => {
  const refusal = new Stalled('NotAllowed', 'may not delete namespaces')
  const objects = { read: async () => madeNamespace, remove: () => Promise.reject(refusal) }
  await expect(removeRest(createFakeCluster(), objects)).rejects.toBe(refusal)
})

const blocker = (type: string, message: string, status = 'True') => ({ type, status, message })

test.each<[what: string, namespace: object, blockers: string]>([
  [
    'content with finalizers',
    { conditions: [blocker('NamespaceFinalizersRemaining', 'acme.io/hold in 1 pod')] },
    ': acme.io/hold in 1 pod',
  ],
  [
    'nothing that kept it before',
    { conditions: [blocker('NamespaceFinalizersRemaining', 'acme.io/hold in 1 pod', 'False')] },
    '',
  ],
  [
    'a policy, and an API that is not served',
    {
      conditions: [
        blocker('NamespaceContentRemaining', '1 pod'),
        blocker('NamespaceDeletionContentFailure', 'denied the request: no'),
        blocker('NamespaceDeletionDiscoveryFailure', 'metrics is down'),
      ],
    },
    ': metrics is down; denied the request: no',
  ],
  ['pods that do not end', { conditions: [blocker('NamespaceContentRemaining', '1 pod')] }, ': 1 pod'],
  [
    'its own finalizers',
    { finalizers: ['example.com/a'], spec: { finalizers: ['kubernetes', 'example.com/b'] } },
    ': the namespace has finalizers: example.com/a, example.com/b',
  ],
])('an environment that waits for its namespace names %s', async (_, given, blockers) => {
  const { conditions = [], finalizers = [], spec = {} } = given as Record<string, unknown>
  const deletionTimestamp = '2026-02-01T00:00:00Z'
  const metadata = { ...madeNamespace.metadata, deletionTimestamp, finalizers }
  const objects = { read: async () => ({ metadata, spec, status: { conditions } }) }
  const message = `waiting for the namespace '${own}' to be deleted${blockers}`
  await expect(removeRest(createFakeCluster(), objects)).rejects.toMatchObject({ message })
})

test('a resource that is deleted alone takes its object with it, and the others stay', async () => {
  await deployed(mixed)
  world.removeResource('other')
  await world.until(() => !world.ids().includes('other'))
  expect(world.objects.get('ConfigMap', 'other')).toBeUndefined()
  expect(world.ids().sort()).toEqual(['config', 'database', 'guest', 'site', 'workload'])
})

describe.each(['before', 'after'] as const)(
  'a process that dies %s the server handles a request',
  (moment) => {
    test.each([
      ['of different resources', mixed],
      ['of resources that go with their namespace', within],
      ['of few resources in a large organization', few],
    ])('leaves a deletion %s that the next process completes in the right order', async (_, wanted) => {
      for (let at = 1, isKilled = true; isKilled; at += 1) {
        await deployed(wanted)
        if (wanted === few) addStrangers()
        const death: Death = { at, moment }
        const process = world.start(death)
        world.removeEnvironment()
        await world.untilGone()
        expect([at, faults]).toEqual([at, []])
        if (wanted === few) expectDeletedByName()
        expectNothingLeft()
        isKilled = !process.isAlive
      }
    })
  },
)
