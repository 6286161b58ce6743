import { ActiveResource } from '../../api/active-resource.ts'
import { type Counter, createCounter } from '../../kube/cache/counter.ts'
import { scoped } from '../../kube/cache/kinds-in-store.ts'
import type { Store } from '../../kube/cache/store.ts'
import { isReady, isStalled } from '../../kube/loop/outcome.ts'

/** Where a resource in use is on its way. */
export type Progress = 'ready' | 'pending' | 'failed'

/** Judges one resource; after `attempts` failures in a row it counts as failed for its deployment, and goes on trying. */
export function progressOf(resource: ActiveResource, attempts: number): Progress {
  const { metadata, status } = resource
  if (metadata.deletionTimestamp) return 'pending'
  if (isReady(resource)) return 'ready'
  if (isStalled(resource)) return 'failed'
  const isCounted = status?.observedGeneration === metadata.generation
  return isCounted && (status?.attempts ?? 0) >= attempts ? 'failed' : 'pending'
}

/** The resources in use of each environment, counted as they change; a deployment looks at this and not at them. */
export function createProgress(store: Store, attempts: number): Counter<Progress> {
  return createCounter(store.cacheOf(ActiveResource), ['ready', 'pending', 'failed'], (resource) => {
    if (resource.spec.unusedSince) return undefined
    return { group: scoped(resource, resource.spec.environmentName), bucket: progressOf(resource, attempts) }
  })
}
