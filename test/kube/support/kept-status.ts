import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { FakeCluster } from '../../api-gateway/support/fake-cluster.ts'

/** The cluster of a loop: the fake one, which keeps a written status as JSON does. */
export function keepingStatus(fake: FakeCluster): Cluster {
  return {
    ...fake,
    async replaceStatus(kind, { metadata: { namespace, name } }, status) {
      fake.setStatus(kind, namespace, name, JSON.parse(JSON.stringify(status)) as object) // some JSON object
      return fake.store.get(kind, namespace, name)
    },
  } as Cluster // without what only a gateway asks for
}
