import type { Kind, ObjectOf } from '../../api/kind.ts'
import { isPresent } from '../../domain/base/object-problem.ts'
import type { Cache } from '../../kube/cache/cache.ts'
import { type Watch, watchKind } from '../../kube/loop/controller.ts'

/** Wakes objects when another one that they refer to comes, goes, or begins to be deleted. */
export function watchPresence<K extends Kind>(
  cache: Cache<ObjectOf<K>>,
  mapFunc: (object: ObjectOf<K>) => readonly string[],
): Watch {
  return watchKind<K>(cache, ({ before, after }) => {
    const object = after ?? before
    const isSame = isPresent(before) === isPresent(after) && !before === !after
    return object && !isSame ? mapFunc(object) : []
  })
}
