import { Membership } from '../api/access.ts'
import type { Kind, ObjectOf } from '../api/kind.ts'
import { type KeyedMutex, withLock } from '../domain/base/keyed-mutex.ts'
import type { Cluster } from '../kube/cache/cluster.ts'
import { inParallel } from '../kube/client/parallel.ts'
import { requirePresent } from './shared/still-present.ts'

type Roles = Membership['spec']

/** Objects that lose their roles together. */
interface Batch<T> {
  readonly objects: T[]
  /** On which of them roles stay, and why. */
  readonly kept: Promise<ReadonlyMap<T, unknown>>
}

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
  /** The objects whose roles are withdrawn next, by organization. */
  const next = new Map<string, Batch<ObjectOf<K>>>()

  return async (object) => {
    const { namespace } = object.metadata
    const { objects, kept } = next.get(namespace) ?? begin(namespace)
    objects.push(object)
    const errors = await kept
    if (errors.has(object)) throw errors.get(object)
  }

  /** Begins a batch, which takes more objects until the one before it ends. */
  function begin(namespace: string): Batch<ObjectOf<K>> {
    const objects: ObjectOf<K>[] = []
    const kept = withLock(locks, namespace, () => {
      next.delete(namespace)
      return withdraw(namespace, objects)
    })
    const batch = { objects, kept }
    next.set(namespace, batch)
    return batch
  }

  /**
   * Returns the objects on which roles stay, and why: of one that has ended already, because they may be on a later one; of one
   * that could not be looked at; and of one with a role in a membership that could not be written.
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
    const ending = new Map(
      objects.filter((each) => !kept.has(each)).map((each) => [each.metadata.name, each]),
    )
    await inParallel(memberships, async (membership) => {
      const roles = rolesOf(membership)
      const ended = roles.flatMap((each) => ending.get(nameIn(each)) ?? [])
      if (ended.length === 0) return
      const remaining = roles.filter((each) => !ending.has(nameIn(each)))
      const { uid, resourceVersion } = membership.metadata
      const metadata = { uid, resourceVersion }
      await cluster
        .patch(Membership, membership, { metadata, spec: { [list]: remaining } })
        .catch((error: unknown) => {
          for (const each of ended) {
            kept.set(each, error)
            // It begins again anyway.
            ending.delete(each.metadata.name)
          }
        })
    })
    return kept
  }
}
