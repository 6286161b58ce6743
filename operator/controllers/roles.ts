import { Membership } from '../api/access.ts'
import type { Kind, ObjectOf } from '../api/kind.ts'
import { type KeyedMutex, withLock } from '../domain/base/keyed-mutex.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { requirePresent } from './shared/still-present.ts'

type Roles = Membership['spec']

/**
 * Returns a function that removes the roles on a deleted object from all memberships: a later object of the same id must not
 * inherit them. Objects of an organization that end at the same time lose their roles together, so that each membership is
 * written once. `nameIn` is the name of the object that a role is on.
 */
export function createRoleWithdrawal<L extends 'applications' | 'environmentTypes', K extends Kind>(
  cluster: Cluster,
  kind: K,
  list: L,
  nameIn: (role: NonNullable<Roles[L]>[number]) => string,
): (object: ObjectOf<K>) => Promise<void> {
  const locks: KeyedMutex = new Map()
  /** Objects whose roles are not withdrawn yet, by organization. */
  const waiting = new Map<string, Set<ObjectOf<K>>>()

  return async (object) => {
    const { namespace } = object.metadata
    const together = waiting.get(namespace) ?? new Set()
    waiting.set(namespace, together.add(object))
    try {
      await withLock(locks, namespace, async () => {
        if (!together.has(object)) return
        const objects = [...together]
        const kept = await withdraw(namespace, objects)
        for (const each of objects) if (!kept.has(each)) together.delete(each)
        if (kept.has(object)) throw kept.get(object)
      })
    } finally {
      together.delete(object)
      if (together.size === 0 && waiting.get(namespace) === together) waiting.delete(namespace)
    }
  }

  /**
   * Returns the objects on which roles stay, and why: of one that has ended already, because they may be on a later one, and of one
   * that could not be looked at.
   */
  async function withdraw(
    namespace: string,
    objects: readonly ObjectOf<K>[],
  ): Promise<ReadonlyMap<ObjectOf<K>, unknown>> {
    // The cache may not contain the latest roles.
    const memberships = await cluster.readAll(Membership, namespace)
    const rolesOf = ({ spec }: Membership): readonly NonNullable<Roles[L]>[number][] => spec[list] ?? []
    const held = new Set(memberships.flatMap((each) => rolesOf(each).map(nameIn)))
    // After the roles are read: those that there are while an object is there are on that object.
    const kept = new Map<ObjectOf<K>, unknown>()
    await inParallel(objects, async (each) => {
      if (!held.has(each.metadata.name)) return
      await requirePresent(cluster, kind, each).catch((error: unknown) => kept.set(each, error))
    })
    const ending = objects.filter((each) => !kept.has(each))
    const names = new Set(ending.map(({ metadata }) => metadata.name))
    await inParallel(memberships, async (membership) => {
      const roles = rolesOf(membership)
      const remaining = roles.filter((each) => !names.has(nameIn(each)))
      if (remaining.length === roles.length) return
      const { uid, resourceVersion } = membership.metadata
      const metadata = { uid, resourceVersion }
      await cluster.patch(Membership, membership, { metadata, spec: { [list]: remaining } })
    })
    return kept
  }
}
