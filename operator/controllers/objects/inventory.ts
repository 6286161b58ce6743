import { ActiveResource, type AppliedObject } from '../../api/active-resource.ts'
import type { KubeObject, StoredObject } from '../../api/kind.ts'
import { createSingleFlight } from '../../domain/base/single-flight.ts'
import type { Store } from '../../kube/cache/store.ts'
import { keyOf, namespacedName } from '../../kube/client/resource.ts'
import type { BackoffMs } from '../../kube/loop/backoff.ts'
import type { ObjectReference, Objects } from '../../kube/objects/objects.ts'
import { namespaceResourceOf } from '../shared/dependents.ts'
import type { AppliedKinds } from './applied-kinds.ts'
import {
  isDeletedWith,
  isSame,
  isSameReference,
  isWatchable,
  referenceTo,
  remaining,
} from './applied-object.ts'
import { type ApplyTools, applyAll } from './apply-objects.ts'
import { type ApplyResult, DriftDetector } from './drift.ts'
import { isInMadeNamespace, isOfOrganization, openNamespace } from './environment-namespace.ts'
import { ForeignIn } from './foreign-in.ts'
import { ForeignObjects, isOwn } from './foreign-objects.ts'
import { findGoneWith, watchAndFindMissing } from './missing-objects.ts'
import { OwnObjects } from './own-objects.ts'
import { UnseenObjects } from './unseen-objects.ts'
import type { EnvironmentNamespaces } from './watch-namespaces.ts'

/** Applies, repairs and deletes the objects of resources, and changes no object that belongs to another owner. */
export interface Inventory {
  /** Begins to watch the remembered kinds, and finds the objects that were deleted while no process watched them. */
  watchKinds(): void
  /**
   * Returns those of the objects that a new process might not find by its watches, so that the status must record them
   * before they are applied. Throws Stalled for a kind that the operator has no right to watch: it could not delete
   * objects of that kind either.
   */
  unrecorded(resource: ActiveResource, wanted: readonly KubeObject[]): Promise<AppliedObject[]>
  /** Applies the objects, and deletes the other objects of the resource, or keeps them until `removeOthers`. */
  apply(
    resource: ActiveResource,
    wanted: readonly KubeObject[],
    options?: { readonly keepsOthers: boolean },
  ): Promise<ApplyResult>
  /** Deletes the objects of a resource that are not among the applied ones. */
  removeOthers(resource: ActiveResource, applied: readonly AppliedObject[]): Promise<void>
  /** Applies an object of the resource again, with changes; one that is gone, or made again, is a conflict. */
  applyAgain(resource: ActiveResource, object: KubeObject): Promise<void>
  /** All objects of a resource to delete, also those that its status does not record yet. */
  objectsOf(resource: ActiveResource): Promise<readonly ObjectReference[]>
  /**
   * Deletes all objects of a resource; Waiting until they are gone. Leaves out the objects of built-in kinds in
   * `terminatingNamespace`, which the cluster deletes.
   */
  removeAll(resource: ActiveResource, terminatingNamespace?: string): Promise<void>
  /**
   * Names objects in a namespace that no resource made, of the kinds that the operator may list. Throws NotListed for a kind
   * that the cluster does not list now, and leaves that out after some time.
   */
  foreignIn(namespace: string): Promise<string[]>
  /** Whether another client changed an object of the resource since the last call, and it may be repaired now. */
  consumeDrift(resource: ActiveResource): boolean
  /** The object of the resource that another client changes again and again, so that its repairs have pauses. */
  contested(resource: ActiveResource): ObjectReference | undefined
  /** Enqueues the resource at the next change of any of its objects, until the next `apply`. */
  enqueueOnChange(resource: ActiveResource, result: ApplyResult): Promise<void>
  /** Calls the handler with the key of each resource to reconcile, as `namespace/GUResID`. */
  onEnqueue(handler: (key: string) => void): void
}

interface Options {
  readonly store: Store
  readonly kinds: AppliedKinds
  readonly namespaces: Pick<EnvironmentNamespaces, 'isOpen' | 'onGone'>
  /** How soon a kind that could not be watched is watched again. */
  readonly backoffMs?: BackoffMs
  /** How long a deletion waits for a kind that the cluster does not list, and that no status records. */
  readonly unlistedMs?: number
  /** Milliseconds since 1970 by the clock of the API server. */
  readonly serverNow: () => number
}

/** What the functions of an inventory share. */
interface Shared extends Options, ApplyTools {}

/** The inventory of all resources. */
export function createInventory(objects: Objects, options: Options): Inventory {
  const { store, serverNow } = options
  const drift = new DriftDetector(
    objects,
    (key) => store.get(ActiveResource, ...namespacedName(key)),
    (guResId) =>
      store
        .organizations()
        .filter(({ id }) => store.get(ActiveResource, id, guResId))
        .map(({ id }) => `${id}/${guResId}`),
  )
  const unseen = new UnseenObjects(objects)
  const foreign = new ForeignObjects(objects, unseen)
  const foreignIn = new ForeignIn(objects, options.kinds, options.unlistedMs)
  const ownObjects = new OwnObjects(objects, options.kinds, unseen, options.unlistedMs)
  const shared: Shared = { ...options, objects, drift, unseen, foreign, applying: new Map() }
  const shareOpening = createSingleFlight<void>()
  options.namespaces.onGone((namespace) => findGoneWith(namespace, shared))

  /** Many resources of a new environment need its namespace at once: they share one request. */
  async function open(resource: ActiveResource, namespace: string) {
    const { context, environmentName } = resource.spec
    if (options.namespaces.isOpen(context, namespace)) return
    const key = `${context.organizationId}/${environmentName} ${namespace}`
    await shareOpening(key, () =>
      openNamespace(objects, context, namespace, namespaceResourceOf(resource, store)),
    )
  }

  return {
    watchKinds() {
      for (const kind of options.kinds.all()) void watchAndFindMissing(kind, shared)
    },
    unrecorded: (resource, wanted) => unrecorded(resource, wanted, shared),
    async apply(resource, wanted, { keepsOthers } = { keepsOthers: false }) {
      drift.unwatch(keyOf(resource))
      const before = await ownObjects.find(resource, 'provision')
      for (const each of new Set(wanted.map(({ metadata }) => metadata.namespace)))
        if (each !== undefined) await open(resource, each)
      const result = await drift.applyAll(keyOf(resource), () => applyAll(resource, wanted, shared))
      if (!keepsOthers) await removeAllBut(result.applied, resource, before, shared)
      return result
    },
    async removeOthers(resource, applied) {
      await removeAllBut(applied, resource, await ownObjects.find(resource, 'provision', applied), shared)
    },
    applyAgain: (resource, object) =>
      drift.holdDuring(keyOf(resource), async () => drift.noteApplied(await objects.apply(object))),
    objectsOf: (resource) => ownObjects.find(resource, 'deletion'),
    async removeAll(resource, terminatingNamespace) {
      drift.unwatch(keyOf(resource))
      drift.forget(keyOf(resource))
      const left: StoredObject[] = []
      for (const each of await ownObjects.find(resource, 'deletion')) {
        const kept = isDeletedWith(terminatingNamespace, each)
          ? undefined
          : await removeOne(resource, each, shared)
        if (kept) left.push(kept)
      }
      // The resource may have waited for long before its objects were deleted.
      const times = left.flatMap(({ metadata }) => metadata.deletionTimestamp ?? [])
      const since = times.sort().at(-1)
      const kept = left.map((each) => ({ ...referenceTo(each), finalizers: each.metadata.finalizers }))
      if (kept.length > 0) throw remaining(kept, since, serverNow)
      unseen.forget(keyOf(resource))
    },
    foreignIn: (namespace) => foreignIn.find(namespace),
    consumeDrift: (resource) => drift.consume(keyOf(resource)),
    contested: (resource) => drift.contested(keyOf(resource)),
    enqueueOnChange: (resource, result) => drift.watch(keyOf(resource), result, objects),
    onEnqueue: (handler) => drift.onEnqueue(handler),
  }
}

async function unrecorded(
  resource: ActiveResource,
  wanted: readonly KubeObject[],
  { objects, kinds, store }: Shared,
): Promise<AppliedObject[]> {
  for (const each of wanted.filter(isWatchable)) {
    await objects.watch(each)
    await kinds.remember(each)
  }
  const recorded = resource.status?.objects ?? []
  const namer = namespaceResourceOf(resource, store)
  // The cluster administrator may close another namespace: labels there prove nothing then.
  const isFound = (object: KubeObject) =>
    isWatchable(object) && isInMadeNamespace(object, resource.spec.context, namer)
  return wanted
    .filter((object) => !isFound(object) && !recorded.some((each) => isSame(each, object)))
    .map((object) => ({ ...referenceTo(object), uid: '' }))
}

/** Deletes objects of the resource that are not among the applied ones. */
async function removeAllBut(
  applied: readonly AppliedObject[],
  resource: ActiveResource,
  existing: readonly ObjectReference[],
  shared: Shared,
): Promise<void> {
  const kept = new Set(applied.map(({ uid }) => uid))
  for (const each of existing)
    if (!applied.some((other) => isSameReference(other, each))) await removeOne(resource, each, shared, kept)
}

/** Deletes an object of the resource, unless its uid is among `kept`; returns it when it still exists and must not. */
async function removeOne(
  resource: ActiveResource,
  reference: ObjectReference,
  { objects, drift }: Shared,
  kept?: ReadonlySet<string>,
): Promise<StoredObject | undefined> {
  const existing = (await watched(reference, objects)) ?? (await objects.read(reference))
  if (!existing || !isOwn(resource, existing)) return undefined
  // Some clusters serve an object in two API groups.
  if (kept?.has(existing.metadata.uid)) return undefined
  // Deleting the namespace of an organization would delete the organization.
  if (reference.kind === 'Namespace' && isOfOrganization(existing)) return undefined
  const { uid, deletionTimestamp } = existing.metadata
  if (isWatchable(reference)) drift.noteDeleting(uid)
  if (!deletionTimestamp && (await objects.remove(reference, uid))) return undefined
  return objects.read(reference)
}

/** The metadata of an object as the watch of its kind shows it. */
async function watched(reference: ObjectReference, objects: Objects): Promise<StoredObject | undefined> {
  // The labels of an organization must be current.
  if (!isWatchable(reference) || reference.kind === 'Namespace') return undefined
  return (await objects.watch(reference)).get(reference.namespace ?? '', reference.name)
}
