import { Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { isClearlyOlder } from '../../domain/base/creation-time.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { isMadeOverRest } from '../../domain/deployment/deployment.ts'
import type { Store } from '../../kube/cache/store.ts'
import { failure } from './deployment-failure.ts'

/** Returns the environment of a deployment. Throws Waiting without it, and Stalled for one that terminates or has ended. */
export function environmentOf(store: Store, deployment: EnvironmentDeployment): Environment {
  const { environmentName } = deployment.spec
  const environment = store.get(Environment, deployment.metadata.namespace, environmentName)
  if (!environment)
    throw new Waiting('EnvironmentNotFound', `waiting for the environment '${environmentName}'`)
  if (environment.metadata.deletionTimestamp)
    throw environmentDeleted(`the environment '${environmentName}' is being deleted`)
  // Those that deploy by kubectl and GitOps tools may create the environment last.
  if (isMadeOverRest(deployment) && isClearlyOlder(deployment, environment))
    throw environmentDeleted(`the environment '${environmentName}' has been deleted and created again`)
  return environment
}

function environmentDeleted(message: string): Error {
  return failure({ problems: [{ object: '', reason: 'EnvironmentDeleted', message }] })
}
