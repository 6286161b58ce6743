import { Removals } from '../../../operator/controllers/active-resource/removals.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { silentLog } from '../../../operator/log.ts'
import { resourceTools } from './resource-tools.ts'

/** What the controller of environments needs where no resource has objects. */
export function environmentOptions(cluster: Cluster, keptDeployments = 1) {
  const { store } = cluster
  const { drivers, inventory } = resourceTools(cluster, [])
  const removals = new Removals({ store, drivers, inventory })
  return { keptDeployments, removals, inventory, log: silentLog }
}
