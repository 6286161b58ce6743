import type { ActiveResource } from '../../api/active-resource.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { keyOf } from '../../kube/client/resource.ts'
import { byResource } from '../../kube/objects/metadata-watches.ts'
import type { ObjectReference, Objects } from '../../kube/objects/objects.ts'
import type { AppliedKinds } from './applied-kinds.ts'
import { isSameKind, keyOfKind, type ObjectKind, referenceTo, textOf } from './applied-object.ts'
import { canHoldObjectsOf } from './environment-namespace.ts'
import { isOwn } from './foreign-objects.ts'
import type { UnseenObjects } from './unseen-objects.ts'
import { type Watched, watchServed } from './watch-served.ts'

/** What a resource is searched for. */
type Purpose = 'provision' | 'deletion'

/** A kind that could not be watched. */
interface Unwatched {
  /** Since when the cluster does not list it; undefined when the last attempt was refused. */
  readonly since: number | undefined
  /** When an attempt to watch it began or failed last. */
  readonly askedAt: number
  /** When the last attempt to watch it failed. */
  readonly failedAt: number
}

/** How long a deletion waits for a kind that the cluster does not list. */
export const longestUnlistedMs = 300_000

/** How long the operator believes that a kind cannot be watched. */
const believedMs = 30_000

/** Finds the objects of resources. */
export class OwnObjects {
  readonly #objects: Objects
  readonly #kinds: AppliedKinds
  readonly #unseen: UnseenObjects
  readonly #unlistedMs: number
  readonly #unwatched = new Map<string, Unwatched>()

  /** For `unlistedMs`, a deletion waits for a kind that the cluster does not list. */
  constructor(objects: Objects, kinds: AppliedKinds, unseen: UnseenObjects, unlistedMs = longestUnlistedMs) {
    this.#objects = objects
    this.#kinds = kinds
    this.#unseen = unseen
    this.#unlistedMs = unlistedMs
  }

  /**
   * All objects of a resource: those that the status records, those that were `applied` since, those of remembered kinds that
   * have its label, and those that no watch shows yet. An object with its label in a namespace of others is a forgery. Throws
   * when a kind that the status records cannot be watched. Leaves out the objects of another kind that the operator may not
   * watch. While the cluster does not list another kind, a provision leaves them out too, because the next one finds them. A
   * deletion waits first: it is the last chance to find them. References have a version that the cluster serves: the objects
   * of a kind without one ended with their CRD.
   */
  async find(
    resource: ActiveResource,
    purpose: Purpose,
    applied: readonly ObjectReference[] = [],
  ): Promise<ObjectReference[]> {
    // Before the watches show them, which ends the record.
    const unseen = await this.#served(this.#unseen.of(keyOf(resource)))
    const recorded = await this.#served([...(resource.status?.objects ?? []), ...applied])
    const labelled: ObjectReference[] = []
    for (const kind of this.#kinds.all()) {
      const isNeeded = recorded.some((each) => isSameKind(each, kind))
      const watched = isNeeded
        ? await watchServed(this.#objects, kind)
        : await this.#watchIfPossible(kind, purpose)
      if (!watched) continue
      for (const { metadata } of watched.cache.byIndex(byResource, resource.metadata.name))
        if (isOwn(resource, { metadata })) labelled.push(referenceTo({ ...watched.kind, metadata }))
    }
    const found = new Map<string, ObjectReference>()
    for (const each of [...recorded, ...labelled, ...unseen])
      if (!found.has(textOf(each))) found.set(textOf(each), each)
    const trusted = new Set([...recorded, ...unseen].map(textOf))
    return this.#withoutForged(resource, [...found.values()], trusted)
  }

  /** Leaves out the objects in namespaces that cannot have any of the organization, but for those that the operator recorded. */
  async #withoutForged(
    { spec: { context } }: ActiveResource,
    found: readonly ObjectReference[],
    trusted: ReadonlySet<string>,
  ): Promise<ObjectReference[]> {
    const places = new Map<string, boolean>()
    const kept: ObjectReference[] = []
    for (const each of found) {
      const { namespace } = each
      const isKnown = namespace === undefined || trusted.has(textOf(each))
      if (!isKnown && !places.has(namespace))
        places.set(namespace, await canHoldObjectsOf(this.#objects, context, namespace))
      if (isKnown || places.get(namespace)) kept.push(each)
    }
    return kept
  }

  /** The references in versions that the cluster serves. */
  async #served(references: readonly ObjectReference[]): Promise<ObjectReference[]> {
    const served: ObjectReference[] = []
    for (const each of references) {
      const kind = await this.#objects.served(each)
      if (kind) served.push({ ...each, apiVersion: kind.apiVersion })
    }
    return served
  }

  async #watchIfPossible(kind: ObjectKind, purpose: Purpose): Promise<Watched | undefined> {
    const key = keyOfKind(kind)
    const now = performance.now()
    const before = this.#unwatched.get(key)
    if (before) {
      if (now - this.#believedSince(before, purpose) < believedMs) return undefined
      this.#unwatched.set(key, { ...before, askedAt: now })
    }
    try {
      const watched = await watchServed(this.#objects, kind)
      this.#unwatched.delete(key)
      return watched
    } catch (error) {
      const isRefused = error instanceof Stalled
      const since = isRefused ? undefined : (before?.since ?? now)
      const failedAt = performance.now()
      const unwatched = { since, askedAt: failedAt, failedAt }
      this.#unwatched.set(key, unwatched)
      if (purpose === 'deletion' && !isRefused && !this.#isLong(unwatched)) throw error
      return undefined
    }
  }

  /** Since when all who ask believe that the kind cannot be watched; a deletion only believes that it was not listed for long. */
  #believedSince(unwatched: Unwatched, purpose: Purpose): number {
    // One provision asks for all: the answer may take seconds.
    if (purpose === 'provision') return unwatched.askedAt
    return this.#isLong(unwatched) ? unwatched.failedAt : Number.NEGATIVE_INFINITY
  }

  #isLong({ since, failedAt }: Unwatched): boolean {
    return since !== undefined && failedAt - since >= this.#unlistedMs
  }
}
