import type { Environment } from '../../api/environment.ts'
import type { EnvironmentDeployment } from '../../api/environment-deployment.ts'
import type { SetContent } from '../../domain/delta/delta.ts'
import type { ListedProblem } from '../../domain/graph/problems.ts'
import type { Plan } from '../../domain/plan/plan.ts'
import type { Cluster } from '../../kube/cache/cluster.ts'
import { refreshQuotas } from '../../kube/cache/quotas.ts'
import type { Planning } from '../../planning/planning.ts'
import { ownershipProblems } from '../../planning/workloads.ts'
import type { Installation } from '../shared/installation-key.ts'
import { isOfQuota } from './deployment-failure.ts'

interface Tools {
  readonly cluster: Cluster
  readonly planning: Planning
  readonly installation: Installation
}

/** Plans a deployment of a set. Problems of quotas are those of the quotas that the API server has now. */
export async function planDeployment(
  { spec, metadata }: EnvironmentDeployment,
  environment: Environment,
  set: SetContent,
  tools: Tools,
): Promise<Plan> {
  const { planning, installation, cluster } = tools
  const options = { isTrusted: installation.isSigned, isFull: spec.mode === 'full' }
  const plan = planning.planFor(environment, set, options)
  const owned = spec.workloads === undefined ? problemsOfOwnership(environment, set, tools) : []
  if (owned.length > 0) return { ...plan, problems: [...owned, ...plan.problems] }
  if (!plan.problems.some(isOfQuota)) return plan
  // The cache may be behind a quota that has more room by now.
  await refreshQuotas(cluster, metadata.namespace)
  return planning.planFor(environment, set, options)
}

function problemsOfOwnership(
  environment: Environment,
  set: SetContent,
  { planning, cluster }: Tools,
): ListedProblem[] {
  const deployed = planning.deployedSet(environment)
  return ownershipProblems({ store: cluster.store, planning }, environment, deployed, set).map(
    ({ workload, message }) => ({
      object: workload,
      reason: 'OwnedByWorkload',
      message,
    }),
  )
}
