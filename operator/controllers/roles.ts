import { Membership } from '../api/access.ts'
import type { Kind, ObjectOf } from '../api/kind.ts'
import type { Cluster } from '../kube/cache/cluster.ts'

type Roles = Membership['spec']

/** Removes the roles on a deleted object from all memberships: a later object of the same id must not inherit them. */
export async function withdrawRoles<K extends 'applications' | 'environmentTypes'>(
  cluster: Cluster,
  { metadata }: ObjectOf<Kind>,
  list: K,
  isOn: (role: NonNullable<Roles[K]>[number]) => boolean,
): Promise<void> {
  // The cache may not contain the latest roles.
  for (const membership of await cluster.readAll(Membership, metadata.namespace)) {
    const roles: readonly NonNullable<Roles[K]>[number][] = membership.spec[list] ?? []
    const remaining = roles.filter((each) => !isOn(each))
    if (remaining.length === roles.length) continue
    const { uid, resourceVersion } = membership.metadata
    await cluster.patch(Membership, membership, {
      metadata: { uid, resourceVersion },
      spec: { [list]: remaining },
    })
  }
}
