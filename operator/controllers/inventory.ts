import type { ActiveResource, AppliedObject } from '../api/active-resource.ts'
import type { KubeObject } from '../api/kind.ts'
import { annotations, labels, manager } from '../api/names.ts'
import { formatDescriptor } from '../domain/descriptor.ts'
import { Stalled, Waiting } from '../domain/errors.ts'
import { byResource, type ObjectReference, type Objects } from '../kube/objects.ts'
import { openNamespace } from './environment-namespace.ts'

/** A kind of objects; `kinds` of a driver are where an object that a crash left unrecorded is looked for. */
type ObjectKind = Pick<ObjectReference, 'apiVersion' | 'kind'>

/** The objects that resources are made of: applied, watched, repaired, pruned, and never taken from somebody else. */
export interface Inventory {
  /** Brings the objects of a resource to `wanted`, and answers what stands. */
  bring(
    resource: ActiveResource,
    wanted: readonly KubeObject[],
    kinds: readonly ObjectKind[],
  ): Promise<AppliedObject[]>
  /** Takes all objects of a resource away; Waiting while one is still going. */
  clear(resource: ActiveResource, kinds: readonly ObjectKind[]): Promise<void>
  /** Whether an object of the resource was touched since it was applied; asked once, then forgotten. */
  takeDrift(resource: ActiveResource): boolean
  /** Hears of resources whose objects were touched, as `namespace/GUResID`. */
  onDrift(handler: (key: string) => void): void
}

interface ObjectEvent {
  readonly object: KubeObject
  readonly isGone: boolean
  /** Whether it came with the first list after a start, which shows what was recorded by the process before. */
  readonly isFirstList: boolean
}

/** `organization/GUResID`, the mark that makes an object a resource's own. */
function markOf({ metadata }: ActiveResource): string {
  return `${metadata.namespace}/${metadata.name}`
}

/** An inventory over the objects of the cluster; `find` looks a resource up by its key. */
export function createInventory(
  objects: Objects,
  find: (key: string) => ActiveResource | undefined,
): Inventory {
  const drifted = new Set<string>()
  /** Generation that we applied last, by uid. */
  const applied = new Map<string, number>()
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
    const resource = find(mark)
    if (!resource || resource.metadata.deletionTimestamp) return
    const listed = resource.status?.objects?.find((each) => isSame(each, event.object))
    if (!listed || isKnown(event, listed)) return
    drifted.add(mark)
    for (const handler of handlers) handler(mark)
  }

  /** An event that our own apply caused, or that only shows what was recorded. */
  function isKnown({ object, isGone, isFirstList }: ObjectEvent, listed: AppliedObject): boolean {
    const { uid = '', generation: seen = 0 } = object.metadata
    if (isGone) applied.delete(uid)
    if (isGone) return listed.uid !== uid
    const generation = applied.get(uid) ?? (listed.uid === uid ? listed.generation : undefined)
    const isUntouched = generation === undefined || seen <= generation
    return isUntouched && (isFirstList || isMarked(object))
  }

  function isMarked({ metadata }: KubeObject): boolean {
    return metadata.annotations?.[annotations.descriptor] !== undefined
  }

  async function applyOne(resource: ActiveResource, wanted: KubeObject): Promise<AppliedObject> {
    const object = marked(resource, wanted)
    const before = resource.status?.objects?.find((each) => isSame(each, object))
    if (!before) await refuseForeign(resource, object)
    const { metadata, apiVersion, kind } = await objects.apply(object)
    const { name, namespace, uid = '', generation } = metadata
    if (generation !== undefined) applied.set(uid, generation)
    return {
      apiVersion,
      kind,
      name,
      uid,
      ...(namespace ? { namespace } : {}),
      ...(generation === undefined ? {} : { generation }),
    }
  }

  async function applyAll(resource: ActiveResource, wanted: readonly KubeObject[]): Promise<AppliedObject[]> {
    const mark = markOf(resource)
    const events: ObjectEvent[] = []
    inFlight.set(mark, events)
    try {
      const standing: AppliedObject[] = []
      for (const object of wanted) standing.push(await applyOne(resource, object))
      return standing
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
    if (!existing.metadata.deletionTimestamp) await objects.remove(reference, existing.metadata.uid ?? '')
    return true
  }

  return {
    async bring(resource, wanted, kinds) {
      const mine = await own(resource, [...kinds, ...wanted])
      for (const namespace of new Set(wanted.map(({ metadata }) => metadata.namespace ?? ''))) {
        await openNamespace(objects, resource.spec.context, namespace)
      }
      const standing = await applyAll(resource, wanted)
      for (const each of mine) {
        if (!standing.some((other) => isSame(other, { ...each, metadata: each })))
          await removeOne(resource, each)
      }
      return standing
    },
    async clear(resource, kinds) {
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

/** Our labels and annotations over those of the driver. */
function marked(resource: ActiveResource, object: KubeObject): KubeObject {
  const { type, class: resourceClass, resourceId } = resource.spec
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: {
        ...object.metadata.labels,
        [labels.managedBy]: manager,
        [labels.resource]: resource.metadata.name,
      },
      annotations: {
        ...object.metadata.annotations,
        [annotations.resource]: markOf(resource),
        [annotations.descriptor]: formatDescriptor({ type, class: resourceClass, resourceId }),
      },
    },
  }
}

/** A list permission on Secrets is a read permission on all of them, so they are not watched. */
function isWatchable({ kind }: { readonly kind: string }): boolean {
  return kind !== 'Secret'
}

function referenceTo({
  apiVersion,
  kind,
  metadata,
}: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): ObjectReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  }
}

function isSame(
  reference: ObjectReference,
  object: Pick<KubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: { name: string; namespace?: string }
  },
): boolean {
  return (
    reference.apiVersion === object.apiVersion &&
    reference.kind === object.kind &&
    reference.name === object.metadata.name &&
    (reference.namespace ?? '') === (object.metadata.namespace ?? '')
  )
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} '${metadata.namespace ?? ''}/${metadata.name}'`
}
