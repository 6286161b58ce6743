import { EnvironmentType } from '../api/environment-type.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import type { Controller } from '../kube/loop/controller.ts'
import { createRoleWithdrawal } from './roles.ts'

/** An environment type is always ready; deleting it removes the roles on it. */
export function environmentTypeController(cluster: Cluster): Controller<typeof EnvironmentType> {
  return {
    kind: EnvironmentType,
    async reconcile() {
      return {}
    },
    finalize: createRoleWithdrawal(
      cluster,
      EnvironmentType,
      'environmentTypes',
      ({ environmentTypeName }) => environmentTypeName,
    ),
  }
}
