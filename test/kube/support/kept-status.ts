import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { FakeCluster } from '../../api-gateway/support/fake-cluster.ts'

/** The cluster of a loop: the fake one, which keeps a written status as JSON does. */
export function keepingStatus(fake: FakeCluster): Cluster {
  return {
    ...fake,
    async replaceStatus(kind, { metadata: { namespace, name } }, status) {
      fake.setStatus(kind, namespace, name, JSON.parse(JSON.stringify(status)) as object) // some JSON object
      const kept = fake.store.get(kind, namespace, name)
      if (!kept) throw new Error(`no ${kind.kind} '${name}'`)
      return kept
    },
  }
}
