import { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { isFinished } from '../../domain/deployment/deployment.ts'
import type { Store } from '../../kube/cache/store.ts'

/** The deployments to an environment that run or wait for their turn. */
export function unfinishedIn(environmentKey: string, store: Store): EnvironmentDeployment[] {
  const deployments = store.byIndex(EnvironmentDeployment, 'environment', environmentKey)
  return deployments.filter((each) => !isFinished(each))
}

/** The wait for the end of another deployment, which is an event. */
export function waitForDeployment(name: string, retryAfterSeconds?: number): Waiting {
  return new Waiting(
    'DeploymentInProgress',
    `waiting for the deployment '${name}' to finish`,
    retryAfterSeconds,
  )
}
