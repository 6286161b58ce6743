import { ActiveResource } from '../../api/active-resource.ts'
import type { DeploymentProblem } from '../../api/environment-deployment.ts'
import { formatDescriptor } from '../../domain/resource/descriptor.ts'
import type { Store } from '../../kube/cache/store.ts'
import { conditionOf } from '../../kube/loop/outcome.ts'
import { progressOf, type ResourceProgress } from '../shared/resource-progress.ts'

/** The conditions of the resources in use of an environment that have this progress, as problems of a deployment. */
export function problemsOf(
  store: Store,
  environmentKey: string,
  progress: ResourceProgress,
  attempts: number,
): DeploymentProblem[] {
  return store
    .byIndex(ActiveResource, 'environment', environmentKey)
    .filter((each) => !each.spec.unusedSince && progressOf(each, attempts) === progress)
    .map((each) => {
      const ready = conditionOf(each, 'Ready')
      return {
        object: formatDescriptor(each.spec),
        reason: ready?.reason ?? 'Pending',
        message: `${ready?.message ?? ''} (definition '${each.spec.definition.definitionName}')`,
      }
    })
}
