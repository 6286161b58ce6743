import { annotations } from '../../api/names.ts'
import type { ObjectReference, Objects } from '../../kube/objects/objects.ts'
import { referenceTo, textOf } from './applied-object.ts'

interface Unseen {
  readonly reference: ObjectReference
  /** During the apply: the uids of all objects with the name that the watch showed since it began. */
  readonly seen?: Set<string>
  /** Known after the apply, unless its answer got lost. */
  readonly uid?: string
}

/** Objects that the operator applied or began to apply, until the watch of their kind shows them. Keys are those of the resources. */
export class UnseenObjects {
  /** The objects of each resource, by their text. */
  readonly #byResource = new Map<string, Map<string, Unseen>>()
  /** The resources of each object. */
  readonly #resourcesOf = new Map<string, Set<string>>()

  constructor(objects: Objects) {
    objects.onChange(({ metadata, ...object }, isGone) => {
      const key = metadata.annotations?.[annotations.resource] ?? ''
      const text = textOf(referenceTo({ ...object, metadata }))
      const { seen, uid = metadata.uid } = this.#byResource.get(key)?.get(text) ?? {}
      if (isGone) return
      // A late watch shows changes and the end of an earlier object with the name first.
      if (seen) seen.add(metadata.uid)
      else if (uid === metadata.uid) this.#remove(key, text)
    })
  }

  /** The objects of a resource. */
  of(key: string): ObjectReference[] {
    return [...(this.#byResource.get(key)?.values() ?? [])].map(({ reference }) => reference)
  }

  /** Whether any resource has the object. */
  has(reference: ObjectReference): boolean {
    return this.#resourcesOf.has(textOf(reference))
  }

  /** Before the apply: the answer may get lost. */
  add(key: string, reference: ObjectReference): void {
    const text = textOf(reference)
    const own = this.#byResource.get(key) ?? new Map<string, Unseen>()
    this.#byResource.set(key, own.set(text, { reference, seen: new Set() }))
    const resources = this.#resourcesOf.get(text) ?? new Set<string>()
    this.#resourcesOf.set(text, resources.add(key))
  }

  /** After the apply, which the watch may have shown already. */
  noteApplied(key: string, reference: ObjectReference, uid: string): void {
    const text = textOf(reference)
    const record = this.#byResource.get(key)?.get(text)
    if (record?.seen?.has(uid)) this.#remove(key, text)
    else if (record) this.#byResource.get(key)?.set(text, { reference, uid })
  }

  /** After an apply whose answer is unknown: any object with the name may be the applied one. */
  noteFailed(key: string, reference: ObjectReference): void {
    const text = textOf(reference)
    const seen = this.#byResource.get(key)?.get(text)?.seen
    if (!seen) return
    if (seen.size > 0) this.#remove(key, text)
    else this.#byResource.get(key)?.set(text, { reference })
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
