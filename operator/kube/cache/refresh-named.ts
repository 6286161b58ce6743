import type { Kind, ObjectOf } from '../../api/kind.ts'
import type { Cluster } from './cluster.ts'

/** Reads an object that the cache may lack or have in an older version; `known` is what it contains. */
export async function refreshNamed<K extends Kind>(
  cluster: Pick<Cluster, 'read' | 'store'>,
  kind: K,
  namespace: string,
  name: string,
  known = cluster.store.get(kind, namespace, name),
): Promise<ObjectOf<K> | undefined> {
  const current = await cluster.read(kind, namespace, name)
  const cache = cluster.store.cacheOf(kind)
  if (current) cache.set(current)
  else if (known) cache.remove(known)
  return current
}
