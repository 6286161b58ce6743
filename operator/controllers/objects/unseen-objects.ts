import { annotations } from '../../api/names.ts'
import type { ObjectReference, Objects } from '../../kube/objects.ts'
import { referenceTo, textOf } from './applied-object.ts'

/** Objects that the operator applied or began to apply, until the watch of their kind shows them. Keys are those of the resources. */
export class UnseenObjects {
  /** The objects of each resource, by their text. */
  readonly #byResource = new Map<string, Map<string, ObjectReference>>()
  /** The resources of each object. */
  readonly #resourcesOf = new Map<string, Set<string>>()

  constructor(objects: Objects) {
    objects.onChange((object) => {
      const key = object.metadata.annotations?.[annotations.resource] ?? ''
      this.#remove(key, textOf(referenceTo(object)))
    })
  }

  of(key: string): Iterable<ObjectReference> {
    return this.#byResource.get(key)?.values() ?? []
  }

  /** Whether any resource has the object. */
  has(reference: ObjectReference): boolean {
    return this.#resourcesOf.has(textOf(reference))
  }

  /** Before the apply: the answer may get lost. */
  add(key: string, reference: ObjectReference): void {
    const text = textOf(reference)
    const own = this.#byResource.get(key) ?? new Map<string, ObjectReference>()
    this.#byResource.set(key, own.set(text, reference))
    const resources = this.#resourcesOf.get(text) ?? new Set<string>()
    this.#resourcesOf.set(text, resources.add(key))
  }

  /** The resource has no objects any more. */
  forget(key: string): void {
    for (const text of this.#byResource.get(key)?.keys() ?? []) this.#remove(key, text)
  }

  #remove(key: string, text: string): void {
    const own = this.#byResource.get(key)
    if (!own?.delete(text)) return
    if (own.size === 0) this.#byResource.delete(key)
    const resources = this.#resourcesOf.get(text)
    resources?.delete(key)
    if (resources?.size === 0) this.#resourcesOf.delete(text)
  }
}
