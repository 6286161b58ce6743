import type { KubeObject, StoredObject } from '../../../operator/api/kind.ts'
import { isObject, sameJson } from '../../../operator/domain/base/json.ts'
import type { Query, RequestOptions } from '../../../operator/kube/client/client.ts'
import { namespaceResource } from '../../../operator/kube/client/resource.ts'
import { alreadyExists, conflict, invalid, notFound, terminating } from './errors.ts'
import { listOf, metadataOf } from './lists.ts'
import { applyPatch, fieldsOf, jsonPatch, mergePatch, type PatchStep } from './patches.ts'
import type { Quotas } from './quotas.ts'
import { type Address, addressOf, discovery, type Served } from './resources.ts'
import { Storage } from './storage.ts'
import { newObject, timeNow, updated } from './write-rules.ts'

/** Versions and owners that a write expects. */
interface Preconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

/**
 * A model of the API server in memory, for the requests that the operator sends: versions, generations, the subresource of
 * the status with its default, finalizers, preconditions, the patches, server-side apply of one manager, selectors, and
 * lists at a version. It has no schemas, no admission policies and no pages of lists; `Rights` has the access rules.
 */
export class ApiServer {
  readonly storage = new Storage()
  /** Writes that changed nothing. */
  idleWrites = 0
  /** What limits the number of objects; absent when nothing does. */
  quotas: Quotas | undefined
  /** What each object was applied with last, by uid. */
  readonly #applied = new Map<string, KubeObject>()

  /** Does what a request asks for at once, and returns the body of the answer; throws an ApiError. */
  handle(method: string, path: string, options: RequestOptions = {}): unknown {
    const address = addressOf(path)
    if (!address) return discovery(path)
    const { query = {}, accept = '' } = options
    if (address.name === undefined)
      return this.#handleCollection(method, address, query, accept, options.body)
    const { served, namespace, name } = address
    if (method === 'GET') return this.current(served, namespace, name)
    if (method === 'DELETE') return this.remove(served, namespace, name, preconditionsIn(options.body))
    const body = options.body as KubeObject // our client sends objects
    if (method === 'PUT') return this.update({ ...address, name }, body)
    if (method === 'PATCH') return this.patch({ ...address, name }, options)
    throw new Error(`the simulation does not know ${method} ${path}`)
  }

  #handleCollection(method: string, address: Address, query: Query, accept: string, body: unknown): unknown {
    const { served, namespace } = address
    if (method === 'POST') return this.create(served, namespace, body as KubeObject) // our client sends objects
    const list = listOf(this.storage, served, namespace, query)
    if (method === 'DELETE') {
      for (const { metadata } of list.items) this.remove(served, metadata.namespace, metadata.name)
      return { ...list, items: list.items.map(metadataOf) }
    }
    return accept.includes('PartialObjectMetadata') ? { ...list, items: list.items.map(metadataOf) } : list
  }

  current(served: Served, namespace: string | undefined, name: string): StoredObject {
    const object = this.storage.get(served, namespace, name)
    if (!object) throw notFound(served, name)
    return object
  }

  create(served: Served, namespace: string | undefined, body: KubeObject): StoredObject {
    const { name } = body.metadata
    if (served.namespaced) {
      const home = this.current(namespaceResource, undefined, namespace ?? '')
      if (!this.storage.get(served, namespace, name) && home.metadata.deletionTimestamp)
        throw terminating(served, name, home.metadata.name)
    }
    if (namespace !== undefined) this.quotas?.admit(served, namespace)
    if (this.storage.get(served, namespace, name)) throw alreadyExists(served, name)
    const uid = this.storage.newUid()
    const identity = served.namespaced ? { uid, namespace } : { uid }
    const object = newObject(served, body, identity) as StoredObject // its version follows
    return this.storage.commit(served, 'ADDED', undefined, object)
  }

  update({ served, namespace, name, subresource }: Address & { readonly name: string }, body: KubeObject) {
    const current = this.current(served, namespace, name)
    checkPreconditions(body.metadata, current)
    if (subresource === 'status') return this.#write(served, current, { ...current, status: body.status })
    return this.#write(served, current, withStatusOf(current, body))
  }

  patch(
    address: Address & { readonly name: string },
    { body, contentType = '' }: RequestOptions,
  ): StoredObject {
    if (contentType.includes('apply-patch')) return this.#apply(address, body as KubeObject) // of our client
    const { served, namespace, name, subresource } = address
    const current = this.current(served, namespace, name)
    if (!contentType.includes('json-patch')) checkPatchedMetadata(body, current)
    const patched = contentType.includes('json-patch')
      ? jsonPatch(current, body as PatchStep[]) // as the content type says
      : (mergePatch(current, body) as KubeObject) // of an object and a part of one
    if (subresource === 'status') return this.#write(served, current, { ...current, status: patched.status })
    return this.#write(served, current, withStatusOf(current, patched))
  }

  #apply({ served, namespace, name }: Address & { readonly name: string }, body: KubeObject): StoredObject {
    const current = this.storage.get(served, served.namespaced ? namespace : undefined, name)
    const { uid, resourceVersion, labels, annotations } = body.metadata
    const { apiVersion: _, kind: __, ...rest } = body
    const fieldsV1 = fieldsOf({ ...rest, metadata: { labels, annotations } })
    const managedFields = [{ manager: 'quartermaster', operation: 'Apply', fieldsV1 }]
    if (!current) {
      if (uid !== undefined) throw conflict(`uid mismatch: no object with the uid ${uid} was found`)
      const made = this.create(served, namespace, { ...body, metadata: { ...body.metadata, managedFields } })
      this.#applied.set(made.metadata.uid, body)
      return made
    }
    checkUid(uid, current)
    checkPreconditions({ resourceVersion }, current)
    const last = this.#applied.get(current.metadata.uid)
    const applied = withStatusOf(current, applyPatch(current, last, body) as KubeObject) // of two objects
    this.#applied.set(current.metadata.uid, body)
    return this.#write(served, current, { ...applied, metadata: { ...applied.metadata, managedFields } })
  }

  #write(served: Served, before: StoredObject, body: KubeObject): StoredObject {
    const after = updated(served, before, body)
    if (sameJson(before, after)) {
      this.idleWrites += 1
      return before
    }
    const { deletionTimestamp, finalizers = [] } = after.metadata
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0 && served.kind !== 'Namespace'
    const stored = this.storage.commit(served, isGone ? 'DELETED' : 'MODIFIED', before, after)
    // The answer to the removal of the last finalizer has the former version, and the watch a new one.
    return isGone ? after : stored
  }

  /** Deletes an object, or marks it as deleted while it has finalizers; the content of a namespace is deleted later. */
  remove(served: Served, namespace: string | undefined, name: string, preconditions: Preconditions = {}) {
    const current = this.current(served, namespace, name)
    checkPreconditions(preconditions, current)
    const { finalizers = [], deletionTimestamp, generation } = current.metadata
    const isNamespace = served.kind === 'Namespace'
    if (finalizers.length === 0 && !isNamespace) {
      this.storage.commit(served, 'DELETED', current, current)
      return { apiVersion: 'v1', kind: 'Status', status: 'Success' }
    }
    if (deletionTimestamp !== undefined) return current
    return this.storage.commit(served, 'MODIFIED', current, {
      ...current,
      ...(isNamespace ? { status: { phase: 'Terminating' } } : {}),
      metadata: {
        ...current.metadata,
        deletionTimestamp: timeNow(),
        ...(generation === undefined ? {} : { generation: generation + 1 }),
      },
    })
  }
}

function withStatusOf({ status }: KubeObject, body: KubeObject): KubeObject {
  const { status: _, ...rest } = body
  return status === undefined ? rest : { ...rest, status }
}

function preconditionsIn(body: unknown): Preconditions {
  return isObject(body) && isObject(body.preconditions) ? body['preconditions'] : {}
}

function checkPreconditions({ uid, resourceVersion }: Preconditions, { metadata }: StoredObject): void {
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`)
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      'the object has been modified; please apply your changes to the latest version and try again',
    )
}

/** A patch that names another uid would change an immutable field. */
function checkUid(uid: unknown, { metadata }: StoredObject): void {
  if (uid !== undefined && uid !== metadata.uid)
    throw invalid(`metadata.uid: Invalid value: "${String(uid)}": field is immutable`)
}

function checkPatchedMetadata(body: unknown, current: StoredObject): void {
  const metadata = isObject(body) && isObject(body.metadata) ? body['metadata'] : {}
  checkUid(metadata.uid, current)
  const { resourceVersion } = metadata as Preconditions
  checkPreconditions({ resourceVersion }, current)
}
