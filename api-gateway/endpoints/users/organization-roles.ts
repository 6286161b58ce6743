import { Membership, User } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { isGone } from '../../../operator/kube/client/api-error.ts'
import { changeObject } from '../common/change.ts'
import { findAll, readUnknown, refresh } from '../common/find.ts'
import { memberOf } from './user-shape.ts'

function hasAdministrator(store: Store, organization: string, memberships: readonly Membership[]): boolean {
  return memberships.some(
    (each) =>
      each.spec.role === 'administrator' &&
      !each.metadata.deletionTimestamp &&
      memberOf(store, organization, each)?.user !== undefined,
  )
}

/** The same as the API server has it: another gateway may have made a user, or made one administrator, a moment ago. */
async function hasAdministratorNow(
  cluster: Cluster,
  organization: string,
  isCounted: (membership: Membership) => boolean = () => true,
): Promise<boolean> {
  const memberships = (await cluster.readAll(Membership, organization)).filter(isCounted)
  if (hasAdministrator(cluster.store, organization, memberships)) return true
  for (const { spec, metadata } of memberships)
    if (spec.role === 'administrator') await readUnknown(cluster, User, systemNamespace, metadata.name)
  return hasAdministrator(cluster.store, organization, memberships)
}

function lastAdministratorProblem(organization: string, { metadata }: Membership): Problem {
  return new Problem('Conflict', `user '${metadata.name}' is the last administrator of '${organization}'`)
}

/** Throws Conflict for the last administrator. */
async function refuseLastAdministrator(
  cluster: Cluster,
  organization: string,
  membership: Membership,
): Promise<void> {
  if (membership.spec.role !== 'administrator') return
  const isOther = ({ metadata }: Membership) => metadata.name !== membership.metadata.name
  const known = findAll(cluster.store, Membership, organization).filter(isOther)
  const remains =
    hasAdministrator(cluster.store, organization, known) ||
    (await hasAdministratorNow(cluster, organization, isOther))
  if (!remains) throw lastAdministratorProblem(organization, membership)
}

/**
 * Runs `revoke` and reverts it if a concurrent change leaves no administrator. `revoke` returns how to revert it
 * if it removed an administrator.
 */
async function ensureAdministratorRemains(
  cluster: Cluster,
  organization: string,
  membership: Membership,
  revoke: () => Promise<(() => Promise<unknown>) | undefined>,
): Promise<void> {
  await refuseLastAdministrator(cluster, organization, membership)
  const revert = await revoke()
  if (!revert) return
  if (await hasAdministratorNow(cluster, organization)) return
  await revert()
  throw lastAdministratorProblem(organization, membership)
}

/** Deletes a membership and returns its last state; undefined if it was already deleted. */
async function deleteLatest(cluster: Cluster, membership: Membership): Promise<Membership | undefined> {
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

/** Removes all roles of a user in the organization; throws Conflict for the last administrator. */
export async function removeMembership(
  cluster: Cluster,
  organization: string,
  membership: Membership,
): Promise<void> {
  await ensureAdministratorRemains(cluster, organization, membership, async () => {
    const removed = await deleteLatest(cluster, membership)
    if (removed?.spec.role !== 'administrator') return undefined
    const { name, namespace, annotations = {}, labels = {} } = removed.metadata
    const same = newObject(Membership, { name, namespace, annotations, labels }, removed.spec)
    return () => cluster.create(Membership, same)
  })
}

/** Changes the role of a user in the organization; throws Conflict for the last administrator. */
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
  await ensureAdministratorRemains(cluster, organization, membership, async () => {
    changed = await changeTo(role, membership)
    return wasAdministrator ? () => changeTo('administrator', changed) : undefined
  })
  return changed
}
