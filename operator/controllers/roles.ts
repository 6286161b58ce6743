import { Membership } from '../api/access.ts'
import type { Kind, ObjectOf } from '../api/kind.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { requirePresent } from './shared/still-present.ts'

type Roles = Membership['spec']

/** Removes the roles on a deleted object from all memberships: a later object of the same id must not inherit them. */
export async function withdrawRoles<L extends 'applications' | 'environmentTypes', K extends Kind>(
  cluster: Cluster,
  kind: K,
  object: ObjectOf<K>,
  list: L,
  isOn: (role: NonNullable<Roles[L]>[number]) => boolean,
): Promise<void> {
  // The cache may not contain the latest roles.
  for (const membership of await cluster.readAll(Membership, object.metadata.namespace)) {
    const roles: readonly NonNullable<Roles[L]>[number][] = membership.spec[list] ?? []
    const remaining = roles.filter((each) => !isOn(each))
    if (remaining.length === roles.length) continue
    // They may be on a later object.
    await requirePresent(cluster, kind, object)
    const { uid, resourceVersion } = membership.metadata
    await cluster.patch(Membership, membership, {
      metadata: { uid, resourceVersion },
      spec: { [list]: remaining },
    })
  }
}
