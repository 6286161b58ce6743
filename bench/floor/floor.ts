import { setTimeout as sleep } from 'node:timers/promises'
import { ActiveResource } from '../operator/api/active-resource.ts'
import type { KubeObject } from '../operator/api/kind.ts'
import { fieldManager } from '../operator/api/names.ts'
import { marked } from '../operator/controllers/objects/applied-object.ts'
import { inParallel } from '../operator/controllers/shared/parallel.ts'
import type { KubeClient } from '../operator/kube/client/client.ts'
import { namespaceResource, pathOf, resourceOf } from '../operator/kube/client/resource.ts'
import { likeActiveResource } from './objects.ts'
import { quantile, rounded } from './statistics.ts'
import { objectsOf, pathOfObject, type Work } from './work.ts'
import { workloadObjects } from './workloads.ts'

/** How fast the API server of this run takes one kind of request. */
export interface Pace {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * The writes in the life of a resource: four of the ActiveResource; one that applies or deletes one object; `applyFive`,
 * `deleteFive` and `applyWorkload` write five objects, one after the other.
 */
export const operations = [
  'create',
  'statusPatch',
  'delete',
  'finalizerPatch',
  'apply',
  'deleteObject',
  'applyFive',
  'deleteFive',
  'applyWorkload',
] as const
export type Operation = (typeof operations)[number]

/** The pace of each write, which no controller can beat. */
export interface Floor {
  /** One request after the other, and 64 in flight. */
  readonly serial: Readonly<Record<Operation, Pace>>
  readonly parallel: Readonly<Record<Operation, Pace>>
}

/** One time that the floor was measured. */
export interface FloorRound extends Floor {
  /** Share of the CPUs that was not the benchmark's. */
  readonly noise?: number
}

/** How many objects each way of measuring takes. */
export interface FloorSize {
  readonly serial: number
  readonly parallel: number
}

const inFlight = 64
/** Not an organization, so that the operator ignores it. */
const namespace = 'floor'
const resource = resourceOf(ActiveResource)
const mergePatch = 'application/merge-patch+json'

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
  return { serial, parallel }
}

async function measureLives(
  client: KubeClient,
  count: number,
  atOnce: number,
): Promise<Record<Operation, Pace>> {
  const items = Array.from({ length: count }, (_, index) => likeActiveResource(namespace, index))
  const create = await pace(items, atOnce, (item) => write(client, 'POST', undefined, item.object))
  const statusPatch = await pace(items, atOnce, ({ object, status }) => {
    return write(client, 'PATCH', object, { metadata: { uid: object.metadata.uid }, status }, 'status')
  })
  const remove = await pace(items, atOnce, ({ object }) => {
    const body = { preconditions: { uid: object.metadata.uid }, propagationPolicy: 'Background' }
    return write(client, 'DELETE', object, body)
  })
  const finalizerPatch = await pace(items, atOnce, ({ object }) => {
    const { uid, resourceVersion } = object.metadata
    return write(client, 'PATCH', object, { metadata: { uid, resourceVersion, finalizers: [] } })
  })
  const fewer = Math.ceil(count / 5)
  const one = await measureObjects(client, objectsLike('object', count), atOnce)
  const five = await measureObjects(client, objectsLike('five', fewer), atOnce)
  const workload = await measureObjects(client, objectsLike('workload', fewer), atOnce)
  return {
    create,
    statusPatch,
    delete: remove,
    finalizerPatch,
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
  const contentType = method === 'PATCH' ? mergePatch : undefined
  const path = pathOf(resource, namespace, at?.metadata.name, part)
  return (await client.request(method, path, { body, contentType, query: { fieldManager } })) as KubeObject // as it is now
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
  return {
    perSecond: rounded(items.length / seconds, 1),
    p50Ms: rounded(quantile(latencies, 0.5), 2),
    p99Ms: rounded(quantile(latencies, 0.99), 2),
  }
}

/** The median of each figure over several rounds. */
export function medianFloor(rounds: readonly Floor[]): Floor {
  const medianOf = (pick: (round: Floor) => number) => rounded(quantile(rounds.map(pick), 0.5), 2)
  const paces = (way: keyof Floor) => {
    const entries = operations.map((name): [Operation, Pace] => [
      name,
      {
        perSecond: medianOf((round) => round[way][name].perSecond),
        p50Ms: medianOf((round) => round[way][name].p50Ms),
        p99Ms: medianOf((round) => round[way][name].p99Ms),
      },
    ])
    return Object.fromEntries(entries) as Record<Operation, Pace> // every operation is named
  }
  return { serial: paces('serial'), parallel: paces('parallel') }
}

const objectOperations: Readonly<
  Record<Work | 'workload', { readonly apply?: Operation; readonly remove?: Operation }>
> = {
  echo: {},
  object: { apply: 'apply', remove: 'deleteObject' },
  five: { apply: 'applyFive', remove: 'deleteFive' },
  workload: { apply: 'applyWorkload' },
}

/** Seconds in which `count` resources that need nothing of each other can be made. */
export function independentFloor(
  { parallel }: Floor,
  count: number,
  work: Work | 'workload' = 'echo',
): number {
  const { apply } = objectOperations[work]
  return secondsOf(parallel, count, ['create', 'statusPatch', ...(apply ? [apply] : [])])
}

/** Seconds in which `count` resources can be made of which each waits for the next. */
export function chainFloor({ serial }: Floor, count: number, work: Work = 'echo'): number {
  const { apply } = objectOperations[work]
  const objects = apply ? serial[apply].p50Ms : 0
  return (count * (serial.create.p50Ms + serial.statusPatch.p50Ms + objects)) / 1000
}

/** Seconds in which `count` resources and their objects can be deleted one by one. */
export function deletionFloor({ parallel }: Floor, count: number, work: Work = 'echo'): number {
  const { remove } = objectOperations[work]
  return secondsOf(parallel, count, ['delete', 'finalizerPatch', ...(remove ? [remove] : [])])
}

/** Seconds in which the objects of `count` resources can be applied again. */
export function applyFloor({ parallel }: Floor, count: number, work: Work): number {
  const { apply } = objectOperations[work]
  return apply ? secondsOf(parallel, count, [apply]) : 0
}

function secondsOf(paces: Floor['parallel'], count: number, each: readonly Operation[]): number {
  return each.reduce((sum, operation) => sum + count / paces[operation].perSecond, 0)
}

/** Seconds for one create and so many patches, one after the other: what a deployment costs that changes little. */
export function sequenceFloor({ serial }: Floor, patches: number): number {
  return (serial.create.p50Ms + patches * serial.statusPatch.p50Ms) / 1000
}
