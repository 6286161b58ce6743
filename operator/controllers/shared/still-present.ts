import type { Kind, KubeObject, ObjectOf } from '../../api/kind.ts'
import { isClearlyBefore } from '../../domain/base/creation-time.ts'
import { type Cluster, refreshNamed } from '../../kube/cache/cluster.ts'
import { ApiError } from '../../kube/client/api-error.ts'

/**
 * Throws a conflict if an object has ended, although the cache has it: what was created since its deletion may belong to a later one
 * of its name. Asks the API server only for such dependents. Look for the dependents first: those that were there while the
 * object was belong to it.
 */
export async function requireStillPresent<K extends Kind>(
  cluster: Pick<Cluster, 'read' | 'store'>,
  kind: K,
  object: ObjectOf<K>,
  dependents: readonly Pick<KubeObject, 'metadata'>[],
): Promise<void> {
  const deletedAt = Date.parse(object.metadata.deletionTimestamp ?? '')
  if (dependents.every((each) => isClearlyBefore(each, deletedAt))) return
  await requirePresent(cluster, kind, object)
}

/** The same, with one request, although nothing new depends on it. */
export async function requirePresent<K extends Kind>(
  cluster: Pick<Cluster, 'read' | 'store'>,
  kind: K,
  { metadata: { namespace, name, uid } }: ObjectOf<K>,
): Promise<void> {
  const current = await refreshNamed(cluster, kind, namespace, name)
  if (current?.metadata.uid === uid) return
  throw new ApiError(409, 'Conflict', `'${name}' has ended`)
}
