import type { ActiveResource } from '../../api/active-resource.ts'
import type { KubeObject } from '../../api/kind.ts'
import { annotations } from '../../api/names.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { shareReads } from '../../domain/base/shared-read.ts'
import { keyOf } from '../../kube/client/resource.ts'
import type { ForeignList, Objects } from '../../kube/objects/objects.ts'
import { isWatchable, nameOf, referenceTo } from './applied-object.ts'
import type { UnseenObjects } from './unseen-objects.ts'

type WithMetadata = Pick<KubeObject, 'metadata'>

/**
 * Refuses objects that exist and belong to another owner. Resources that ask about the same kind and namespace at the same
 * time share a list of the objects there without our label: those with it are in the watch of the kind, or were applied a
 * moment ago. Every answer is as fresh as a read that begins after the question.
 */
export class ForeignObjects {
  readonly #objects: Objects
  readonly #unseen: UnseenObjects
  readonly #list: (place: string) => Promise<ForeignList>
  /** How many resources are asking, by place: the kind and the namespace. */
  readonly #asking = new Map<string, number>()

  constructor(objects: Objects, unseen: UnseenObjects) {
    this.#objects = objects
    this.#unseen = unseen
    this.#list = shareReads((place) => {
      const [apiVersion = '', kind = '', namespace = ''] = place.split(' ')
      return objects.readForeign({ apiVersion, kind }, namespace)
    })
  }

  /** Throws Stalled for an existing object of another owner. */
  async refuse(resource: ActiveResource, object: KubeObject): Promise<void> {
    const existing = await this.#find(object)
    if (!existing || isOwn(resource, existing)) return
    throw new Stalled('Conflict', `${nameOf(object)} exists and does not belong to this resource`)
  }

  async #find(object: KubeObject): Promise<WithMetadata | undefined> {
    const { namespace } = object.metadata
    if (namespace === undefined || !isWatchable(object)) return this.#read(object)
    const place = `${object.apiVersion} ${object.kind} ${namespace}`
    const others = this.#asking.get(place) ?? 0
    this.#asking.set(place, others + 1)
    try {
      return await (others === 0 ? this.#read(object) : this.#findListed(object, namespace, place))
    } finally {
      const left = (this.#asking.get(place) ?? 1) - 1
      if (left === 0) this.#asking.delete(place)
      else this.#asking.set(place, left)
    }
  }

  async #findListed(object: KubeObject, namespace: string, place: string): Promise<WithMetadata | undefined> {
    const { name } = object.metadata
    const { items, isComplete } = await this.#list(place)
    const unlabelled = items.find(({ metadata }) => metadata.name === name)
    if (unlabelled) return unlabelled
    const labelled = (await this.#objects.watch(object)).get(namespace, name)
    return labelled || !isComplete || this.#unseen.has(referenceTo(object)) ? this.#read(object) : undefined
  }

  #read(object: KubeObject): Promise<WithMetadata | undefined> {
    return this.#objects.read(referenceTo(object))
  }
}

/**
 * Whether the object belongs to the resource: by its mark or, when another client took that away, by the record of the object in the
 * status.
 */
export function isOwn(resource: ActiveResource, { metadata }: WithMetadata): boolean {
  const mark = metadata.annotations?.[annotations.resource]
  if (mark !== undefined) return mark === keyOf(resource)
  const { uid } = metadata
  return !!uid && !!resource.status?.objects?.some((each) => each.uid === uid)
}
