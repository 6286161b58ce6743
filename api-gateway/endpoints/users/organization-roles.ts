import { Membership } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { type Cluster, isGone } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { changeObject } from '../common/change.ts'
import { findAll, refresh } from '../common/find.ts'
import { memberOf } from './user-shape.ts'

function isLastAdministrator(store: Store, organization: string, membership: Membership): boolean {
  if (membership.spec.role !== 'administrator') return false
  return !hasAdministrator(
    store,
    organization,
    findAll(store, Membership, organization).filter(
      ({ metadata }) => metadata.name !== membership.metadata.name,
    ),
  )
}

function hasAdministrator(store: Store, organization: string, memberships: readonly Membership[]): boolean {
  return memberships.some(
    (each) =>
      each.spec.role === 'administrator' &&
      !each.metadata.deletionTimestamp &&
      memberOf(store, organization, each)?.user !== undefined,
  )
}

function lastAdministrator(organization: string, { metadata }: Membership): Problem {
  return new Problem('Conflict', `user '${metadata.name}' is the last administrator of '${organization}'`)
}

/**
 * Takes a role away and gives it back when, by what others did meanwhile, no administrator is left; `take` tells how to
 * give it back when it was an administrator who lost it.
 */
async function keepingAnAdministrator(
  cluster: Cluster,
  organization: string,
  membership: Membership,
  take: () => Promise<(() => Promise<unknown>) | undefined>,
): Promise<void> {
  const { store } = cluster
  if (isLastAdministrator(store, organization, membership)) throw lastAdministrator(organization, membership)
  const giveBack = await take()
  if (!giveBack) return
  if (hasAdministrator(store, organization, await cluster.readAll(Membership, organization))) return
  await giveBack()
  throw lastAdministrator(organization, membership)
}

/** Takes a membership away and gives what it was at its end; undefined when others took it away. */
async function takeAway(cluster: Cluster, membership: Membership): Promise<Membership | undefined> {
  for (let attempts = 10; ; attempts--) {
    const current = await refresh(cluster, Membership, membership)
    if (!current) return undefined
    try {
      await cluster.removeUnchanged(Membership, current)
      return current
    } catch (error) {
      if (!isGone(error) || attempts === 1) throw error
    }
  }
}

/** Takes all roles in the organization from a user, unless that is its last administrator. */
export async function removeMembership(
  cluster: Cluster,
  organization: string,
  membership: Membership,
): Promise<void> {
  await keepingAnAdministrator(cluster, organization, membership, async () => {
    const removed = await takeAway(cluster, membership)
    if (removed?.spec.role !== 'administrator') return undefined
    const { name, namespace = '', annotations = {}, labels = {} } = removed.metadata
    const same = newObject(Membership, { name, namespace, annotations, labels }, removed.spec)
    return () => cluster.create(Membership, same)
  })
}

/** Gives a user another role in the organization, unless that is its last administrator. */
export async function changeRole(
  cluster: Cluster,
  organization: string,
  membership: Membership,
  role: Membership['spec']['role'],
): Promise<Membership> {
  let wasAdministrator = false
  const changeTo = (wanted: typeof role, from: Membership) =>
    changeObject(cluster, Membership, from, (object) => {
      wasAdministrator = object.spec.role === 'administrator'
      return { ...object, spec: { ...object.spec, role: wanted } }
    })
  if (role === 'administrator') return await changeTo(role, membership)
  let changed = membership
  await keepingAnAdministrator(cluster, organization, membership, async () => {
    changed = await changeTo(role, membership)
    return wasAdministrator ? () => changeTo('administrator', changed) : undefined
  })
  return changed
}
