import type { KubeObject, StoredObject } from '../../api/kind.ts'
import { fieldManager, labels } from '../../api/names.ts'
import { ReconcileError, Stalled } from '../../domain/base/errors.ts'
import type { Log } from '../../log.ts'
import type { Cache } from '../cache/cache.ts'
import { removeCollection } from '../cache/remove-collection.ts'
import { metadataListAccept } from '../cache/watch-protocol.ts'
import { ApiError, isAlreadyExists, isGone, isNotFound, isUnserved } from '../client/api-error.ts'
import type { KubeClient, Query } from '../client/client.ts'
import { explaining } from '../client/explain-rejection.ts'
import { readObject } from '../client/read-object.ts'
import { pathOf, type Resource } from '../client/resource.ts'
import { appliedFields } from './applied-fields.ts'
import { Discovery, notListed, notServed, type ServedKind } from './discovery.ts'
import { type MetadataHandler, MetadataWatches, type MetadataWatchOptions } from './metadata-watches.ts'
import type { ForeignList, ObjectReference, Objects } from './objects.ts'
import { withOwnedData } from './secret-data.ts'

/** The most objects that `readForeign` lists. */
const mostForeign = 20

interface ObjectsOptions {
  /** The longest wait for the first list of a kind, in milliseconds. */
  readonly listMs?: number
  readonly pausesMs?: MetadataWatchOptions['pausesMs']
  /** Labels that each applied Namespace gets; they take precedence over its own. */
  readonly namespaceLabels?: Readonly<Record<string, string>>
}

/** Access to objects that are not of our kinds. */
export function openObjects(client: KubeClient, log: Log, options: ObjectsOptions = {}): Objects {
  return new ClusterObjects(client, log, options)
}

class ClusterObjects implements Objects {
  readonly #client: KubeClient
  readonly #watches: MetadataWatches
  readonly #discovery: Discovery
  readonly #closing = new AbortController()
  readonly #namespaceLabels: Readonly<Record<string, string>>

  constructor(client: KubeClient, log: Log, options: ObjectsOptions) {
    const { listMs = 10_000, pausesMs, namespaceLabels = {} } = options
    this.#client = client
    this.#namespaceLabels = namespaceLabels
    this.#discovery = new Discovery(client)
    const onUnserved = (resource: Resource) => this.#forget(resource)
    this.#watches = new MetadataWatches(client, log, { listMs, pausesMs, onUnserved })
  }

  async served(reference: ServedKind): Promise<ServedKind | undefined> {
    try {
      return await this.#discovery.served(reference)
    } catch (error) {
      throw error instanceof Stalled ? error : notListed(reference, error)
    }
  }

  async placed(object: KubeObject, namespace: string): Promise<KubeObject> {
    if (object.metadata.namespace !== undefined) return object
    const { namespaced } = await this.#resourceOf(object)
    return namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object
  }

  apply(object: KubeObject): Promise<StoredObject> {
    const complete = this.#withLabels(withOwnedData(object))
    return this.#patch('apply', complete, 'application/apply-patch+yaml', { force: true })
  }

  #withLabels(object: KubeObject): KubeObject {
    if (object.apiVersion !== 'v1' || object.kind !== 'Namespace') return object
    const { metadata } = object
    return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...this.#namespaceLabels } } }
  }

  create(object: KubeObject): Promise<StoredObject | undefined> {
    const options = { body: object, query: { fieldManager } }
    const answer = this.#request('create', targetOf(object), (resource) =>
      this.#client.request('POST', pathOf(resource, object.metadata.namespace), options),
    )
    return undefinedIf(isAlreadyExists, answer as Promise<StoredObject>) // the created object
  }

  merge(object: KubeObject): Promise<StoredObject | undefined> {
    return undefinedIf(isNotFound, this.#patch('patch', object, 'application/merge-patch+json'))
  }

  read(reference: ObjectReference): Promise<StoredObject | undefined> {
    const { namespace, name } = reference
    return this.#request('get', reference, (resource) => readObject(this.#client, resource, namespace, name))
  }

  async readApplied(reference: ObjectReference): Promise<KubeObject | undefined> {
    const existing = await this.read(reference)
    return existing && appliedFields(existing, fieldManager)
  }

  remove(reference: ObjectReference, uid: string): Promise<boolean> {
    const body = { preconditions: { uid }, propagationPolicy: 'Background' }
    return this.#request('delete', reference, async (resource) => {
      const path = pathOf(resource, reference.namespace, reference.name)
      try {
        const answer = (await this.#client.request('DELETE', path, { body })) as Partial<KubeObject> // the object, or a Status
        return answer.metadata?.deletionTimestamp === undefined
      } catch (error) {
        if (!isGone(error)) throw error
        return true
      }
    })
  }

  async removeCollection(
    reference: Pick<ObjectReference, 'apiVersion' | 'kind'>,
    namespace: string,
    before: () => void,
  ): Promise<void> {
    await this.#request('deletecollection', { ...kindOf(reference), namespace }, async (resource) => {
      await removeCollection(this.#client, resource, namespace, { labelSelector: labels.resource }, before)
    })
  }

  async watch(reference: Pick<ObjectReference, 'apiVersion' | 'kind'>): Promise<Cache> {
    return this.#listing('watch', kindOf(reference), (resource) => this.#watches.watch(resource))
  }

  async readForeign(
    reference: Pick<ObjectReference, 'apiVersion' | 'kind'>,
    namespace: string,
  ): Promise<ForeignList> {
    return this.#listing('list', { ...kindOf(reference), namespace }, async (resource) => {
      if (!resource.namespaced) return { items: [], isComplete: true }
      const query = { labelSelector: `!${labels.resource}`, limit: mostForeign }
      const path = pathOf(resource, namespace)
      const answer = (await this.#client.request('GET', path, { query, accept: metadataListAccept })) as {
        items?: ForeignList['items'] | null
        metadata?: { continue?: string }
      } // the form of `accept`
      return { items: answer.items ?? [], isComplete: !answer.metadata?.continue }
    })
  }

  onChange(handler: MetadataHandler): void {
    this.#watches.onChange(handler)
  }

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  close(): void {
    this.#closing.abort()
    this.#watches.close()
  }

  async #patch(
    verb: string,
    object: KubeObject,
    contentType: string,
    options: Query = {},
  ): Promise<StoredObject> {
    const { namespace, name } = object.metadata
    const all = { body: object, contentType, query: { fieldManager, ...options } }
    return (await this.#request(verb, targetOf(object), (resource) =>
      this.#client.request('PATCH', pathOf(resource, namespace, name), all).catch(throwAsConflict),
    )) as StoredObject // the object as it is now
  }

  /**
   * Sends a request about objects of a kind. Throws NotListed when the cluster has stopped to serve the kind in this version; then
   * the next attempt discovers it again.
   */
  async #request<T>(verb: string, target: Target, send: (resource: Resource) => Promise<T>): Promise<T> {
    const resource = await this.#resourceOf(target)
    try {
      return await explaining(verb, target, () => send(resource))
    } catch (error) {
      if (!isUnserved(error)) throw error
      this.#forget(resource)
      throw notListed(target, error)
    }
  }

  #forget(resource: Resource): void {
    this.#discovery.forget(resource)
    this.#watches.end(resource)
  }

  /** The same for a request that lists objects; throws NotListed for any error that is not Stalled. */
  async #listing<T>(verb: string, target: Target, send: (resource: Resource) => Promise<T>): Promise<T> {
    try {
      return await this.#request(verb, target, send)
    } catch (error) {
      throw error instanceof Stalled || error instanceof ReconcileError ? error : notListed(target, error)
    }
  }

  async #resourceOf(reference: ServedKind): Promise<Resource> {
    const resource = await this.#discovery.resourceOf(reference)
    if (!resource) throw notServed(reference)
    return resource
  }
}

/** What a request is about: all objects of a kind, those in a namespace, or one. */
type Target = ServedKind & Partial<Pick<ObjectReference, 'namespace' | 'name'>>

function targetOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): Target {
  return { apiVersion, kind, namespace, name }
}

function kindOf({ apiVersion, kind }: ServedKind): ServedKind {
  return { apiVersion, kind }
}

/** The API server calls another uid an invalid change of an immutable field. */
function throwAsConflict(error: unknown): never {
  const isOtherUid =
    error instanceof ApiError && error.status === 422 && error.message.includes('metadata.uid: Invalid value')
  throw isOtherUid ? new ApiError(409, 'Conflict', error.message) : error
}

async function undefinedIf<T>(fits: (error: unknown) => boolean, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (fits(error)) return undefined
    throw error
  }
}
