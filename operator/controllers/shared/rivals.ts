import type { NamespacedMeta, StoredObject } from '../../api/kind.ts'
import { isPresent } from '../../domain/base/object-problem.ts'
import type { Change } from '../../kube/cache/cache.ts'
import { keyOf } from '../../kube/client/resource.ts'

/**
 * The keys of the objects that want what an object takes or gives up by a change: it is new or replaced, its deletion begins, or
 * it wants something else by `claimOf`. `rivalsOf` finds the objects that want the same as one.
 */
export function keysOfRivals<T extends StoredObject & { readonly metadata: NamespacedMeta }>(
  { before, after }: Change<T>,
  rivalsOf: (object: T) => readonly T[],
  claimOf: (object: T) => unknown,
): string[] {
  const [was, is] = [before, after].map((each) => (isPresent(each) ? each : undefined))
  if (was?.metadata.uid === is?.metadata.uid && (was && claimOf(was)) === (is && claimOf(is))) return []
  return [was, is].flatMap((each) =>
    each
      ? rivalsOf(each)
          .map(keyOf)
          .filter((key) => key !== keyOf(each))
      : [],
  )
}
