import { beforeEach, expect, test } from '@jest/globals'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import { Environment } from '../../operator/api/environment.ts'
import { newObject } from '../../operator/api/kind.ts'
import { annotations } from '../../operator/api/names.ts'
import { environmentController } from '../../operator/controllers/environment.ts'
import { contextOf, environmentNamespace } from '../../operator/domain/resource/identity.ts'
import { createFakeCluster } from '../api-gateway/support/fake-cluster.ts'
import { environmentOptions } from './support/environment-options.ts'
import { createFakeObjects, type FakeObjects } from './support/fake-objects.ts'

const namespace = 'acme'
const count = 200
const cluster = createFakeCluster()
let lists: number
let objects: FakeObjects
let controller: ReturnType<typeof environmentController>

beforeEach(() => {
  cluster.reset()
  cluster.addOrganization(namespace)
  lists = 0
  objects = createFakeObjects()
  const counting = {
    ...cluster,
    readAll: ((kind, from) => {
      lists += 1
      return cluster.readAll(kind, from)
    }) as typeof cluster.readAll,
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
      .map(async (each) => controller.finalize?.(each, { releaseWorker: (work) => work() })),
  )
  return ended.map((each) => (each.status === 'rejected' ? each.reason.reason : undefined))
}

test('the resources of an organization are not listed once for each environment that is deleted', async () => {
  expect(await finalizeAll()).toEqual(Array(count).fill(undefined))
  expect(lists).toBeLessThanOrEqual(count / 50)
  expect(lists).toBeGreaterThan(0)
})

test('they are not listed again while namespaces are being deleted, but once more afterwards', async () => {
  const names = cluster.store.list(Environment, namespace).map(addNamespaceOf)
  const waits = Array(count).fill('NamespaceRemains')
  expect(await finalizeAll()).toEqual(waits)
  const before = lists
  expect(await finalizeAll()).toEqual(waits)
  expect(lists).toBe(before)
  for (const name of names) end(name)
  expect(await finalizeAll()).toEqual(Array(count).fill(undefined))
  expect(lists).toBeGreaterThan(before)
})

test('an environment stays, and its namespace too, while the API server knows a resource of it that the cache does not', async () => {
  const [environment] = cluster.store.list(Environment, namespace)
  if (!environment) throw new Error('there is none')
  const name = addNamespaceOf(environment)
  const unseen = newObject(
    ActiveResource,
    { namespace, name: 'unseen' },
    { environmentName: environment.metadata.name } as ActiveResource['spec'], // the fields that are read
  )
  const behind = { ...cluster, readAll: (async () => [unseen]) as unknown as typeof cluster.readAll }
  controller = environmentController(
    behind,
    objects.open(),
    { notifyLast: async () => {} },
    environmentOptions(behind),
  )
  expect((await finalizeAll())[0]).toBe('ResourcesRemain')
  expect(objects.get('Namespace', name)?.metadata.deletionTimestamp).toBeUndefined()
})
