import { DeploymentDelta } from '../../api/deployment-delta.ts'
import { Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import { createCacheBarrier } from '../../kube/cache/cache-barrier.ts'
import { type Cluster, refreshNamed } from '../../kube/cache/cluster.ts'
import { planInputs } from './deployment-watches.ts'

/** Waits until the cache holds what a client wrote before it deployed. */
export function createInputBarrier(cluster: Cluster): (deployment: EnvironmentDeployment) => Promise<void> {
  const waitForCache = createCacheBarrier(cluster, [...planInputs, Environment])
  return async ({ metadata: { namespace }, spec: { deltaName, setName } }) => {
    await waitForCache(namespace)
    // An organization may have thousands of deltas, so the one that is applied is read.
    if (deltaName && setName === undefined) await refreshNamed(cluster, DeploymentDelta, namespace, deltaName)
  }
}
