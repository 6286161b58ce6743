import { QuotaExceeded } from '../../domain/base/errors.ts'
import { hasMoreRoom } from '../../domain/base/quota.ts'
import type { Store } from '../cache/store.ts'

/** Keys whose last reconcile exceeded a quota. */
export class QuotaWaits {
  /** By the namespace of the quota. */
  readonly #keys = new Map<string, Set<string>>()

  /** Enqueues the keys of a namespace when one of its quotas has more room. */
  constructor({ quotas }: Pick<Store, 'quotas'>, enqueue: (key: string) => void) {
    quotas.subscribe(({ before, after }) => {
      if (!before || !hasMoreRoom(before, after)) return
      const { namespace } = before.metadata
      const keys = this.#keys.get(namespace) ?? []
      this.#keys.delete(namespace)
      for (const key of keys) enqueue(key)
    })
  }

  /** Remembers the key if the error of its reconcile is an exceeded quota. */
  add(key: string, error: unknown): void {
    if (!(error instanceof QuotaExceeded)) return
    const keys = this.#keys.get(error.namespace) ?? new Set()
    this.#keys.set(error.namespace, keys.add(key))
  }
}
