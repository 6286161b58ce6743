import { ActiveResource } from '../../api/active-resource.ts'
import { Environment } from '../../api/environment.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { type Cluster, refreshNamed } from '../../kube/cache/cluster.ts'
import { ApiError } from '../../kube/client/api-error.ts'
import type { ProvisionTools } from './provision-run.ts'

/**
 * Throws a conflict for a resource that ended or got another spec before this process learned it: a call would make an instance
 * that nothing deprovisions, deprovision that of the next resource of the name, or take back what a former call has made. Only a
 * former process can have done it, so the first call of this process looks, unless it writes a record.
 */
export async function refuseOutdated(
  { metadata: { namespace, name, uid, generation, deletionTimestamp } }: ActiveResource,
  { cluster, seen }: Pick<ProvisionTools, 'cluster' | 'seen'>,
): Promise<void> {
  if (seen.has(uid)) return
  const current = await refreshNamed(cluster, ActiveResource, namespace, name)
  if (current?.metadata.uid !== uid || current.metadata.deletionTimestamp !== deletionTimestamp)
    throw new ApiError(409, 'Conflict', `the resource '${name}' is deleted`)
  if (current.metadata.generation !== generation)
    throw new ApiError(409, 'Conflict', `the resource '${name}' has another spec`)
  seen.add(uid)
}

/**
 * Throws Waiting for a resource of a terminating environment, which is about to delete it: what ends with the environment must not
 * be made again, also while the cluster refuses to delete the resource. A late request can create a resource after the environment
 * is gone: deletes it, and throws a conflict. One that may have an instance is left as it is.
 */
export async function refuseWithoutEnvironment(resource: ActiveResource, cluster: Cluster): Promise<void> {
  const { metadata, spec, status } = resource
  const [namespace, name] = [metadata.namespace, spec.environmentName]
  const isNew = status?.provisioned === undefined
  const environment =
    cluster.store.get(Environment, namespace, name) ??
    (isNew ? await refreshNamed(cluster, Environment, namespace, name) : undefined)
  if (environment?.metadata.deletionTimestamp)
    throw new Waiting('EnvironmentDeleted', `waiting to be deleted with the environment '${name}'`)
  if (environment || !isNew) return
  await cluster.remove(ActiveResource, resource)
  throw new ApiError(409, 'Conflict', `the environment '${name}' does not exist`)
}
