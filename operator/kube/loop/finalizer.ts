import type { Kind, ObjectOf } from '../../api/kind.ts'
import { finalizer } from '../../api/names.ts'
import type { Cluster } from '../cache/cluster.ts'
import { isNotFound } from '../client/client.ts'

/** Adds our finalizer to the object; a conflict when the object has changed. */
export async function addFinalizer<K extends Kind>(
  cluster: Cluster,
  kind: K,
  object: ObjectOf<K>,
): Promise<ObjectOf<K>> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata
  const metadata = { uid, resourceVersion, finalizers: [...finalizers, finalizer] }
  return cluster.patch(kind, object, { metadata }, kind.kind)
}

/** Removes our finalizer from the newest known version of the object, which may be gone already. */
export async function removeFinalizer<K extends Kind>(
  cluster: Cluster,
  kind: K,
  object: ObjectOf<K>,
): Promise<void> {
  const { namespace, name, uid } = object.metadata
  const { resourceVersion, finalizers = [] } = (cluster.store.get(kind, namespace, name) ?? object).metadata
  const metadata = { uid, resourceVersion, finalizers: finalizers.filter((each) => each !== finalizer) }
  try {
    await cluster.patch(kind, object, { metadata }, kind.kind)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
