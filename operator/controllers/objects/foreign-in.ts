import { ReconcileError, Stalled } from '../../domain/base/errors.ts'
import type { Objects } from '../../kube/objects/objects.ts'
import type { AppliedKinds } from './applied-kinds.ts'
import { isWatchable, keyOfKind, type ObjectKind } from './applied-object.ts'
import { longestUnlistedMs } from './own-objects.ts'

/** Objects that the cluster makes in every namespace. */
const injected: ReadonlySet<string> = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default'])

/** Names objects in a namespace that no resource made. */
export class ForeignIn {
  readonly #objects: Pick<Objects, 'readForeign'>
  readonly #kinds: AppliedKinds
  readonly #unlistedMs: number
  /** Since when the cluster does not list a kind, by the clock of `performance`. Another version of it may be listed. */
  readonly #unlistedSince = new Map<string, number>()

  /** For `unlistedMs`, the search waits for a kind that the cluster does not list. */
  constructor(objects: Pick<Objects, 'readForeign'>, kinds: AppliedKinds, unlistedMs = longestUnlistedMs) {
    this.#objects = objects
    this.#kinds = kinds
    this.#unlistedMs = unlistedMs
  }

  /**
   * Names the objects of the remembered kinds that the operator may list. Throws NotListed, with the name of the kind, while
   * the cluster does not list one, and leaves its objects out after some time: they must not keep every namespace.
   */
  async find(namespace: string): Promise<string[]> {
    // A kind may be remembered in several versions.
    const names = new Set<string>()
    let unlisted: unknown
    for (const kind of this.#kinds.all()) {
      if (!isWatchable(kind)) continue
      try {
        for (const name of await this.#findOf(kind, namespace)) names.add(name)
      } catch (error) {
        if (error instanceof Stalled) continue // the operator may not list this kind by now
        if (!(error instanceof ReconcileError)) throw error
        if (!this.#isLong(kind)) unlisted ??= error
      }
    }
    if (unlisted) throw unlisted
    return [...names]
  }

  /** Others own what a controller of the cluster makes, and every namespace has the certificate of the cluster. */
  async #findOf(kind: ObjectKind, namespace: string): Promise<string[]> {
    const { items } = await this.#objects.readForeign(kind, namespace)
    this.#unlistedSince.delete(keyOfKind(kind))
    return items
      .filter(({ metadata }) => (metadata.ownerReferences ?? []).length === 0)
      .filter(({ metadata }) => !injected.has(`${kind.kind} ${metadata.name}`))
      .map(({ metadata }) => `${kind.kind} '${metadata.name}'`)
  }

  #isLong(kind: ObjectKind): boolean {
    const now = performance.now()
    const since = this.#unlistedSince.get(keyOfKind(kind)) ?? now
    this.#unlistedSince.set(keyOfKind(kind), since)
    return now - since >= this.#unlistedMs
  }
}
