import type { CommonStatus, Kind, ObjectOf } from '../../api/kind.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { sameJson } from '../../domain/base/json.ts'
import { truncate } from '../../domain/base/size-limits.ts'
import type { Cluster } from '../cache/cluster.ts'
import { ApiError, isRejected } from '../client/api-error.ts'
import { outcomeOf } from './outcome.ts'
import { nextStatus, type Result } from './status.ts'

/** Writes the results of one reconcile of an object to its status. */
export class StatusWriter<K extends Kind> {
  readonly #cluster: Cluster
  readonly #kind: K
  readonly #object: ObjectOf<K>
  readonly #isActive: () => boolean
  /** The status that the reconcile began with, or wrote last. */
  #known: CommonStatus | undefined

  /** Writes nothing unless `isActive`. */
  constructor(cluster: Cluster, kind: K, object: ObjectOf<K>, isActive: () => boolean) {
    this.#cluster = cluster
    this.#kind = kind
    this.#object = object
    this.#isActive = isActive
    this.#known = object.status
  }

  /**
   * Writes the status after a result, unless it is the same.
   * @throws ApiError a conflict when the store has got another status since the reconcile began, such as one whose answer was
   *   lost: it has facts that the result lacks.
   */
  async write(result: Result<K>): Promise<void> {
    if (!this.#isActive()) return
    const { namespace, name, generation = 0 } = this.#object.metadata
    const stored = this.#cluster.store.get(this.#kind, namespace, name) ?? this.#object
    if (stored !== this.#object && !sameJson(stored.status, this.#known))
      throw new ApiError(409, 'Conflict', `the status of '${name}' has changed since the reconcile began`)
    const before = stored.status ?? {}
    const after = nextStatus(this.#kind, before, generation, result)
    if (sameJson(before, after)) return
    const { status } = await this.#cluster.replaceStatus(this.#kind, this.#object, after, this.#kind.kind)
    this.#known = status
  }

  /** Writes the result. If the API server rejects it permanently, writes `StatusRejected`. */
  async writeOrSayWhy(result: Result<K>): Promise<void> {
    try {
      await this.write(result)
    } catch (error) {
      if (!isRejected(error)) throw error
      const message = `the cluster rejects the status: ${truncate(error.message, 1000)}; rejected message: ${truncate(result.outcome.message, 1000)}`
      await this.write({ outcome: outcomeOf(new Stalled('StatusRejected', message)) })
    }
  }
}
