import { Membership } from '../operator/api/access.ts'
import { Application } from '../operator/api/application.ts'
import { allows } from '../operator/domain/access/roles.ts'
import { type Cluster, refreshNamed } from '../operator/kube/cache/cluster.ts'
import { type Caller, membershipIn } from './authenticate.ts'
import { Missing, type Place, Replaced } from './request/missing.ts'
import { canBeObjectName } from './request/parameters.ts'

/** A request names at most so many objects that are found one after the other. */
const mostMissing = 4

/**
 * Handles a request, and handles it again when the API server has an object that the cache lacked, or had an earlier one of
 * its name: what one gateway has answered holds at every other. A handler looks for what the request names before it writes.
 * Throws what keeps the object from being read.
 */
export async function withLateObjects<T>(
  cluster: Cluster,
  handle: (isRepeated: boolean) => T | Promise<T>,
): Promise<T> {
  for (let missed = 0; ; missed += 1) {
    try {
      return await handle(missed > 0)
    } catch (error) {
      if (!(error instanceof Missing) || missed === mostMissing) throw error
      const isFound = (await read(cluster, error.place)) === 'found'
      // Of a name that belongs to another one, the cache may have that one already.
      if (!isFound && !(error instanceof Replaced)) throw error
    }
  }
}

/** Permits a request that is handled again: a role that the cache has may be one on an earlier object of the name. */
export async function permitAgain(
  cluster: Cluster,
  organization: string | undefined,
  caller: Caller,
  permit: (caller: Caller) => Caller | Promise<Caller>,
): Promise<Caller> {
  if (organization !== undefined) await refreshNamed(cluster, Membership, organization, caller.userName)
  return permit(caller)
}

/**
 * Permits a request of a member who may create applications and has no role on the one in the path, if the role was late, as
 * that of a creator. Throws Missing if the application is gone, and the roles on it: these members may know which ids are free.
 * Throws what `permit` throws otherwise.
 */
export async function permitLate(
  cluster: Cluster,
  place: { readonly organization: string | undefined; readonly application: string | undefined },
  caller: Caller,
  permit: (caller: Caller) => Caller,
): Promise<Caller> {
  try {
    return permit(caller)
  } catch (error) {
    const { organization: namespace, application } = place
    if (namespace === undefined || application === undefined) throw error
    const isManager = () =>
      allows(membershipIn(cluster.store, caller, namespace), { organization: 'manager' })
    if (!isManager()) throw error
    await read(cluster, { kind: Membership, namespace, name: caller.userName })
    const isGone = (await read(cluster, { kind: Application, namespace, name: application })) === 'missing'
    if (!isGone || !isManager()) return permit(caller)
    throw new Missing(Application, namespace, application, `application '${application}' not found`)
  }
}

/**
 * Reads an object that the cache may lack: `known` is what the cache has. Throws what keeps it from being read: a client that
 * deletes takes 404 for done.
 */
async function read(
  cluster: Cluster,
  { kind, namespace, name }: Place,
): Promise<'found' | 'missing' | 'known'> {
  if (!canBeObjectName(name)) return 'missing'
  const known = cluster.store.get(kind, namespace, name)
  const current = await refreshNamed(cluster, kind, namespace, name, known)
  if (!current) return 'missing'
  return current.metadata.uid === known?.metadata.uid ? 'known' : 'found'
}
