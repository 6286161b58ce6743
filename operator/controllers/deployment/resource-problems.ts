import { ActiveResource } from '../../api/active-resource.ts'
import type { DeploymentProblem } from '../../api/environment-deployment.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import type { Store } from '../../kube/cache/store.ts'
import { conditionOf, isObserved } from '../../kube/loop/outcome.ts'
import type { Renewals } from '../shared/renewals.ts'
import { progressOf, type ResourceProgress } from '../shared/resource-progress.ts'

interface Tools {
  readonly store: Store
  readonly renewals: Renewals
  /** Failures in a row after which a resource counts as failed. */
  readonly attempts: number
}

/** Resources in use of an environment that failed or are pending, as problems of a deployment. */
export function problemsOf(
  which: Exclude<ResourceProgress, 'ready'>,
  environmentKey: string,
  { store, renewals, attempts }: Tools,
): DeploymentProblem[] {
  return store.byIndex(ActiveResource, 'environment', environmentKey).flatMap((each) => {
    const progress = progressOf(each, attempts)
    const object = formatDescriptor(each.spec)
    const definition = `(definition '${each.spec.definition.definitionName}')`
    if (progress === 'ready' && which === 'pending' && renewals.isPending(each))
      return [{ object, reason: 'Pending', message: `not provisioned again yet ${definition}` }]
    if (progress !== which) return []
    const ready = isObserved(each) ? conditionOf(each, 'Ready') : undefined
    const { reason, message } = ready ?? { reason: 'Pending', message: 'not provisioned yet' }
    return [{ object, reason, message: `${message} ${definition}` }]
  })
}
