import { setTimeout as sleep } from 'node:timers/promises'
import { ActiveResource } from '../operator/api/active-resource.ts'
import type { KubeObject } from '../operator/api/kind.ts'
import { fieldManager } from '../operator/api/names.ts'
import { inParallel } from '../operator/controllers/shared/parallel.ts'
import type { KubeClient } from '../operator/kube/client/client.ts'
import { namespaceResource, pathOf, resourceOf } from '../operator/kube/client/resource.ts'
import { likeActiveResource } from './objects.ts'
import { quantile, rounded } from './statistics.ts'

/** How fast the API server of this run takes one sort of request. */
export interface Pace {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The four writes in the life of a resource. */
export const operations = ['create', 'statusPatch', 'delete', 'finalizerPatch'] as const
export type Operation = (typeof operations)[number]

/** What no controller can beat that writes a resource twice when it comes and twice when it goes. */
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
/** No organization: whoever watches organizations has no business here. */
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

/** Writes objects like active resources and takes them away again, without anybody who acts on them. */
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
  return { create, statusPatch, delete: remove, finalizerPatch }
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

/** Times the call over all items; each one's answer takes the place of its object. */
async function pace(
  items: Floored[],
  atOnce: number,
  call: (item: Floored) => Promise<KubeObject>,
): Promise<Pace> {
  const latencies: number[] = []
  const begun = performance.now()
  await inParallel(
    items.entries(),
    async ([index, item]) => {
      const sent = performance.now()
      const object = await call(item)
      latencies.push(performance.now() - sent)
      items[index] = { ...item, object }
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

/** Seconds in which `count` resources that need nothing of each other can come. */
export function independentFloor({ parallel }: Floor, count: number): number {
  return count / parallel.create.perSecond + count / parallel.statusPatch.perSecond
}

/** Seconds in which `count` resources can come of which each waits for the next. */
export function chainFloor({ serial }: Floor, count: number): number {
  return (count * (serial.create.p50Ms + serial.statusPatch.p50Ms)) / 1000
}

/** Seconds in which `count` resources can go. */
export function deletionFloor({ parallel }: Floor, count: number): number {
  return count / parallel.delete.perSecond + count / parallel.finalizerPatch.perSecond
}

/** Seconds for one create and so many patches, one after the other: what a deployment costs that changes little. */
export function sequenceFloor({ serial }: Floor, patches: number): number {
  return (serial.create.p50Ms + patches * serial.statusPatch.p50Ms) / 1000
}
