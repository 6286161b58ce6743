import type { ActiveResource, AppliedObject } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import { Stalled, Waiting } from '../../domain/base/errors.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { byResource, type ObjectReference, type Objects } from '../../kube/objects.ts'
import {
  isSame,
  isSameKind,
  isWatchable,
  marked,
  nameOf,
  type ObjectKind,
  referenceTo,
} from './applied-object.ts'
import { type ApplyResult, DriftDetector } from './drift.ts'
import { isOfOrganization, openNamespace } from './environment-namespace.ts'

/** Applies, repairs and deletes the objects of resources, and changes no object that belongs to another owner. */
export interface Inventory {
  /**
   * Returns those of the objects that a new process would not find by its watches, so that the status must record them
   * before they are applied. Throws Stalled for a kind that the operator has no right to watch: it could not delete
   * objects of that kind either.
   */
  unrecorded(
    resource: ActiveResource,
    wanted: readonly KubeObject[],
    kinds: readonly ObjectKind[],
  ): Promise<AppliedObject[]>
  /** Applies the objects, and deletes the other objects of the resource. */
  apply(
    resource: ActiveResource,
    wanted: readonly KubeObject[],
    kinds: readonly ObjectKind[],
  ): Promise<ApplyResult>
  /** Deletes all objects of a resource; Waiting until they are gone. */
  removeAll(resource: ActiveResource, kinds: readonly ObjectKind[]): Promise<void>
  /** Whether another client changed an object of the resource since the last call. */
  consumeDrift(resource: ActiveResource): boolean
  /** Enqueues the resource at the next change of any of its objects, until the next `apply`. */
  enqueueOnChange(resource: ActiveResource, result: ApplyResult): Promise<void>
  /** Calls the handler with the key of each resource to reconcile, as `namespace/GUResID`. */
  onEnqueue(handler: (key: string) => void): void
}

/** The inventory of all resources; `find` returns the resource of a key. */
export function createInventory(
  objects: Objects,
  find: (key: string) => ActiveResource | undefined,
): Inventory {
  const drift = new DriftDetector(objects, find)
  return {
    unrecorded: (resource, wanted, kinds) => unrecorded(resource, wanted, kinds, objects),
    async apply(resource, wanted, kinds) {
      drift.unwatch(keyOf(resource))
      const before = await ownObjects(resource, [...kinds, ...wanted], objects)
      const namespaces = new Set(wanted.map(({ metadata }) => metadata.namespace))
      for (const each of namespaces)
        if (each !== undefined) await openNamespace(objects, resource.spec.context, each)
      const result = await drift.holdDuring(keyOf(resource), () => applyAll(resource, wanted, objects, drift))
      for (const each of before)
        if (!result.applied.some((other) => isSame(other, { ...each, metadata: each })))
          await removeOne(resource, each, objects, drift)
      return result
    },
    async removeAll(resource, kinds) {
      drift.unwatch(keyOf(resource))
      drift.consume(keyOf(resource))
      const remaining: ObjectReference[] = []
      for (const each of await ownObjects(resource, kinds, objects))
        if (await removeOne(resource, each, objects, drift)) remaining.push(each)
      const names: string[] = []
      for (const each of remaining) if (await objects.read(each)) names.push(`'${each.kind}' '${each.name}'`)
      if (names.length > 0)
        throw new Waiting('ObjectsRemain', `waiting for ${names.join(', ')} to be deleted`, 1)
    },
    consumeDrift: (resource) => drift.consume(keyOf(resource)),
    enqueueOnChange: (resource, result) => drift.watch(keyOf(resource), result, objects),
    onEnqueue: (handler) => drift.onEnqueue(handler),
  }
}

async function unrecorded(
  resource: ActiveResource,
  wanted: readonly KubeObject[],
  kinds: readonly ObjectKind[],
  objects: Objects,
): Promise<AppliedObject[]> {
  for (const each of wanted.filter(isWatchable)) await objects.watch(each)
  const recorded = resource.status?.objects ?? []
  return wanted
    .filter((object) => !recorded.some((each) => isSame(each, object)))
    .filter((object) => !isWatchable(object) || !kinds.some((each) => isSameKind(each, object)))
    .map((object) => ({ ...referenceTo(object), uid: '' }))
}

/** All objects of a resource: those that the status records, and those of these kinds that have its label. */
async function ownObjects(
  resource: ActiveResource,
  kinds: readonly ObjectKind[],
  objects: Objects,
): Promise<ObjectReference[]> {
  const recorded = resource.status?.objects ?? []
  const byKind = new Map(
    [...recorded, ...kinds].filter(isWatchable).map((each) => [`${each.apiVersion} ${each.kind}`, each]),
  )
  const labelled: ObjectReference[] = []
  for (const { apiVersion, kind } of byKind.values()) {
    const cache = await objects.watch({ apiVersion, kind })
    for (const { metadata } of cache.byIndex(byResource, resource.metadata.name))
      if (isOwn(resource, { metadata })) labelled.push(referenceTo({ apiVersion, kind, metadata }))
  }
  const isRecorded = (each: ObjectReference) =>
    recorded.some((other) => isSame(other, { ...each, metadata: each }))
  return [...recorded, ...labelled.filter((each) => !isRecorded(each))]
}

async function applyAll(
  resource: ActiveResource,
  wanted: readonly KubeObject[],
  objects: Objects,
  drift: DriftDetector,
): Promise<ApplyResult> {
  const applied: AppliedObject[] = []
  const live: KubeObject[] = []
  for (const each of wanted) {
    const object = marked(resource, each)
    const recorded = resource.status?.objects?.find((other) => isSame(other, object))
    if (!recorded?.uid) await refuseForeign(resource, object, objects)
    const answer = await objects.apply(object)
    drift.noteApplied(answer)
    applied.push(recordOf(answer))
    live.push(answer)
  }
  return { applied, live }
}

/** The record of an applied object in a status, with its generation, or its resource version where it has none. */
function recordOf({ apiVersion, kind, metadata }: KubeObject): AppliedObject {
  const { name, namespace, uid = '', generation, resourceVersion } = metadata
  const isVersioned = generation === undefined && isWatchable({ kind })
  return {
    apiVersion,
    kind,
    name,
    uid,
    namespace: namespace || undefined,
    generation,
    resourceVersion: isVersioned ? resourceVersion : undefined,
  }
}

/** Throws Stalled for an existing object of another owner. */
async function refuseForeign(resource: ActiveResource, object: KubeObject, objects: Objects): Promise<void> {
  const existing = await objects.read(referenceTo(object))
  if (!existing || isOwn(resource, existing)) return
  throw new Stalled('Conflict', `${nameOf(object)} exists and does not belong to this resource`)
}

/** Deletes an object of the resource; returns whether it existed. */
async function removeOne(
  resource: ActiveResource,
  reference: ObjectReference,
  objects: Objects,
  drift: DriftDetector,
): Promise<boolean> {
  const existing = await objects.read(reference)
  if (!existing || !isOwn(resource, existing)) return false
  // Deleting the namespace of an organization would delete the organization.
  if (reference.kind === 'Namespace' && isOfOrganization(existing)) return false
  const { uid = '', deletionTimestamp } = existing.metadata
  if (isWatchable(reference)) drift.noteDeleting(uid)
  if (!deletionTimestamp) await objects.remove(reference, uid)
  return true
}

function isOwn(resource: ActiveResource, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[annotations.resource] === keyOf(resource)
}
