import type { KubeObject, StoredObject } from '../../api/kind.ts'
import type { Cache } from '../cache/cache.ts'
import type { ServedKind } from './discovery.ts'
import type { MetadataHandler } from './metadata-watches.ts'

/** A reference to an object of any kind. */
export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/**
 * The objects of any kind that resources consist of. A request that the cluster rejects for lack of a right is Stalled,
 * NotAllowed, and names the missing rule.
 */
export interface Objects {
  /**
   * The kind in a version that the cluster serves, this one if possible: all versions show the same objects. Undefined when
   * it serves none, so that no object of the kind exists.
   */
  served(kind: ServedKind): Promise<ServedKind | undefined>
  /** The object with this namespace, when its kind is namespaced and it names none. */
  placed(object: KubeObject, namespace: string): Promise<KubeObject>
  /**
   * Server-side apply with our field manager; Stalled when the cluster rejects it for good. An object with a uid must be that
   * one: a 409 when it is gone, or another one has its name. The `stringData` of a Secret is applied as `data`.
   */
  apply(object: KubeObject): Promise<StoredObject>
  /** Creates the object; undefined when there is one of its name. */
  create(object: KubeObject): Promise<StoredObject | undefined>
  /** Changes what a merge patch of this form changes; undefined when the object does not exist. */
  merge(object: KubeObject): Promise<StoredObject | undefined>
  read(reference: ObjectReference): Promise<StoredObject | undefined>
  /** What `apply` applied last, with its current values and the uid of the object. */
  readApplied(reference: ObjectReference): Promise<KubeObject | undefined>
  /** Deletes the object with this uid; returns whether it is gone, as it is when it did not exist. */
  remove(reference: ObjectReference, uid: string): Promise<boolean>
  /**
   * Deletes the objects of a kind in a namespace that resources made, with one request for each 100; does not wait for their
   * end. Calls `before` each request, which may throw to leave the others.
   */
  removeCollection(
    kind: Pick<ObjectReference, 'apiVersion' | 'kind'>,
    namespace: string,
    before: () => void,
  ): Promise<void>
  /**
   * A synced cache of the metadata of our objects of a kind; Stalled when the watch is forbidden. Throws NotListed when the
   * cluster does not list the kind now, and tries again in the background.
   */
  watch(reference: Pick<ObjectReference, 'apiVersion' | 'kind'>): Promise<Cache>
  /** The objects of a kind in a namespace that `watch` leaves out: no resource made them. Throws as `watch` does. */
  readForeign(kind: Pick<ObjectReference, 'apiVersion' | 'kind'>, namespace: string): Promise<ForeignList>
  /** Calls the handler for each change of metadata of the watched kinds. */
  onChange(handler: MetadataHandler): void
  /** Aborted by `close`. */
  readonly closing: AbortSignal
  close(): void
}

/** The metadata of the first 20 objects that no resource made. */
export interface ForeignList {
  readonly items: readonly Pick<KubeObject, 'metadata'>[]
  readonly isComplete: boolean
}
