import type { NamespacedMeta } from '../../api/kind.ts'
import { keyOf } from '../../kube/client/resource.ts'

/** The keys of the objects that want the same as this one, without its own. */
export function keysOfRivals<T extends { readonly metadata: NamespacedMeta }>(
  object: T,
  all: readonly T[],
): string[] {
  return all.map(keyOf).filter((key) => key !== keyOf(object))
}
