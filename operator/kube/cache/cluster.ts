import type { Kind, KubeObject, ObjectOf } from '../../api/kind.ts'
import { fieldManager, labels } from '../../api/names.ts'
import type { ResourceQuota } from '../../domain/base/quota.ts'
import type { Log } from '../../log.ts'
import type { KubeClient } from '../client/client.ts'
import type { ListPage } from '../client/list-page.ts'
import { readObject } from '../client/read-object.ts'
import {
  namespaceResource,
  pathOf,
  quotaResource,
  type Resource,
  resourceOf,
  secretResource,
} from '../client/resource.ts'
import { type Cache, createCache, type IndexFunction } from './cache.ts'
import { createObjectWrites, type ObjectWrites } from './object-writes.ts'
import { startReflector } from './reflector.ts'
import type { Reflector, ReflectorOptions } from './reflector-options.ts'
import { removeCollection } from './remove-collection.ts'
import { createStore, type Store, type StoredKind } from './store.ts'
import { metadataListAccept } from './watch-protocol.ts'

/** The API server and a store of its objects; the store reflects a write at once, so a writer reads its own writes. */
export interface Cluster extends ObjectWrites {
  readonly store: Store
  readonly client: KubeClient
  /** Resolves when the store is synced. */
  readonly ready: Promise<void>
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

/** How long after one watch works again the others try. */
const tryAgainMs = 1000

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

  let trying: NodeJS.Timeout | undefined
  /** The watches fail together, and the pauses of the last ones end late. Not more often than watches end by themselves. */
  function onRecovered() {
    trying ??= setTimeout(() => {
      trying = undefined
      for (const each of reflectors) each.tryAgain()
    }, tryAgainMs).unref()
  }
  function reflect(resource: Resource, cache: Cache, extra: ReflectorOptions = {}) {
    reflectors.push(startReflector(client, resource, cache, log, { ...reflector, onRecovered, ...extra }))
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

  async function read<K extends Kind>(kind: K, namespace: string, name: string) {
    return (await readObject(client, resourceOf(kind), namespace, name)) as ObjectOf<K> | undefined
  }

  return {
    store,
    client,
    ready,
    ...createObjectWrites(client, caches),
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
      const answer = (await client.request('GET', pathOf(resourceOf(kind), namespace))) as ListPage<
        ObjectOf<typeof kind>
      >
      return answer.items ?? []
    },
    async readNames(kind, namespace, fields) {
      const answer = (await client.request('GET', pathOf(resourceOf(kind), namespace), {
        query: { fieldSelector: fieldSelectorOf(fields) },
        accept: metadataListAccept,
      })) as ListPage // the form of `accept`
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

function fieldSelectorOf(fields: SelectableFields): string {
  return Object.entries(fields)
    .map(([path, value]) => `${path}=${value}`)
    .join(',')
}

/** Reads an object that the cache may lack or have in an older version; `known` is what it contains. */
export async function refreshNamed<K extends Kind>(
  cluster: Pick<Cluster, 'read' | 'store'>,
  kind: K,
  namespace: string,
  name: string,
  known = cluster.store.get(kind, namespace, name),
): Promise<ObjectOf<K> | undefined> {
  const current = await cluster.read(kind, namespace, name)
  const cache = cluster.store.cacheOf(kind)
  if (current) cache.set(current)
  else if (known) cache.remove(known, undefined, true)
  return current
}
