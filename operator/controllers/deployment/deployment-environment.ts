import { Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { isMadeOverRest } from '../../domain/deployment/deployment.ts'
import type { Store } from '../../kube/cache/store.ts'
import { failure } from './deployment-failure.ts'

/** How far the clocks of several API servers differ at most. */
const clockDifferenceMs = 10_000

/** Returns the environment of a deployment. Throws Waiting without it, and Stalled for one that terminates or has ended. */
export function environmentOf(store: Store, deployment: EnvironmentDeployment): Environment {
  const { environmentName } = deployment.spec
  const environment = store.get(Environment, deployment.metadata.namespace, environmentName)
  if (!environment)
    throw new Waiting('EnvironmentNotFound', `waiting for the environment '${environmentName}'`)
  if (environment.metadata.deletionTimestamp)
    throw environmentDeleted(`the environment '${environmentName}' is being deleted`)
  if (isForEarlier(deployment, environment))
    throw environmentDeleted(`the environment '${environmentName}' has been deleted and created again`)
  return environment
}

/** Whether the environment is a later one of its name. Those that deploy by kubectl and GitOps tools may create it last. */
function isForEarlier(deployment: EnvironmentDeployment, environment: Environment): boolean {
  const [made, began] = [deployment, environment].map(({ metadata }) =>
    Date.parse(metadata.creationTimestamp),
  )
  return isMadeOverRest(deployment) && Number(began) - Number(made) > clockDifferenceMs
}

function environmentDeleted(message: string): Error {
  return failure({ problems: [{ object: '', reason: 'EnvironmentDeleted', message }] })
}
