import type { CommonStatus, Kind, KubeObject } from '../api/kind.ts'
import { apiVersion } from '../api/names.ts'
import { TokenBuckets } from '../domain/base/token-bucket.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { conditionOf } from '../kube/loop/outcome.ts'
import type { Log } from '../log.ts'
import { type EventOf, recordEvent } from './shared/events.ts'

/** Events of a namespace at once, and in the long run. Further ones are left out: the conditions say the same. */
const limit = { burst: 50, perSecond: 0.5 }

/** Records an Event when an object begins to fail, fails for another reason, or recovers. */
export class TransitionEvents {
  readonly #cluster: Cluster
  readonly #log: Log
  readonly #isActive: () => boolean
  readonly #buckets = new TokenBuckets(limit)

  constructor(cluster: Cluster, { log, isActive }: { readonly log: Log; readonly isActive: () => boolean }) {
    this.#cluster = cluster
    this.#log = log
    this.#isActive = isActive
  }

  /** Records the transitions of all objects of a kind. */
  watch(kind: Kind): void {
    const failures = new Failures()
    for (const object of this.#cluster.store.cacheOf(kind).all()) failures.eventOf(object)
    this.#cluster.store.cacheOf(kind).subscribe(({ before, after }) => {
      if (!after) {
        if (before) failures.forget(before)
        return
      }
      const event = failures.eventOf(after)
      const { namespace } = after.metadata
      if (!event || !this.#isActive() || !this.#mayRecord(namespace)) return
      recordEvent(
        this.#cluster.client,
        { apiVersion, kind: kind.kind, metadata: after.metadata },
        event,
      ).catch((error) => {
        this.#log.warn('could not record an Event', {
          kind: kind.kind,
          key: `${namespace}/${after.metadata.name}`,
          error,
        })
      })
    })
  }

  #mayRecord(namespace: string): boolean {
    return this.#buckets.take(namespace, Date.now()) === 0
  }
}

type WithStatus = Pick<KubeObject, 'metadata'> & { readonly status?: CommonStatus }

/** The reasons for which objects fail now. */
export class Failures {
  readonly #reasons = new Map<string, string>()

  /** The Event for the status of an object; undefined when the same was known. An object that waits has not recovered. */
  eventOf(object: WithStatus): EventOf | undefined {
    const ready = conditionOf(object, 'Ready')
    const key = keyOf(object)
    const known = this.#reasons.get(key)
    if (ready?.status === 'False' && ready.reason !== known) {
      this.#reasons.set(key, ready.reason)
      return { type: 'Warning', reason: ready.reason, message: ready.message }
    }
    if (ready?.status !== 'True' || known === undefined) return undefined
    this.#reasons.delete(key)
    return { type: 'Normal', reason: ready.reason, message: `ready again after ${known}` }
  }

  forget(object: WithStatus): void {
    this.#reasons.delete(keyOf(object))
  }
}

function keyOf({ metadata }: WithStatus): string {
  return metadata.uid ?? ''
}
