import type { ActiveResource } from '../../api/active-resource.ts'
import { Stalled } from '../../domain/base/errors.ts'
import type { Cache } from '../../kube/cache/cache.ts'
import { byResource } from '../../kube/cache/metadata-watches.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { ObjectReference, Objects } from '../../kube/objects.ts'
import type { AppliedKinds } from './applied-kinds.ts'
import { isSameKind, isSameReference, type ObjectKind, referenceTo } from './applied-object.ts'
import { isOwn } from './foreign-objects.ts'
import type { UnseenObjects } from './unseen-objects.ts'

/** Finds the objects of resources. */
export class OwnObjects {
  readonly #objects: Objects
  readonly #kinds: AppliedKinds
  readonly #unseen: UnseenObjects
  /** When a watch was refused last, by kind. */
  readonly #refusedAt = new Map<string, number>()

  constructor(objects: Objects, kinds: AppliedKinds, unseen: UnseenObjects) {
    this.#objects = objects
    this.#kinds = kinds
    this.#unseen = unseen
  }

  /**
   * All objects of a resource: those that the status records, those of remembered kinds that have its label, and those that
   * no watch shows yet. Leaves out the objects of a kind whose watch is refused, or was at most `believedMs` ago; Stalled
   * when the status records such an object.
   */
  async find(resource: ActiveResource, believedMs = 0): Promise<ObjectReference[]> {
    const recorded = resource.status?.objects ?? []
    const labelled: ObjectReference[] = []
    for (const { apiVersion, kind } of this.#kinds.all()) {
      const isNeeded = recorded.some((each) => isSameKind(each, { apiVersion, kind }))
      const cache = isNeeded
        ? await this.#objects.watch({ apiVersion, kind })
        : await this.#watchIfPossible({ apiVersion, kind }, believedMs)
      for (const { metadata } of cache?.byIndex(byResource, resource.metadata.name) ?? [])
        if (isOwn(resource, { metadata })) labelled.push(referenceTo({ apiVersion, kind, metadata }))
    }
    const isRecorded = (each: ObjectReference) => recorded.some((other) => isSameReference(other, each))
    const found = [...labelled, ...this.#unseen.of(keyOf(resource))]
    return [...recorded, ...found.filter((each) => !isRecorded(each))]
  }

  async #watchIfPossible(kind: ObjectKind, believedMs: number): Promise<Cache | undefined> {
    const key = `${kind.apiVersion} ${kind.kind}`
    const refusedAt = this.#refusedAt.get(key) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - refusedAt < believedMs) return undefined
    try {
      return await this.#objects.watch(kind)
    } catch (error) {
      if (!(error instanceof Stalled)) throw error
      this.#refusedAt.set(key, performance.now())
      return undefined
    }
  }
}
