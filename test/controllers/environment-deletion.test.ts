import { beforeEach, describe, expect, test } from '@jest/globals'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { AutomationRule } from '../../operator/api/automation-rule.ts'
import { Environment } from '../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { type Kind, newObject } from '../../operator/api/kind.ts'
import { annotations, finalizer } from '../../operator/api/names.ts'
import { SharedValue } from '../../operator/api/shared-value.ts'
import { environmentController } from '../../operator/controllers/environment.ts'
import { contextOf, environmentNamespace } from '../../operator/domain/resource/identity.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { activeResource, storedObject } from '../support/builders.ts'
import { silentContext } from './support/context.ts'
import { environmentOptions } from './support/environment-options.ts'
import { createFakeObjects, type FakeObjects } from './support/fake-objects.ts'
import { readsOf } from './support/reads.ts'

const namespace = 'acme'
const count = 200
const cluster = createFakeCluster()
/** Names that each list of resources answered. */
let lists: number[]
/** Kinds of the other lists. */
let contentLists: string[]
/** Names of resources that the watch has not reported yet. */
let hidden: readonly string[]
let collectionDeletions: number
let namespaceReads: number
let objects: FakeObjects
let controller: ReturnType<typeof environmentController>

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  lists = []
  contentLists = []
  hidden = []
  collectionDeletions = 0
  namespaceReads = 0
  objects = createFakeObjects()
  const door = objects.open()
  const counted = {
    ...door,
    read: (async (reference) => {
      namespaceReads += 1
      return door.read(reference)
    }) as typeof door.read,
  }
  const counting = {
    ...cluster,
    readNames: (async (...request) => {
      const names = await cluster.readNames(...request)
      if (request[0].kind === ActiveResource.kind) lists.push(names.length)
      else contentLists.push(request[0].kind)
      return names
    }) as typeof cluster.readNames,
    store: { ...cluster.store, reflects: () => hidden.length === 0 },
    removeCollection: (async (...request) => {
      collectionDeletions += 1
      return [...(await cluster.removeCollection(...request)), ...hidden]
    }) as typeof cluster.removeCollection,
  }
  const announcements = { notifyLast: async () => {} }
  controller = environmentController(counting, counted, announcements, environmentOptions(counting))
  for (let index = 0; index < count; index += 1) {
    const metadata = { namespace, name: `shop.e${index}`, deletionTimestamp: '2026-02-01T00:00:00Z' }
    cluster.put(
      Environment,
      newObject(Environment, metadata, { applicationName: 'shop', typeName: 'development' }),
    )
  }
})

function addNamespaceOf(environment: Environment): string {
  const name = environmentNamespace(contextOf(environment))
  const mark = `${namespace}/${environment.metadata.name}`
  objects.put({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations: { [annotations.environment]: mark }, finalizers: ['kubernetes'] },
  })
  return name
}

/** Lets the cluster end a namespace that is being deleted. */
function end(name: string): void {
  const { finalizers: _, ...metadata } = objects.get('Namespace', name)?.metadata ?? { name }
  objects.replaceMetadata('Namespace', name, metadata)
}

/** Runs the finalizers of all environments at once; the reasons of those that wait. */
async function finalizeAll(): Promise<unknown[]> {
  const ended = await Promise.allSettled(
    cluster.store
      .list(Environment, namespace)
      .map(async (each) => controller.finalize?.(each, silentContext())),
  )
  return ended.map((each) => (each.status === 'rejected' ? each.reason.reason : undefined))
}

/** Resources with a finalizer, which stay while their environment terminates. */
function addResources(inEach: number): void {
  for (const { metadata } of cluster.store.list(Environment, namespace))
    for (let index = 0; index < inEach; index += 1) {
      const resourceId = `${metadata.name}-${index}`
      const made = activeResource({ type: 's3', resourceId }, { environmentName: metadata.name })
      cluster.put(ActiveResource, { ...made, metadata: { ...made.metadata, finalizers: [finalizer] } })
    }
}

function dropAll(kind: typeof ActiveResource | typeof EnvironmentDeployment): void {
  for (const { metadata } of cluster.store.list<typeof kind>(kind, namespace))
    cluster.drop(kind, namespace, metadata.name)
}

const removed = Array(count).fill(undefined)
const waiting = Array(count).fill('ResourcesRemain')

/** Deletes all environments with so many resources each; their reasons to wait at the end. */
async function deleteAll(inEach: number): Promise<unknown[]> {
  addResources(inEach)
  expect(await finalizeAll()).toEqual(waiting)
  dropAll(ActiveResource)
  return finalizeAll()
}

describe.each([
  ['few resources, which are deleted by name', 1, 0],
  ['more resources, which are deleted together', 3, count],
])('an environment with %s', (_, inEach, collections) => {
  test('lists no resources when the API server surely has no others', async () => {
    expect(await deleteAll(inEach)).toEqual(removed)
    expect(collectionDeletions).toBe(collections)
    expect(lists).toEqual([])
  })

  test('lists its own when the API server may have others', async () => {
    hidden = ['unseen']
    expect(await deleteAll(inEach)).toEqual(removed)
    expect(lists).toEqual(Array(count).fill(0))
  })

  test('lists its own when a deployment was running, which may have written one more', async () => {
    for (const { metadata } of cluster.store.list(Environment, namespace)) {
      const { name } = metadata
      const spec = { environmentName: name }
      cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, { namespace, name }, spec))
    }
    addResources(inEach)
    expect(await finalizeAll()).toEqual(waiting)
    for (const kind of [ActiveResource, EnvironmentDeployment]) dropAll(kind)
    expect(await finalizeAll()).toEqual(removed)
    expect(lists).toEqual(Array(count).fill(0))
  })

  test('lists its own when another process has deleted its resources', async () => {
    addResources(inEach)
    for (const each of cluster.store.list(ActiveResource, namespace))
      await cluster.remove(ActiveResource, each)
    expect(await finalizeAll()).toEqual(waiting)
    dropAll(ActiveResource)
    expect(await finalizeAll()).toEqual(removed)
    expect(lists).toEqual(Array(count).fill(0))
  })
})

test('it reads its namespace once when nothing is left, also when its deployments take longer', async () => {
  const [environment] = cluster.store.list(Environment, namespace)
  if (!environment) throw new Error('there is none')
  const { name } = environment.metadata
  const spec = { environmentName: name }
  const metadata = { namespace, name, finalizers: [finalizer] }
  cluster.put(EnvironmentDeployment, newObject(EnvironmentDeployment, metadata, spec))
  const finalize = async () => controller.finalize?.(environment, silentContext())
  await expect(finalize()).rejects.toThrow('waiting for the deployments')
  namespaceReads = 0
  await expect(finalize()).rejects.toThrow('waiting for the deployments')
  expect(namespaceReads).toBe(0)
  const late = activeResource({ type: 's3', resourceId: 'late' }, spec)
  cluster.put(ActiveResource, { ...late, metadata: { ...late.metadata, finalizers: [finalizer] } })
  await expect(finalize()).rejects.toThrow('waiting for the resources')
  expect(namespaceReads).toBe(1)
})

test('it lists nothing while its namespace is being deleted, but once more afterwards', async () => {
  const names = cluster.store.list(Environment, namespace).map(addNamespaceOf)
  const waits = Array(count).fill('NamespaceRemains')
  expect(await finalizeAll()).toEqual(waits)
  expect(lists).toHaveLength(count)
  expect(await finalizeAll()).toEqual(waits)
  expect(lists).toHaveLength(count)
  for (const name of names) end(name)
  expect(await finalizeAll()).toEqual(removed)
  expect(lists).toHaveLength(2 * count)
})

test('an environment stays, and its namespace too, while the API server knows a resource of it that the cache does not', async () => {
  const [environment] = cluster.store.list(Environment, namespace)
  if (!environment) throw new Error('there is none')
  const name = addNamespaceOf(environment)
  const behind = { ...cluster, readNames: async () => ['unseen'] }
  controller = environmentController(
    behind,
    objects.open(),
    { notifyLast: async () => {} },
    environmentOptions(behind),
  )
  expect((await finalizeAll())[0]).toBe('ResourcesRemain')
  expect(objects.get('Namespace', name)?.metadata.deletionTimestamp).toBeUndefined()
})

describe('an environment stays while the API server may have a deployment to it that the cache does not have', () => {
  test.each([
    ['the watch is behind, and there is one', false, ['unseen'], 'DeploymentsRemain', 1],
    ['the watch is behind, and there is none', false, [], undefined, 1],
    ['the watch has come as far', true, ['unseen'], undefined, 0],
  ])('%s', async (_, isReflected, names, reason, lists) => {
    let asked = 0
    const readNames = async (kind: Kind) => {
      if (kind.kind !== EnvironmentDeployment.kind) return []
      asked += 1
      return names
    }
    const behind = { ...cluster, readNames, store: { ...cluster.store, reflects: () => isReflected } }
    controller = environmentController(
      behind,
      objects.open(),
      { notifyLast: async () => {} },
      environmentOptions(behind),
    )
    expect((await finalizeAll())[0]).toBe(reason)
    expect(asked).toBe(lists * count)
  })
})

test.each([
  ['a resource', ActiveResource],
  ['a deployment', EnvironmentDeployment],
  ['a value', SharedValue],
])(
  'an environment that has ended in the cluster leaves %s of a later one of its id',
  async (_, kind: Kind) => {
    const [environment] = cluster.store.list(Environment, namespace)
    if (!environment) throw new Error('there is none')
    const { name: environmentName } = environment.metadata
    const time = '2026-03-01T00:00:00Z'
    const ended = {
      ...environment,
      metadata: { ...environment.metadata, uid: 'ended', deletionTimestamp: time },
    }
    const { applicationId, environmentId } = contextOf(environment)
    const value = { applicationName: applicationId, environmentId, key: 'K', value: 'v' }
    const later: { readonly metadata: object; readonly spec: object } =
      kind === ActiveResource
        ? activeResource({ type: 's3', resourceId: 'later' }, { environmentName })
        : storedObject(kind, { namespace, name: 'later' }, { environmentName, ...value } as never) // as far as it is read
    const metadata = { ...later.metadata, name: 'later', creationTimestamp: time }
    cluster.put<Kind>(kind, { ...later, metadata } as never) // of the kind
    await expect(controller.finalize?.(ended, silentContext())).rejects.toMatchObject({ reason: 'Conflict' })
    expect(cluster.store.get(kind, namespace, 'later')?.metadata.deletionTimestamp).toBeUndefined()
    expect(collectionDeletions).toBe(0)
  },
)

describe('an environment leaves nothing to a later one of its id', () => {
  const [environmentId, other] = ['e0', 'e1']
  const contents: readonly [kind: Kind, spec: object][] = [
    [SharedValue, { key: 'COLOUR', value: 'blue' }],
    [AutomationRule, {}],
  ]
  test.each(contents.flatMap(([kind, spec]) => [false, true].map((isUnseen) => ({ kind, spec, isUnseen }))))(
    '$kind.kind, not in the cache: $isUnseen',
    async ({ kind, spec, isUnseen }) => {
      for (const [name, id] of [
        ['own', environmentId],
        ['other', other],
        ['common', undefined],
      ])
        if (id !== undefined || kind === SharedValue) {
          const all = { ...spec, applicationName: 'shop', ...(id ? { environmentId: id } : {}) }
          cluster.put<Kind>(kind, storedObject(kind, { namespace, name: name ?? '' }, all as never)) // of the kind
        }
      const { byIndex, list } = cluster.store
      const empty = (asked: Kind) => isUnseen && asked === kind
      const store = {
        ...cluster.store,
        byIndex: ((asked: Kind, ...of: [string, string]) =>
          empty(asked) ? [] : byIndex(asked, ...of)) as typeof byIndex,
      }
      const behind = { ...cluster, store }
      controller = environmentController(
        behind,
        objects.open(),
        { notifyLast: async () => {} },
        environmentOptions(behind),
      )
      const environment = cluster.store.get(Environment, namespace, `shop.${environmentId}`)
      if (!environment) throw new Error('there is none')
      await controller.finalize?.(environment, silentContext())
      const left = list(kind, namespace)
        .map(({ metadata }) => metadata.name)
        .sort()
      expect(left).toEqual(kind === SharedValue ? ['common', 'other'] : ['other'])
    },
  )

  test('shares the lists with others of its application', async () => {
    await deleteAll(1)
    expect(contentLists.length).toBeLessThan(count / 10)
  })
})

test('the end of a resource looks at no other resource of its environment', async () => {
  const environmentName = 'shop.e0'
  const enqueued: string[] = []
  for (const watch of controller.watches ?? []) watch.subscribe((keys) => enqueued.push(...keys))
  const resources = Array.from({ length: count }, (_, i) =>
    cluster.put(ActiveResource, activeResource({ type: 's3', resourceId: `r${i}` }, { environmentName })),
  )
  enqueued.length = 0
  const reads = await readsOf(cluster.store, () => {
    for (const { metadata } of resources) cluster.drop(ActiveResource, namespace, metadata.name)
  })
  expect(reads).toBe(0)
  expect(enqueued).toEqual([`${namespace}/${environmentName}`])
})
