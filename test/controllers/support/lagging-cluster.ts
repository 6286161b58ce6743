import type { Kind, ObjectOf, StoredObject } from '../../../operator/api/kind.ts'
import { createCache, type IndexFunction } from '../../../operator/kube/cache/cache.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { createStore, type Store } from '../../../operator/kube/cache/store.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'
import { storedMeta } from '../../support/builders.ts'

interface Write {
  readonly version: number
  readonly kind: string
  readonly key: string
  readonly after: StoredObject | undefined
}

/** An API server with one order of versions, whose watches reach a process as late as a test wants. */
export interface LaggingServer {
  /** Writes an object, or takes it away; answers it as it was written. */
  write<K extends Kind>(kind: K, name: string, object: ObjectOf<K> | undefined): ObjectOf<K> | undefined
  get<K extends Kind>(kind: K, name: string): ObjectOf<K> | undefined
  list<K extends Kind>(kind: K): ObjectOf<K>[]
  /** A new process, with the objects that exist. */
  connect(): { readonly cluster: Cluster; deliver(kind: Kind, most?: number): void }
}

function emptyStore(): Store {
  const onError = (error: unknown) => {
    throw error
  }
  const caches = kindsInStore.map(
    ({ kind, indexes }) =>
      [kind.kind, createCache(indexes as Record<string, IndexFunction>, onError)] as const,
  ) // typed by their kinds
  const namespaces = createCache({}, onError)
  const labels = { 'quartermaster.dev/organization': 'acme' }
  namespaces.set({ apiVersion: 'v1', kind: 'Namespace', metadata: storedMeta({ name: 'acme', labels }) })
  return createStore(new Map(caches), { namespaces, quotas: createCache({}, onError) }, [])
}

/** An empty server; everything is in the organization `acme`. */
export function createLaggingServer(): LaggingServer {
  const log: Write[] = []
  const version = () => log.length

  function stateAt(kind: string, most: number): Map<string, StoredObject> {
    const state = new Map<string, StoredObject>()
    for (const each of log.slice(0, most)) {
      if (each.kind !== kind) continue
      if (each.after) state.set(each.key, each.after)
      else state.delete(each.key)
    }
    return state
  }

  const server: LaggingServer = {
    write(kind, name, object) {
      const resourceVersion = String(version() + 1)
      const metadata = object && { ...object.metadata, resourceVersion }
      const after = object && metadata ? { ...structuredClone(object), metadata } : undefined
      log.push({ version: version() + 1, kind: kind.kind, key: name, after })
      return after
    },
    get: (kind, name) => stateAt(kind.kind, version()).get(name) as never, // of this kind
    list: (kind) => [...stateAt(kind.kind, version()).values()] as never[], // of this kind
    connect() {
      const store = emptyStore()
      const heard = new Map<string, number>()
      const cluster = { store, client: clientOf(deliver), create, patch } as unknown as Cluster // objects that the dispatcher needs
      for (const { kind } of kindsInStore) {
        for (const object of server.list(kind)) store.cacheOf(kind).set(structuredClone(object))
        heard.set(kind.kind, version())
      }

      function deliver(kind: Kind, most = Number.POSITIVE_INFINITY): void {
        const news = log.filter(
          (each) => each.kind === kind.kind && each.version > (heard.get(kind.kind) ?? 0),
        )
        for (const { version: at, key, after } of news.slice(0, most)) {
          heard.set(kind.kind, at)
          const cache = store.cacheOf(kind)
          const before = cache.get('acme', key)
          if (after)
            cache.set(structuredClone(after) as ObjectOf<Kind>) // of this kind
          else if (before) cache.remove(before)
        }
      }
      function fold<K extends Kind>(kind: K, name: string, object: ObjectOf<K>): ObjectOf<K> {
        const written = server.write(kind, name, object) ?? object
        store.cacheOf(kind).set(structuredClone(written))
        return written
      }
      async function create<K extends Kind>(kind: K, object: ObjectOf<K>): Promise<ObjectOf<K>> {
        const { name } = object.metadata
        if (server.get(kind, name)) throw new ApiError(409, 'AlreadyExists', 'already exists')
        return fold(kind, name, object)
      }
      async function patch<K extends Kind>(
        kind: K,
        { metadata }: { metadata: { name: string } },
        body: object,
      ) {
        const current = server.get(kind, metadata.name)
        if (!current) throw new ApiError(404, 'NotFound', 'not found')
        const changes = (body as { metadata: { annotations: Record<string, string> } }).metadata // a mark
        const annotations = { ...current.metadata.annotations, ...changes.annotations }
        return fold(kind, metadata.name, { ...current, metadata: { ...current.metadata, annotations } })
      }
      return { cluster, deliver }
    },
  }

  function clientOf(deliver: (kind: Kind) => void): KubeClient {
    return {
      async request(_method: string, path: string, { query = {} }: RequestOptions = {}) {
        const kind = kindsInStore.find((each) => path.endsWith(`/${each.kind.plural}`))?.kind
        if (!kind) throw new Error(`no such list: ${path}`)
        const isExact = query['resourceVersionMatch'] === 'Exact'
        const at = isExact ? Number(query['resourceVersion']) : version()
        const name = String(query['fieldSelector'] ?? '').replace('metadata.name=', '')
        const items = [...stateAt(kind.kind, at).values()].filter(
          (each) => !name || each.metadata.name === name,
        )
        // The watch receives the content of a list a moment later.
        if (!isExact) setImmediate(() => deliver(kind))
        return { metadata: { resourceVersion: String(at) }, items }
      },
      watch: () => {
        throw new Error('watches are delivered by the test')
      },
      close: async () => {},
    }
  }
  return server
}
