import type { Kind, KubeObject, Manifest, ObjectOf, StoredObject } from '../../api/kind.ts'
import { fieldManager, labels } from '../../api/names.ts'
import { sameJson } from '../../domain/base/json.ts'
import type { ResourceQuota } from '../../domain/base/quota.ts'
import type { Log } from '../../log.ts'
import { ApiError, isAlreadyExists, isNotFound, type KubeClient } from '../client/client.ts'
import {
  namespaceResource,
  pathOf,
  quotaResource,
  type Resource,
  resourceOf,
  secretResource,
} from '../client/resource.ts'
import { type Cache, createCache, type IndexFunction } from './cache.ts'
import { startReflector } from './reflector.ts'
import type { Reflector, ReflectorOptions } from './reflector-options.ts'
import { removeCollection } from './remove-collection.ts'
import { createStore, type Store, type StoredKind } from './store.ts'
import { metadataListAccept } from './watch-protocol.ts'

/** The API server and a store of its objects; the store reflects a write at once, so a writer reads its own writes. */
export interface Cluster {
  readonly store: Store
  readonly client: KubeClient
  /** Resolves when the store is synced. */
  readonly ready: Promise<void>
  create<K extends Kind>(kind: K, object: Manifest<K>, origin?: string): Promise<ObjectOf<K>>
  replace<K extends Kind>(kind: K, object: ObjectOf<K>, origin?: string): Promise<ObjectOf<K>>
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
  /** Replaces the whole status; a conflict when the name belongs to another uid. */
  replaceStatus<K extends Kind>(
    kind: K,
    object: Identified,
    status: object,
    origin?: string,
  ): Promise<ObjectOf<K>>
  /** Deletes the object with this uid; an object that is gone already is a success. */
  remove<K extends Kind>(kind: K, object: ObjectOf<K>, origin?: string): Promise<void>
  /** Deletes the object at this resourceVersion; a conflict when it has changed. */
  removeUnchanged<K extends Kind>(kind: K, object: ObjectOf<K>): Promise<void>
  /**
   * Deletes the objects with these values of selectable fields, with one request for each 100; `before` each, it may throw.
   * Returns the names of the objects that were there.
   */
  removeCollection(
    kind: Kind,
    namespace: string,
    fields: SelectableFields,
    before: () => void,
  ): Promise<readonly string[]>
  /** Reads from the API server, not from the store. */
  read<K extends Kind>(kind: K, namespace: string, name: string): Promise<ObjectOf<K> | undefined>
  readAll<K extends Kind>(kind: K, namespace: string): Promise<readonly ObjectOf<K>[]>
  /** The names of the objects with these values of selectable fields, from the API server. */
  readNames(kind: Kind, namespace: string, fields: SelectableFields): Promise<readonly string[]>
  createSecret(secret: KubeObject): Promise<void>
  close(): Promise<void>
}

/** Values of selectable fields of a kind, by path. */
export type SelectableFields = Readonly<Record<string, string>>

interface Identified {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string }
}

/** Reflects the given kinds and the labelled namespaces until it is closed. */
export function openCluster(options: {
  client: KubeClient
  log: Log
  kinds: readonly StoredKind[]
  reflector?: ReflectorOptions
}): Cluster {
  const { client, log, kinds, reflector = {} } = options
  const onError = (error: unknown) => log.error('a change handler failed', { error })
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
  const quotas = createCache<ResourceQuota>({}, onError)
  reflect(quotaResource, quotas as unknown as Cache) // its reflector reads quotas

  const store = createStore(caches, { namespaces, quotas }, reflectors)
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
    const { namespace, name, uid } = metadata
    const path = pathOf(resourceOf(kind), namespace, name, part === 'status' ? part : undefined)
    // A merge patch removes fields that are null, and ignores the uid on the status subresource.
    const body = [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'add', path: `/${part}`, value },
    ]
    try {
      return await write(kind, 'PATCH', path, body, origin, 'application/json-patch+json')
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error
      // 422 means that the test failed or that the value is invalid.
      const current = await read(kind, namespace, name)
      if (current?.metadata.uid === uid) throw error
      throw new ApiError(409, 'Conflict', `the name '${name}' belongs to another object`)
    }
  }

  return {
    store,
    client,
    ready,
    async create(kind, object, origin) {
      const path = pathOf(resourceOf(kind), object.metadata.namespace)
      const attempt = () => write(kind, 'POST', path, object, origin)
      /** Stores the existing object, since the watch may be behind. */
      const existing = async () => {
        const found = await read(kind, object.metadata.namespace, object.metadata.name)
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
    removeCollection: (kind, namespace, fields, before) =>
      removeCollection(
        client,
        resourceOf(kind),
        namespace,
        { fieldSelector: fieldSelectorOf(fields) },
        before,
      ),
    read,
    async readAll(kind, namespace) {
      const answer = (await client.request('GET', pathOf(resourceOf(kind), namespace))) as {
        items: ObjectOf<typeof kind>[]
      } // the shape of a list
      return answer.items
    },
    async readNames(kind, namespace, fields) {
      const answer = (await client.request('GET', pathOf(resourceOf(kind), namespace), {
        query: { fieldSelector: fieldSelectorOf(fields) },
        accept: metadataListAccept,
      })) as { readonly items: readonly StoredObject[] | null } // the form of `accept`
      return (answer.items ?? []).map(({ metadata }) => metadata.name)
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

/** Whether the object does not exist, or the name belongs to another one. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.status === 404 || (error.status === 409 && error.reason === 'Conflict'))
  )
}

/** Reads one object of any kind; undefined when it does not exist. */
export async function readObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  timeoutMs?: number,
): Promise<StoredObject | undefined> {
  try {
    return (await client.request('GET', pathOf(resource, namespace, name), { timeoutMs })) as StoredObject // what the API server serves
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function fieldSelectorOf(fields: SelectableFields): string {
  return Object.entries(fields)
    .map(([path, value]) => `${path}=${value}`)
    .join(',')
}
