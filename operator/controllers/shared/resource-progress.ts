import { ActiveResource } from '../../api/active-resource.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { isInUse } from '../../domain/resource/identity.ts'
import { type Counter, createCounter } from '../../kube/cache/counter.ts'
import { environmentKeyOf } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { conditionOf, isObserved, isReady, isStalled } from '../../kube/loop/outcome.ts'

/** Progress of a resource that is in use. */
export type ResourceProgress = 'ready' | 'pending' | 'failed'

/** Attempts are not those of the resource alone when the API server or a webhook does not answer, or a right is missing. */
const outageReasons: ReadonlySet<string> = new Set<Reason>(['Failed', 'NotAllowed', 'NotListed', 'Rejected'])

/** With the default of three attempts, an outage of half a minute fails no deployment. */
const moreInOutages = 4

/**
 * Returns the progress of a resource, and undefined for one that is not in use. After `attempts` failures in a row it counts as
 * failed; the retries continue.
 */
export function progressOf(resource: ActiveResource, attempts: number): ResourceProgress | undefined {
  if (!isInUse(resource)) return undefined
  if (isReady(resource)) return 'ready'
  if (isStalled(resource)) return 'failed'
  const most = outageReasons.has(conditionOf(resource, 'Ready')?.reason ?? '')
    ? attempts + moreInOutages
    : attempts
  return isObserved(resource) && (resource.status?.attempts ?? 0) >= most ? 'failed' : 'pending'
}

/** Counts the resources in use of each environment by progress, so that a deployment need not list them. */
export function createProgressCounter(store: Store, attempts: number): Counter<ResourceProgress> {
  return createCounter(store.cacheOf(ActiveResource), ['ready', 'pending', 'failed'], (resource) => {
    const bucket = progressOf(resource, attempts)
    return bucket && { group: environmentKeyOf(resource), bucket }
  })
}
