import type { Kind, ObjectOf } from '../../api/kind.ts'
import { isPresent } from '../../domain/base/object-problem.ts'
import type { Cache } from '../../kube/cache/cache.ts'
import { type Watch, watchKind } from '../../kube/loop/controller.ts'

/** Enqueues objects when an object that they refer to is created, begins to terminate, or is gone. */
export function watchLifecycle<K extends Kind>(
  cache: Cache<ObjectOf<K>>,
  mapFunc: (object: ObjectOf<K>) => readonly string[],
): Watch {
  return watchKind<K>(cache, ({ before, after }) => {
    const object = after ?? before
    const isSame = isPresent(before) === isPresent(after) && !before === !after
    return object && !isSame ? mapFunc(object) : []
  })
}
