import { annotations } from '../../api/names.ts'
import type { ObjectReference, Objects } from '../../kube/objects.ts'
import { isSame, isSameReference } from './applied-object.ts'

/** Objects that the operator applied or began to apply, until the watch of their kind shows them. Keys are those of the resources. */
export class UnseenObjects {
  readonly #byResource = new Map<string, readonly ObjectReference[]>()

  constructor(objects: Objects) {
    objects.onChange((object) => {
      const key = object.metadata.annotations?.[annotations.resource] ?? ''
      const left = this.of(key).filter((each) => !isSame(each, object))
      if (left.length > 0) this.#byResource.set(key, left)
      else this.#byResource.delete(key)
    })
  }

  of(key: string): readonly ObjectReference[] {
    return this.#byResource.get(key) ?? []
  }

  /** Before the apply: the answer may get lost. */
  add(key: string, reference: ObjectReference): void {
    const others = this.of(key).filter((each) => !isSameReference(each, reference))
    this.#byResource.set(key, [...others, reference])
  }

  /** The resource has no objects any more. */
  forget(key: string): void {
    this.#byResource.delete(key)
  }
}
