import type { ActiveResource, AppliedObject } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { byResource, type ObjectReference, type Objects } from '../../kube/objects.ts'
import {
  isNewer,
  isSame,
  isSameKind,
  isWatchable,
  marked,
  markOf,
  nameOf,
  type ObjectKind,
  referenceTo,
  versionOf,
} from './applied-object.ts'
import { isOfOrganization, openNamespace } from './environment-namespace.ts'

/** The objects that resources are made of: applied, watched, repaired, pruned, and never taken from somebody else. */
export interface Inventory {
  /**
   * Those of `wanted` that nobody would find again if they were applied and the process ended. Stalled for a kind that
   * the operator has no right to watch: once it is recorded, it could not be let go of any more.
   */
  unfindable(
    resource: ActiveResource,
    wanted: readonly KubeObject[],
    kinds: readonly ObjectKind[],
  ): Promise<AppliedObject[]>
  /** Brings the objects of a resource to `wanted`; answers what stands, and how the cluster shows each of `wanted`. */
  bring(
    resource: ActiveResource,
    wanted: readonly KubeObject[],
    kinds: readonly ObjectKind[],
  ): Promise<Applied>
  /** Takes all objects of a resource away; Waiting while one is still going. */
  clear(resource: ActiveResource, kinds: readonly ObjectKind[]): Promise<void>
  /** Whether an object of the resource was touched since it was applied; asked once, then forgotten. */
  takeDrift(resource: ActiveResource): boolean
  /** Every change of an object of the resource since it was applied counts, until `bring` is called again. */
  await(resource: ActiveResource, applied: Applied): Promise<void>
  /** Hears of resources whose objects were touched, or changed while awaited, as `namespace/GUResID`. */
  onDrift(handler: (key: string) => void): void
}

/** Objects after they were applied: as a status keeps them, and as the cluster shows them. */
export interface Applied {
  readonly standing: readonly AppliedObject[]
  readonly live: readonly KubeObject[]
}

interface ObjectEvent {
  readonly object: KubeObject
  readonly isGone: boolean
  /** Whether it came with the first list after a start, which shows what was recorded by the process before. */
  readonly isFirstList: boolean
}

/** An inventory over the objects of the cluster; `find` looks a resource up by its key. */
export function createInventory(
  objects: Objects,
  find: (key: string) => ActiveResource | undefined,
): Inventory {
  const drifted = new Set<string>()
  const awaited = new Map<string, Applied>()
  /** Version that we applied last, by uid. */
  const applied = new Map<string, number>()
  /** What we take away, by uid, until it is gone. */
  const removing = new Set<string>()
  const inFlight = new Map<string, ObjectEvent[]>()
  const handlers: ((key: string) => void)[] = []

  objects.onChange((object, isGone, isFirstList) => {
    const mark = object.metadata.annotations?.[annotations.resource]
    if (mark === undefined) return
    const event = { object, isGone, isFirstList }
    const held = inFlight.get(mark)
    // While we apply, what we see may be our own doing: judged when the answers are here.
    if (held) held.push(event)
    else judge(mark, event)
  })

  function judge(mark: string, event: ObjectEvent) {
    const { uid = '' } = event.object.metadata
    const isOurDoing = removing.has(uid)
    if (event.isGone) removing.delete(uid)
    if (isOurDoing) return
    const resource = find(mark)
    if (!resource || resource.metadata.deletionTimestamp) return
    // What is awaited may not be in the status yet.
    const { standing = resource.status?.objects, live } = awaited.get(mark) ?? {}
    const listed = standing?.find((each) => isSame(each, event.object))
    if (!listed) return
    if (!isKnown(event, listed)) drifted.add(mark)
    else if (!live?.some((each) => isNewer(event.object, each))) return
    awaited.delete(mark)
    for (const handler of handlers) handler(mark)
  }

  /** An event that our own apply caused, or that only shows what was recorded. */
  function isKnown({ object, isGone, isFirstList }: ObjectEvent, listed: AppliedObject): boolean {
    const { uid = '' } = object.metadata
    if (isGone) applied.delete(uid)
    if (isGone) return listed.uid !== uid
    const known = applied.get(uid) ?? (listed.uid === uid ? versionOf(listed) : undefined)
    const isUntouched = known === undefined || (versionOf(object.metadata) ?? 0) <= known
    return isUntouched && (isFirstList || isMarked(object))
  }

  function isMarked({ metadata }: KubeObject): boolean {
    return metadata.annotations?.[annotations.descriptor] !== undefined
  }

  async function applyOne(resource: ActiveResource, wanted: KubeObject) {
    const object = marked(resource, wanted)
    const before = resource.status?.objects?.find((each) => isSame(each, object))
    if (!before?.uid) await refuseForeign(resource, object)
    const live = await objects.apply(object)
    const { metadata, apiVersion, kind } = live
    const { name, namespace, uid = '', generation, resourceVersion } = metadata
    removing.delete(uid)
    const version = versionOf(metadata)
    if (version !== undefined) applied.set(uid, version)
    const standing: AppliedObject = {
      apiVersion,
      kind,
      name,
      uid,
      ...(namespace ? { namespace } : {}),
      ...(generation === undefined ? {} : { generation }),
      ...(generation === undefined && resourceVersion !== undefined && isWatchable({ kind })
        ? { resourceVersion }
        : {}),
    }
    return { standing, live }
  }

  async function applyAll(resource: ActiveResource, wanted: readonly KubeObject[]) {
    const mark = markOf(resource)
    const events: ObjectEvent[] = []
    inFlight.set(mark, events)
    try {
      const results: Awaited<ReturnType<typeof applyOne>>[] = []
      for (const object of wanted) results.push(await applyOne(resource, object))
      return { standing: results.map(({ standing }) => standing), live: results.map(({ live }) => live) }
    } finally {
      inFlight.delete(mark)
      for (const event of events) judge(mark, event)
    }
  }

  /** What has the name already and does not carry our mark stays as it is. */
  async function refuseForeign(resource: ActiveResource, object: KubeObject) {
    const existing = await objects.read(referenceTo(object))
    if (!existing || existing.metadata.annotations?.[annotations.resource] === markOf(resource)) return
    throw new Stalled('Conflict', `${nameOf(object)} exists and is not of this resource: it is left as it is`)
  }

  /** All objects of a resource, recorded or only found by their label. */
  async function own(resource: ActiveResource, kinds: readonly ObjectKind[]): Promise<ObjectReference[]> {
    const recorded = resource.status?.objects ?? []
    const kindsOf = new Map(
      [...recorded, ...kinds].filter(isWatchable).map((each) => [`${each.apiVersion} ${each.kind}`, each]),
    )
    const seen: ObjectReference[] = []
    for (const { apiVersion, kind } of kindsOf.values()) {
      const cache = await objects.watch({ apiVersion, kind })
      for (const { metadata } of cache.byIndex(byResource, resource.metadata.name)) {
        if (metadata.annotations?.[annotations.resource] === markOf(resource))
          seen.push(referenceTo({ apiVersion, kind, metadata }))
      }
    }
    return [
      ...recorded,
      ...seen.filter((each) => !recorded.some((other) => isSame(other, { ...each, metadata: each }))),
    ]
  }

  /** Deletes an object if it is this resource's; answers whether it was still there. */
  async function removeOne(resource: ActiveResource, reference: ObjectReference): Promise<boolean> {
    const existing = await objects.read(reference)
    if (!existing || existing.metadata.annotations?.[annotations.resource] !== markOf(resource)) return false
    // With the namespace all of the organization would go.
    if (reference.kind === 'Namespace' && isOfOrganization(existing)) return false
    const { uid = '', deletionTimestamp } = existing.metadata
    if (isWatchable(reference)) removing.add(uid)
    if (!deletionTimestamp) await objects.remove(reference, uid)
    return true
  }

  return {
    async unfindable(resource, wanted, kinds) {
      for (const each of wanted.filter(isWatchable)) await objects.watch(each)
      const recorded = resource.status?.objects ?? []
      return wanted
        .filter((object) => !recorded.some((each) => isSame(each, object)))
        .filter((object) => !isWatchable(object) || !kinds.some((each) => isSameKind(each, object)))
        .map((object) => ({ ...referenceTo(object), uid: '' }))
    },
    async await(resource, applied) {
      const mark = markOf(resource)
      awaited.set(mark, applied)
      for (const object of applied.live.filter(isWatchable)) {
        const cache = await objects.watch(object)
        const seen = cache.get(object.metadata.namespace ?? '', object.metadata.name)
        // What changed before it was awaited was nobody's to hear.
        if (seen && isNewer({ ...object, metadata: seen.metadata }, object) && awaited.delete(mark))
          for (const handler of handlers) handler(mark)
      }
    },
    async bring(resource, wanted, kinds) {
      awaited.delete(markOf(resource))
      const mine = await own(resource, [...kinds, ...wanted])
      for (const namespace of new Set(wanted.map(({ metadata }) => metadata.namespace))) {
        if (namespace !== undefined) await openNamespace(objects, resource.spec.context, namespace)
      }
      const { standing, live } = await applyAll(resource, wanted)
      for (const each of mine) {
        if (!standing.some((other) => isSame(other, { ...each, metadata: each })))
          await removeOne(resource, each)
      }
      return { standing, live }
    },
    async clear(resource, kinds) {
      awaited.delete(markOf(resource))
      drifted.delete(markOf(resource))
      const remaining: ObjectReference[] = []
      for (const each of await own(resource, kinds)) if (await removeOne(resource, each)) remaining.push(each)
      const names = await stillThere(remaining, objects)
      if (names.length > 0) throw new Waiting('ObjectsRemain', `waiting for ${names.join(', ')} to go`, 1)
    },
    takeDrift: (resource) => drifted.delete(markOf(resource)),
    onDrift(handler) {
      handlers.push(handler)
    },
  }
}

async function stillThere(references: readonly ObjectReference[], objects: Objects): Promise<string[]> {
  const names: string[] = []
  for (const each of references) if (await objects.read(each)) names.push(`'${each.kind}' '${each.name}'`)
  return names
}
