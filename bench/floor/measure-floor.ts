import { setTimeout as sleep } from 'node:timers/promises'
import { ActiveResource } from '../../operator/api/active-resource.ts'
import type { KubeObject } from '../../operator/api/kind.ts'
import { fieldManager } from '../../operator/api/names.ts'
import { marked } from '../../operator/controllers/objects/applied-object.ts'
import type { KubeClient } from '../../operator/kube/client/client.ts'
import { inParallel } from '../../operator/kube/client/parallel.ts'
import { readObject } from '../../operator/kube/client/read-object.ts'
import { namespaceResource, pathOf, resourceOf } from '../../operator/kube/client/resource.ts'
import { likeActiveResource } from '../objects.ts'
import { quantile, rounded } from '../statistics.ts'
import { objectsOf, pathOfObject, type Work } from '../work.ts'
import { workloadObjects } from '../workloads.ts'
import type { Floor, Operation, Pace } from './floor.ts'

/** How many objects each way of measuring takes. */
export interface FloorSize {
  readonly serial: number
  readonly parallel: number
}

const inFlight = 64
/** Not an organization, so that the operator ignores it. */
const namespace = 'floor'
const resource = resourceOf(ActiveResource)

interface Floored {
  readonly object: KubeObject
  readonly status: object
}

/** Makes the namespace of the floor; for an administrator. */
export async function makeFloorNamespace(client: KubeClient): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  await client.request('POST', pathOf(namespaceResource), { body })
}

/** Writes and deletes objects like active resources while no controller runs. */
export async function measureFloor(client: KubeClient, size: FloorSize): Promise<Floor> {
  const serial = await measureLives(client, size.serial, 1)
  await sleep(500)
  const parallel = await measureLives(client, size.parallel, inFlight)
  return { serial, parallel, namespaceSeconds: await measureNamespace(client) }
}

/** The seconds from the deletion of an empty namespace until it is gone. */
async function measureNamespace(client: KubeClient): Promise<number> {
  const name = `${namespace}-empty`
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  await client.request('POST', pathOf(namespaceResource), { body })
  const begun = performance.now()
  await client.request('DELETE', pathOf(namespaceResource, undefined, name))
  while (await readObject(client, namespaceResource, undefined, name)) await sleep(50)
  return rounded((performance.now() - begun) / 1000)
}

async function measureLives(
  client: KubeClient,
  count: number,
  atOnce: number,
): Promise<Record<Operation, Pace>> {
  const items = Array.from({ length: count }, (_, index) => likeActiveResource(namespace, index))
  const create = await pace(items, atOnce, (item) => write(client, 'POST', undefined, item.object))
  const statusUpdate = await pace(items, atOnce, ({ object, status }) => {
    return write(client, 'PUT', object, bare(object, { status }), 'status')
  })
  const remove = await pace(items, atOnce, ({ object }) => {
    const body = { preconditions: { uid: object.metadata.uid }, propagationPolicy: 'Background' }
    return write(client, 'DELETE', object, body)
  })
  const finalizerUpdate = await pace(items, atOnce, ({ object }) => {
    return write(client, 'PUT', object, bare(object, { spec: object.spec }))
  })
  const fewer = Math.ceil(count / 5)
  const one = await measureObjects(client, objectsLike('object', count), atOnce)
  const five = await measureObjects(client, objectsLike('five', fewer), atOnce)
  const workload = await measureObjects(client, objectsLike('workload', fewer), atOnce)
  return {
    create,
    statusUpdate,
    delete: remove,
    finalizerUpdate,
    apply: one.apply,
    deleteObject: one.remove,
    applyFive: five.apply,
    deleteFive: five.remove,
    applyWorkload: workload.apply,
  }
}

/** The objects of `count` resources, as the operator applies them. */
function objectsLike(work: Work | 'workload', count: number): KubeObject[][] {
  return Array.from({ length: count }, (_, index) => {
    const { object: resource } = likeActiveResource(namespace, index)
    const name = `floor-${work}-${index}`
    const objects = work === 'workload' ? workloadObjects(namespace, name) : objectsOf(work, namespace, name)
    return objects.map((each) => marked(resource, each))
  })
}

/** Applies and deletes the objects of resources. */
async function measureObjects(
  client: KubeClient,
  resources: readonly (readonly KubeObject[])[],
  atOnce: number,
): Promise<{ readonly apply: Pace; readonly remove: Pace }> {
  const apply = await paceOf(resources, atOnce, async (objects) => {
    const query = { fieldManager, force: true }
    for (const body of objects)
      await client.request('PATCH', pathOfObject(body), {
        body,
        contentType: 'application/apply-patch+yaml',
        query,
      })
  })
  const remove = await paceOf(resources, atOnce, async (objects) => {
    const body = { propagationPolicy: 'Background' }
    for (const each of objects) await client.request('DELETE', pathOfObject(each), { body })
  })
  return { apply, remove }
}

async function write(
  client: KubeClient,
  method: string,
  at: KubeObject | undefined,
  body: object,
  part?: string,
) {
  const path = pathOf(resource, namespace, at?.metadata.name, part)
  return (await client.request(method, path, { body, query: { fieldManager } })) as KubeObject // as it is now
}

/** An update of a part of the object, as the operator sends it. */
function bare({ apiVersion, kind, metadata }: KubeObject, part: object): object {
  const { name, uid, resourceVersion } = metadata
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, ...part }
}

/** Times the call over all items; each answer replaces the object of its item. */
function pace(items: Floored[], atOnce: number, call: (item: Floored) => Promise<KubeObject>): Promise<Pace> {
  return paceOf([...items.entries()], atOnce, async ([index, item]) => {
    items[index] = { ...item, object: await call(item) }
  })
}

async function paceOf<T>(
  items: readonly T[],
  atOnce: number,
  call: (item: T) => Promise<void>,
): Promise<Pace> {
  const latencies: number[] = []
  const begun = performance.now()
  const usedBefore = process.cpuUsage()
  await inParallel(
    items,
    async (item) => {
      const sent = performance.now()
      await call(item)
      latencies.push(performance.now() - sent)
    },
    atOnce,
  )
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(usedBefore) // microseconds
  return {
    perSecond: rounded(items.length / seconds, 1),
    p50Ms: rounded(quantile(latencies, 0.5), 2),
    p99Ms: rounded(quantile(latencies, 0.99), 2),
    clientMs: rounded((user + system) / 1000 / items.length, 2),
  }
}
