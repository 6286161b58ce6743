import type { Kind, KubeObject, ObjectOf } from '../../operator/api/kind.ts'
import { annotations } from '../../operator/api/names.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { sameJson } from '../../operator/domain/json.ts'
import { ApiError } from '../../operator/kube/client.ts'
import type { Cluster } from '../../operator/kube/cluster.ts'

const maxAttempts = 5

/** The object after a change, saying when that was; a change that changes nothing leaves it as it is. */
export function stamped<T extends KubeObject>(before: T, after: T, time: string): T {
  if (sameJson(before, after)) return before
  const { annotations: given } = after.metadata
  return {
    ...after,
    metadata: { ...after.metadata, annotations: { ...given, [annotations.lastModifiedAt]: time } },
  }
}

/** Changes an object; a write that loses a race looks at the newer object and decides again. */
export async function changeObject<K extends Kind>(
  cluster: Cluster,
  kind: K,
  first: ObjectOf<K>,
  change: (object: ObjectOf<K>) => ObjectOf<K>,
): Promise<ObjectOf<K>> {
  let object = first
  for (let attempt = 1; ; attempt += 1) {
    const wanted = change(object)
    if (sameJson(wanted, object)) return object
    try {
      return await cluster.replace(kind, wanted)
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'Conflict' || attempt >= maxAttempts) throw error
    }
    const { namespace = '', name, uid } = object.metadata
    const newer = await cluster.read(kind, namespace, name)
    if (!newer || newer.metadata.uid !== uid) throw new Problem('NotFound', `'${name}' not found`)
    object = newer
  }
}
