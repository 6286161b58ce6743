import type { Kind, KubeObject, ObjectOf } from '../../api/kind.ts'
import { fieldManager, labels } from '../../api/names.ts'
import { sameJson } from '../../domain/base/json.ts'
import type { Log } from '../../log.ts'
import { ApiError, isAlreadyThere, type KubeClient } from '../client/client.ts'
import { namespaceResource, pathOf, type Resource, resourceOf, secretResource } from '../client/resource.ts'
import { type Cache, createCache, type IndexFunction } from './cache.ts'
import { type Reflector, type ReflectorOptions, startReflector } from './reflector.ts'
import { createStore, type Store, type Stored } from './store.ts'

/** The API server, and what we know of it; a write is known at once, so that a writer reads its own writes. */
export interface Cluster {
  readonly store: Store
  readonly client: KubeClient
  /** Resolves when the store is synced. */
  readonly ready: Promise<void>
  create<K extends Kind>(kind: K, object: ObjectOf<K>, origin?: string): Promise<ObjectOf<K>>
  replace<K extends Kind>(kind: K, object: ObjectOf<K>, origin?: string): Promise<ObjectOf<K>>
  patch<K extends Kind>(
    kind: K,
    object: Identified,
    mergePatch: object,
    origin?: string,
  ): Promise<ObjectOf<K>>
  /** Writes the whole spec of this very object, nulls in it too; a conflict when another one has its name. */
  replaceSpec<K extends Kind>(
    kind: K,
    object: Identified,
    spec: object,
    origin?: string,
  ): Promise<ObjectOf<K>>
  /** Writes the whole status of this very object; a conflict when another one has its name. */
  replaceStatus<K extends Kind>(
    kind: K,
    object: Identified,
    status: object,
    origin?: string,
  ): Promise<ObjectOf<K>>
  /** Deletes this very object; that it is gone already is success. */
  remove<K extends Kind>(kind: K, object: ObjectOf<K>, origin?: string): Promise<void>
  /** Deletes this very object as it was read; a conflict when it has changed since. */
  removeUnchanged<K extends Kind>(kind: K, object: ObjectOf<K>): Promise<void>
  /** Asks the API server itself. */
  read<K extends Kind>(kind: K, namespace: string, name: string): Promise<ObjectOf<K> | undefined>
  readAll<K extends Kind>(kind: K, namespace: string): Promise<readonly ObjectOf<K>[]>
  createSecret(secret: KubeObject): Promise<void>
  close(): Promise<void>
}

interface Identified {
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid?: string }
}

/** Opens the door: reflects the given kinds and the labelled namespaces until it is closed. */
export function openCluster(options: {
  client: KubeClient
  log: Log
  kinds: readonly Stored[]
  reflector?: ReflectorOptions
}): Cluster {
  const { client, log, kinds, reflector = {} } = options
  const onError = (error: unknown) => log.error('a handler of changes threw', { error })
  const reflectors: Reflector[] = []
  const caches = new Map<string, Cache>()

  function reflect(resource: Resource, cache: Cache, extra: ReflectorOptions = {}) {
    reflectors.push(startReflector(client, resource, cache, log, { ...reflector, ...extra }))
  }
  for (const { kind, indexes = {} } of kinds) {
    const cache = createCache(indexes as Record<string, IndexFunction>, onError)
    caches.set(kind.kind, cache)
    reflect(resourceOf(kind), cache)
  }
  const namespaces = createCache({}, onError)
  reflect(namespaceResource, namespaces, { labelSelector: labels.organization })

  const store = createStore(caches, namespaces, reflectors)
  const ready = Promise.all(reflectors.map(({ synced }) => synced)).then(() => {
    store.markSynced()
  })

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
    // The answer to the removal of the last finalizer is the object as it was when it went.
    if (deletionTimestamp && finalizers.length === 0) caches.get(kind.kind)?.remove(answer, origin)
    else caches.get(kind.kind)?.set(answer, origin)
    return answer
  }
  async function erase(kind: Kind, object: KubeObject, preconditions: object, origin?: string) {
    const path = pathOf(resourceOf(kind), object.metadata.namespace, object.metadata.name)
    const body = { preconditions, propagationPolicy: 'Background' }
    const answer = (await client.request('DELETE', path, { body })) as KubeObject | undefined // an object, or a Status
    if (answer?.kind === kind.kind) caches.get(kind.kind)?.set(answer, origin)
    else caches.get(kind.kind)?.remove(object, origin)
  }
  async function read<K extends Kind>(kind: K, namespace: string, name: string) {
    return (await readObject(client, resourceOf(kind), namespace, name)) as ObjectOf<K> | undefined
  }

  async function replacePart<K extends Kind>(
    kind: K,
    { metadata }: Identified,
    part: 'spec' | 'status',
    value: object,
    origin?: string,
  ) {
    const { namespace = '', name, uid } = metadata
    const path = pathOf(resourceOf(kind), namespace, name, part === 'status' ? part : undefined)
    // A merge patch would take nulls for things to remove, and of a status it does not look at the uid.
    const body = [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'add', path: `/${part}`, value },
    ]
    try {
      return await write(kind, 'PATCH', path, body, origin, 'application/json-patch+json')
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error
      // The same answer to a test that fails and to a value that its schema refuses.
      const current = await read(kind, namespace, name)
      if (current?.metadata.uid === uid) throw error
      throw new ApiError(409, 'Conflict', `'${name}' is another object by now`)
    }
  }

  return {
    store,
    client,
    ready,
    async create(kind, object, origin) {
      const path = pathOf(resourceOf(kind), object.metadata.namespace)
      const attempt = () => write(kind, 'POST', path, object, origin)
      /** What is there already becomes known, as a watch that is behind would tell it later. */
      const existing = async () => {
        const found = await read(kind, object.metadata.namespace ?? '', object.metadata.name)
        if (found) caches.get(kind.kind)?.set(found, origin)
        return found
      }
      try {
        return await attempt()
      } catch (error) {
        if (isAlreadyThere(error)) await existing()
        if (error instanceof ApiError) throw error
        // No answer: the object may be there all the same.
        return await attempt().catch(async (second: unknown) => {
          if (!isAlreadyThere(second)) throw second
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
    patch: (kind, { metadata }, body, origin) =>
      write(
        kind,
        'PATCH',
        pathOf(resourceOf(kind), metadata.namespace, metadata.name),
        body,
        origin,
        'application/merge-patch+json',
      ),
    replaceSpec: (kind, object, spec, origin) => replacePart(kind, object, 'spec', spec, origin),
    replaceStatus: (kind, object, status, origin) => replacePart(kind, object, 'status', status, origin),
    async remove(kind, object, origin) {
      try {
        await erase(kind, object, { uid: object.metadata.uid }, origin)
      } catch (error) {
        if (!isGone(error)) throw error
        caches.get(kind.kind)?.remove(object, origin)
      }
    },
    removeUnchanged(kind, object) {
      const { uid, resourceVersion } = object.metadata
      return erase(kind, object, { uid, resourceVersion })
    },
    read,
    async readAll(kind, namespace) {
      const answer = (await client.request('GET', pathOf(resourceOf(kind), namespace))) as {
        items: ObjectOf<typeof kind>[]
      } // the shape of a list
      return answer.items
    },
    async createSecret(secret) {
      await client.request('POST', pathOf(secretResource, secret.metadata.namespace), {
        body: secret,
        query: { fieldManager },
      })
    },
    async close() {
      for (const each of reflectors) each.stop()
      await client.close()
    },
  }
}

/** Whether the API server says that what was addressed is not there, or not that very object. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.status === 404 || (error.status === 409 && error.reason === 'Conflict'))
  )
}

/** Reads one object of any kind; undefined when it is not there. */
export async function readObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  timeoutMs?: number,
): Promise<KubeObject | undefined> {
  try {
    return (await client.request('GET', pathOf(resource, namespace, name), { timeoutMs })) as KubeObject // what the API server serves
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
