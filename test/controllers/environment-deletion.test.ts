import { beforeEach, expect, test } from '@jest/globals'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { Environment } from '../../operator/api/environment.ts'
import { newObject } from '../../operator/api/kind.ts'
import { annotations, finalizer } from '../../operator/api/names.ts'
import { environmentController } from '../../operator/controllers/environment.ts'
import { contextOf, environmentNamespace } from '../../operator/domain/resource/identity.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../support/builders.ts'
import { silentContext } from './support/context.ts'
import { environmentOptions } from './support/environment-options.ts'
import { createFakeObjects, type FakeObjects } from './support/fake-objects.ts'
import { readsOf } from './support/reads.ts'

const namespace = 'acme'
const count = 200
const cluster = createFakeCluster()
/** Names that each list of resources answered. */
let lists: number[]
let objects: FakeObjects
let controller: ReturnType<typeof environmentController>

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  lists = []
  objects = createFakeObjects()
  const counting = {
    ...cluster,
    readNames: (async (...request) => {
      const names = await cluster.readNames(...request)
      lists.push(names.length)
      return names
    }) as typeof cluster.readNames,
  }
  const announcements = { notifyLast: async () => {} }
  controller = environmentController(counting, objects.open(), announcements, environmentOptions(counting))
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
function addResources(): void {
  for (const { metadata } of cluster.store.list(Environment, namespace)) {
    const made = activeResource({ type: 's3', resourceId: metadata.name }, { environmentName: metadata.name })
    cluster.put(ActiveResource, { ...made, metadata: { ...made.metadata, finalizers: [finalizer] } })
  }
}

test('an environment that is deleted lists no resource of another one', async () => {
  addResources()
  expect(await finalizeAll()).toEqual(Array(count).fill('ResourcesRemain'))
  for (const { metadata } of cluster.store.list(ActiveResource, namespace))
    cluster.drop(ActiveResource, namespace, metadata.name)
  expect(await finalizeAll()).toEqual(Array(count).fill(undefined))
  expect(lists).toEqual(Array(count).fill(0))
})

test('it lists nothing while its namespace is being deleted, but once more afterwards', async () => {
  const names = cluster.store.list(Environment, namespace).map(addNamespaceOf)
  const waits = Array(count).fill('NamespaceRemains')
  expect(await finalizeAll()).toEqual(waits)
  expect(lists).toHaveLength(count)
  expect(await finalizeAll()).toEqual(waits)
  expect(lists).toHaveLength(count)
  for (const name of names) end(name)
  expect(await finalizeAll()).toEqual(Array(count).fill(undefined))
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
