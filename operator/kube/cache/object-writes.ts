import type { Kind, Manifest, ObjectOf, StoredObject } from '../../api/kind.ts'
import { fieldManager } from '../../api/names.ts'
import { sameJson } from '../../domain/base/json.ts'
import { ApiError, isAlreadyExists, isConflict, isGone } from '../client/api-error.ts'
import type { KubeClient } from '../client/client.ts'
import { readObject } from '../client/read-object.ts'
import { pathOf, resourceOf } from '../client/resource.ts'
import { type Cache, versionOf } from './cache.ts'

/** Writes of objects of Quartermaster's kinds. The caches reflect each at once; `origin` names the controller that writes. */
export interface ObjectWrites {
  create<K extends Kind>(kind: K, object: Manifest<K>, origin?: string): Promise<ObjectOf<K>>
  replace<K extends Kind>(kind: K, object: Manifest<K>, origin?: string): Promise<ObjectOf<K>>
  /** A conflict when the patch has the uid and the name belongs to another one. */
  patch<K extends Kind>(
    kind: K,
    object: Identified,
    mergePatch: object,
    origin?: string,
  ): Promise<ObjectOf<K>>
  /** Replaces the whole spec, nulls included; a conflict when the name belongs to another uid. */
  replaceSpec<K extends Kind>(
    kind: K,
    object: Identified,
    spec: object,
    origin?: string,
  ): Promise<ObjectOf<K>>
  /** Replaces the whole status; a conflict when the name belongs to another uid, or the status is newer than that of the store. */
  replaceStatus<K extends Kind>(
    kind: K,
    object: Versioned,
    status: object,
    origin?: string,
  ): Promise<ObjectOf<K>>
  /** Deletes the object with this uid, or finds it gone; returns false if its name belongs to another one, which stays. */
  remove<K extends Kind>(kind: K, object: ObjectOf<K>, origin?: string): Promise<boolean>
  /** Deletes the object at this resourceVersion; a conflict when it has changed. */
  removeUnchanged<K extends Kind>(kind: K, object: ObjectOf<K>): Promise<void>
}

interface Identified {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string }
}

interface Versioned {
  readonly metadata: Identified['metadata'] & { readonly resourceVersion: string }
  readonly status?: unknown
}

/** A status is written although its object has changed, unless it changes this often in between. */
const maxStatusAttempts = 5

/** Writes over the client, and into the caches of the kinds. */
export function createObjectWrites(client: KubeClient, caches: ReadonlyMap<string, Cache>): ObjectWrites {
  async function write<K extends Kind>(
    kind: K,
    method: string,
    path: string,
    body: unknown,
    origin?: string,
    contentType?: string,
  ) {
    const answer = (await client.request(method, path, {
      body,
      contentType,
      query: { fieldManager },
    })) as ObjectOf<K> // the API server validated it
    const { deletionTimestamp, finalizers = [] } = answer.metadata
    // The answer to the removal of the last finalizer is the deleted object.
    if (deletionTimestamp && finalizers.length === 0) caches.get(kind.kind)?.remove(answer, origin)
    else caches.get(kind.kind)?.set(answer, origin)
    return answer
  }
  async function erase(kind: Kind, object: StoredObject, preconditions: object, origin?: string) {
    const path = pathOf(resourceOf(kind), object.metadata.namespace, object.metadata.name)
    const body = { preconditions, propagationPolicy: 'Background' }
    const answer = (await client.request('DELETE', path, { body })) as StoredObject | undefined // an object, or a Status
    if (answer?.kind === kind.kind) caches.get(kind.kind)?.set(answer, origin)
    else caches.get(kind.kind)?.remove(object, origin, true)
  }
  async function patch<K extends Kind>(
    kind: K,
    { metadata: { namespace, name, uid } }: Identified,
    body: object,
    origin?: string,
    type: 'merge-patch' | 'json-patch' = 'merge-patch',
  ) {
    const path = pathOf(resourceOf(kind), namespace, name)
    try {
      return await write(kind, 'PATCH', path, body, origin, `application/${type}+json`)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error
      // 422 means that the uid is another one or that the value is invalid. Who may not read it learns the latter.
      const current = await readObject(client, resourceOf(kind), namespace, name).catch(() => {
        throw error
      })
      if (current?.metadata.uid === uid) throw error
      throw new ApiError(409, 'Conflict', `the name '${name}' belongs to another object`)
    }
  }

  function replaceSpec<K extends Kind>(kind: K, object: Identified, spec: object, origin?: string) {
    // A merge patch removes fields that are null.
    const body = [
      { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
      { op: 'add', path: '/spec', value: spec },
    ]
    return patch(kind, object, body, origin, 'json-patch')
  }

  /**
   * An update costs the API server a tenth less than a patch, and ignores what is not the status. A status that the store does not
   * have was written by a request without an answer, or by the leader before: it has facts that the new one lacks.
   */
  async function replaceStatus<K extends Kind>(kind: K, object: Versioned, status: object, origin?: string) {
    const { namespace, name, uid } = object.metadata
    const { apiVersion } = resourceOf(kind)
    const path = pathOf(resourceOf(kind), namespace, name, 'status')
    const cache = caches.get(kind.kind)
    const stored = cache?.get(namespace, name)
    const known = stored?.metadata.uid === uid ? stored : object
    let version = known.metadata.resourceVersion
    for (let attempt = 1; ; attempt += 1) {
      const metadata = { namespace, name, uid, resourceVersion: version }
      try {
        return await write(kind, 'PUT', path, { apiVersion, kind: kind.kind, metadata, status }, origin)
      } catch (error) {
        if (!isConflict(error) || attempt === maxStatusAttempts) throw error
        const current = await readObject(client, resourceOf(kind), namespace, name)
        if (current?.metadata.uid !== uid) throw error
        // After a restore of etcd the live object is older: the store would refuse it each time.
        const isNewer = versionOf(current) > versionOf(known)
        if (isNewer && !sameJson(current.status, known.status)) {
          cache?.set(current)
          throw error
        }
        version = current.metadata.resourceVersion
      }
    }
  }

  return {
    async create(kind, object, origin) {
      const path = pathOf(resourceOf(kind), object.metadata.namespace)
      const attempt = () => write(kind, 'POST', path, object, origin)
      /** Stores the existing object, since the watch may be behind. */
      const existing = async () => {
        const { namespace, name } = object.metadata
        const found = (await readObject(client, resourceOf(kind), namespace, name)) as
          | ObjectOf<typeof kind>
          | undefined // an object of this kind
        if (found) caches.get(kind.kind)?.set(found, origin)
        return found
      }
      try {
        return await attempt()
      } catch (error) {
        if (isAlreadyExists(error)) await existing()
        if (error instanceof ApiError) throw error
        // Without a response, the object may still exist.
        return await attempt().catch(async (second: unknown) => {
          if (!isAlreadyExists(second)) throw second
          const found = await existing()
          if (!found || !sameJson(found.spec, object.spec)) throw second
          return found
        })
      }
    },
    replace: (kind, object, origin) =>
      write(
        kind,
        'PUT',
        pathOf(resourceOf(kind), object.metadata.namespace, object.metadata.name),
        object,
        origin,
      ),
    patch: (kind, object, body, origin) => patch(kind, object, body, origin),
    replaceSpec,
    replaceStatus,
    async remove(kind, object, origin) {
      try {
        await erase(kind, object, { uid: object.metadata.uid }, origin)
        return true
      } catch (error) {
        if (!isGone(error)) throw error
        caches.get(kind.kind)?.remove(object, origin, true)
        return !isConflict(error)
      }
    },
    removeUnchanged(kind, object) {
      const { uid, resourceVersion } = object.metadata
      return erase(kind, object, { uid, resourceVersion })
    },
  }
}
