import type { ActiveResource, AppliedObject } from '../../api/active-resource.ts'
import type { StoredObject } from '../../api/kind.ts'
import { annotations, labels, manager } from '../../api/names.ts'
import { namespaceOf } from '../../kube/client/resource.ts'
import type { ObjectReference, Objects } from '../../kube/objects/objects.ts'
import { isNewer, isSame, isWatchable, referenceTo, versionOf } from './applied-object.ts'
import { RepairPace } from './repair-pace.ts'

/** Objects after they were applied: as a status records them, and as the API server returned them. */
export interface ApplyResult {
  readonly applied: readonly AppliedObject[]
  readonly live: readonly StoredObject[]
}

export interface ApplyOutcome extends ApplyResult {
  /** Whether an object has another version than its watch showed before. */
  readonly isChanged: boolean
}

interface ObjectEvent {
  readonly object: StoredObject
  readonly isGone: boolean
  /** Whether the first list of a watch has the object: the process before may have recorded it. */
  readonly isFirstList: boolean
}

/** Detects changes that other clients make to the objects of resources. Keys are those of the resources. */
export class DriftDetector {
  readonly #find: (key: string) => ActiveResource | undefined
  readonly #findByName: (guResId: string) => readonly string[]
  /** The object that drifted last, by resource. */
  readonly #drifted = new Map<string, ObjectReference>()
  readonly #pace = new RepairPace((key) => this.#enqueue(key))
  /** Resources for which every change of an object counts, not only drift. */
  readonly #watched = new Map<string, ApplyResult>()
  /** Version that the operator applied last, by uid. */
  readonly #appliedVersions = new Map<string, number>()
  /** Uids of the objects that the operator deletes. */
  readonly #deleting = new Set<string>()
  /** Events that arrived during an apply, by resource. */
  readonly #held = new Map<string, ObjectEvent[]>()
  readonly #handlers: ((key: string) => void)[] = []

  /** `findByName` finds the keys of the resources of all organizations with a GUResID. */
  constructor(
    objects: Objects,
    find: (key: string) => ActiveResource | undefined,
    findByName: (guResId: string) => readonly string[],
  ) {
    this.#find = find
    this.#findByName = findByName
    objects.onChange((object, isGone, isFirstList) => {
      const key = this.#resourceKeyOf(object)
      if (key === undefined) return
      const event = { object, isGone, isFirstList }
      const held = this.#held.get(key)
      if (held) held.push(event)
      else this.#handle(key, event)
    })
  }

  /** Whether an object of the resource drifted since the last call, and may be repaired now; it is enqueued when it may. */
  consume(key: string): boolean {
    const object = this.#drifted.get(key)
    return object !== undefined && this.#pace.take(key, object) && this.#drifted.delete(key)
  }

  /** The object of the resource that another client changes again and again, and that is repaired with pauses. */
  contested(key: string): ObjectReference | undefined {
    return this.#pace.contested(key)
  }

  /** The resource needs no repairs any more. */
  forget(key: string): void {
    this.#drifted.delete(key)
    this.#pace.forget(key)
  }

  /** Enqueues the resource at the next change of any of its objects, also one that came since they were applied. */
  async watch(key: string, result: ApplyResult, objects: Objects): Promise<void> {
    this.#watched.set(key, result)
    for (const object of result.live.filter(isWatchable)) {
      const cache = await objects.watch(object)
      const seen = cache.get(namespaceOf(object), object.metadata.name)
      const isChanged = seen && isNewer({ ...object, metadata: seen.metadata }, object)
      if (isChanged && this.#watched.delete(key)) this.#enqueue(key)
    }
  }

  /** Ends `watch`. */
  unwatch(key: string): void {
    this.#watched.delete(key)
  }

  onEnqueue(handler: (key: string) => void): void {
    this.#handlers.push(handler)
  }

  /** Applies all objects of the resource: what drifted until now needs no repair. */
  async applyAll(key: string, apply: () => Promise<ApplyOutcome>): Promise<ApplyResult> {
    this.#drifted.delete(key)
    const result = await this.holdDuring(key, apply)
    this.#pace.noteRepaired(key, result.isChanged)
    return result
  }

  /** Runs an apply. Events are handled after it: only then is it known which of them the apply caused. */
  async holdDuring<T>(key: string, apply: () => Promise<T>): Promise<T> {
    const events: ObjectEvent[] = []
    this.#held.set(key, events)
    try {
      return await apply()
    } finally {
      this.#held.delete(key)
      for (const event of events) this.#handle(key, event)
    }
  }

  /** The first list of a watch leaves out an object that the status records; one that was applied since then comes later. */
  noteMissing(key: string, object: AppliedObject): void {
    if (this.#appliedVersions.has(object.uid)) return
    this.#drifted.set(key, object)
    this.#enqueue(key)
  }

  /** The operator applied the object, which its watch will show. */
  noteApplied({ metadata }: StoredObject): void {
    const { uid } = metadata
    this.#deleting.delete(uid)
    const version = versionOf(metadata)
    if (version !== undefined) this.#appliedVersions.set(uid, version)
  }

  /** The operator is about to delete the object. */
  noteDeleting(uid: string): void {
    this.#deleting.add(uid)
  }

  #enqueue(key: string): void {
    for (const handler of this.#handlers) handler(key)
  }

  #handle(key: string, event: ObjectEvent): void {
    const { uid } = event.object.metadata
    const isOwnDelete = this.#deleting.has(uid)
    if (event.isGone) this.#deleting.delete(uid)
    const resource = isOwnDelete ? undefined : this.#find(key)
    if (!resource || resource.metadata.deletionTimestamp) {
      if (event.isGone) this.#appliedVersions.delete(uid)
      return
    }
    const live = this.#watched.get(key)?.live
    const recorded = this.#recordOf(key, event.object)
    if (!recorded && !this.#appliedVersions.has(uid)) return
    if (this.#isDrift(key, event, recorded)) {
      this.#drifted.set(key, referenceTo(event.object))
      // An unfinished provision would apply the objects at once.
      if (this.#pace.isWaiting(key)) return
    } else if (!live?.some((each) => isNewer(event.object, each))) return
    this.#watched.delete(key)
    this.#enqueue(key)
  }

  /** Whether another client caused the event: neither an apply of the operator nor the first list of a watch did. */
  #isDrift(
    key: string,
    { object, isGone, isFirstList }: ObjectEvent,
    recorded: AppliedObject | undefined,
  ): boolean {
    const { uid } = object.metadata
    // The status may not record yet what was applied last.
    if (isGone) return this.#appliedVersions.delete(uid) || recorded?.uid === uid
    const known = this.#appliedVersions.get(uid) ?? (recorded?.uid === uid ? versionOf(recorded) : undefined)
    const isChanged = known !== undefined && (versionOf(object.metadata) ?? 0) > known
    const { annotations: given } = object.metadata
    const isMarked =
      given?.[annotations.resource] === key &&
      given[annotations.descriptor] !== undefined &&
      object.metadata.labels?.[labels.managedBy] === manager &&
      key.endsWith(`/${object.metadata.labels[labels.resource]}`)
    return isChanged || !(isFirstList || isMarked)
  }

  /**
   * The key of the resource of an object: of those that its annotation and its label name, the one that records it. Another client
   * may have changed either of them.
   */
  #resourceKeyOf(object: StoredObject): string | undefined {
    const key = object.metadata.annotations?.[annotations.resource]
    if (key !== undefined && (this.#held.has(key) || this.#recordOf(key, object))) return key
    const name = object.metadata.labels?.[labels.resource]
    const named = name === undefined ? [] : this.#findByName(name)
    const keys = key === undefined ? named : [key, ...named]
    return (
      keys.find((each) => this.#recordOf(each, object)) ?? keys.find((each) => this.#find(each)) ?? keys[0]
    )
  }

  /** What is recorded of an object; the status may not record the objects of a watched resource yet. */
  #recordOf(key: string, object: StoredObject): AppliedObject | undefined {
    const applied = this.#watched.get(key)?.applied ?? this.#find(key)?.status?.objects
    return applied?.find((each) => isSame(each, object))
  }
}
