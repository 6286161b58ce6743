import { DeploymentSet } from '../api/deployment-set.ts'
import type { Environment } from '../api/environment.ts'
import { EnvironmentDeployment } from '../api/environment-deployment.ts'
import type { SetContent } from '../domain/delta/delta.ts'
import { baseNamed } from '../domain/deployment/deployment-base.ts'
import type { Store } from '../kube/cache/store.ts'

/** The set that an environment starts with, and the object name of the environment that it comes from. */
export interface EnvironmentStart {
  readonly set: SetContent
  readonly environmentName: string
}

/** What an environment starts with; undefined when it starts empty, or the set is missing. */
export function startOf(store: Store, environment: Environment): EnvironmentStart | undefined {
  const { namespace } = environment.metadata
  const { fromDeploymentName: from } = environment.spec
  if (from === undefined) return undefined
  const find = (name: string) => store.get(EnvironmentDeployment, namespace, name)
  const { setName = '' } = baseNamed(environment, from, find)
  const set = store.get(DeploymentSet, namespace, setName)?.spec
  const { start } = environment.status ?? {}
  const environmentName =
    start?.deploymentName === from ? start.environmentName : find(from)?.spec.environmentName
  return set && environmentName !== undefined ? { set, environmentName } : undefined
}
