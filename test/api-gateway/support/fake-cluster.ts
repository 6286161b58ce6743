import { randomUUID } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { memoize } from '../../../api-gateway/request/memoize.ts'
import { plainSchema } from '../../../api-gateway/request/wire.ts'
import type { Kind, KubeObject, Manifest, ObjectMeta, ObjectOf } from '../../../operator/api/kind.ts'
import { fieldManager } from '../../../operator/api/names.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { type Cache, createCache } from '../../../operator/kube/cache/cache.ts'
import type { Cluster, SelectableFields } from '../../../operator/kube/cache/cluster.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import type { Organization, Store } from '../../../operator/kube/cache/store.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { RequestOptions } from '../../../operator/kube/client/client.ts'
import { pathOf, resourceOf } from '../../../operator/kube/client/resource.ts'
import { mergePatch } from '../../simulation/server/patches.ts'

/** A cluster in memory: it numbers, dates and validates objects as the API server does. */
export interface FakeCluster extends Cluster {
  /** Secrets that were created. */
  readonly secrets: KubeObject[]
  /** Objects of other kinds, for lists. */
  readonly foreign: KubeObject[]
  /** Paths of the lists that were read. */
  readonly lists: string[]
  /** Every write in order, such as `create Application acme/shop`. */
  readonly writes: string[]
  /** Adds an organization, in place of an earlier one of its name. */
  addOrganization(id: string, displayName?: string, createdAt?: string): void
  /** Stores an object as it is, with its status. */
  put<K extends Kind>(kind: K, object: Manifest<K>): ObjectOf<K>
  /** Changes the status of an object, as the operator does. */
  setStatus<K extends Kind>(kind: K, namespace: string, name: string, status: object): void
  /** Takes an object away at once. */
  drop<K extends Kind>(kind: K, namespace: string, name: string): void
  /** Makes the next write that matches fail, or the next read, such as `read Application acme/shop`. */
  failNext(call: string, error: Error): void
  synced: boolean
  /** Forgets everything. */
  reset(): void
}

/** An empty fake cluster; each object it makes is a second younger than the one before. */
export function createFakeCluster(): FakeCluster {
  const caches = new Map<string, Cache>()
  const organizations: Organization[] = []
  const failures: { call: string; error: Error }[] = []
  let version = 0
  let synced = true
  /** Who wrote an object; objects that say nothing are ours. */
  const managers = new Map<string, ObjectMeta['managedFields']>()

  function cacheOf<K extends Kind>(kind: K): Cache<ObjectOf<K>> {
    const cache = caches.get(kind.kind)
    if (!cache) throw new Error(`no such kind: ${kind.kind}`)
    return cache as unknown as Cache<ObjectOf<K>> // filled with objects of this kind alone
  }
  function time(): string {
    return new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString().replace('.000Z', 'Z')
  }
  function failIfRequested(call: string) {
    const index = failures.findIndex((each) => call.includes(each.call))
    if (index >= 0) throw failures.splice(index, 1)[0]?.error
  }
  function record(verb: string, kind: string, { metadata }: KubeObject) {
    const write = `${verb} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`
    failIfRequested(write)
    fake.writes.push(write)
  }
  function keep<K extends Kind>(kind: K, object: ObjectOf<K>): ObjectOf<K> {
    version += 1
    const metadata = { ...object.metadata, resourceVersion: String(version) }
    // The API server receives JSON, which has no undefined fields.
    const copy = JSON.parse(JSON.stringify({ ...object, metadata })) as ObjectOf<K>
    cacheOf(kind).set(copy)
    return copy
  }

  /** Keeps a changed object, unless it is terminating and has no finalizers any more. */
  function keepOrEnd<K extends Kind>(kind: K, object: ObjectOf<K>): ObjectOf<K> {
    const kept = keep(kind, object)
    const { deletionTimestamp, finalizers = [] } = kept.metadata
    if (deletionTimestamp && finalizers.length === 0) cacheOf(kind).remove(kept)
    return kept
  }

  function selected<K extends Kind>(kind: K, namespace: string, fields: SelectableFields) {
    for (const path of Object.keys(fields))
      if (!kind.selectableFields.includes(`.${path}`))
        throw new ApiError(400, 'BadRequest', `field label not supported: ${path}`)
    const all = cacheOf(kind).inNamespace(namespace)
    return all.filter((each) =>
      Object.entries(fields).every(([path, value]) => valueAt(each, path) === value),
    )
  }

  const store: Store = {
    get: (kind, namespace, name) => cacheOf(kind).get(namespace, name),
    list: (kind, namespace) => cacheOf(kind).inNamespace(namespace),
    byIndex: (kind, index, value) => cacheOf(kind).byIndex(index, value),
    cacheOf,
    namespaces: createCache({}, () => {}),
    quotas: createCache({}, () => {}),
    organizations: () => organizations,
    organization: (wanted) => organizations.find(({ id }) => id === wanted),
    isOrganization: (namespace) => organizations.some(({ id }) => id === namespace),
    get synced() {
      return synced
    },
    reflects: () => true,
    watches: [],
    silentMs: () => 0,
    unansweredMs: () => 0,
  }

  /** A list of all objects of a kind in a namespace that have the labels and fields of selectors. */
  async function listForeign(method: string, path: string, { query = {} }: RequestOptions = {}) {
    const [, namespace, plural = ''] = /\/namespaces\/([^/]+)\/([^/]+)$/.exec(path) ?? []
    if (method !== 'GET') throw new Error(`${method} ${path}`)
    const partsOf = (selector: unknown) =>
      (typeof selector === 'string' ? selector.split(',') : []).map((each) => each.split('='))
    const labels = partsOf(query['labelSelector'])
    const fields = partsOf(query['fieldSelector'])
    fake.lists.push(path)
    const items = fake.foreign.filter(
      (object) =>
        object.metadata.namespace === namespace &&
        `${object.kind.toLowerCase()}s` === plural &&
        labels.every(([key = '', value]) => {
          const label = object.metadata.labels?.[key]
          return label !== undefined && (value === undefined || value === label)
        }) &&
        fields.every(([path = '', value]) => valueAt(object, path) === value),
    )
    return { items: items.map(({ apiVersion: _, kind: __, ...each }) => each) }
  }

  const fake: FakeCluster = {
    secrets: [],
    foreign: [],
    lists: [],
    writes: [],
    store,
    client: { request: listForeign } as unknown as Cluster['client'], // the gateway lists objects and does nothing else
    ready: Promise.resolve(),
    get synced() {
      return synced
    },
    set synced(value) {
      synced = value
    },
    addOrganization(id, displayName = id, createdAt = '2026-01-01T00:00:00Z') {
      const earlier = organizations.findIndex((each) => each.id === id)
      const place = earlier < 0 ? organizations.length : earlier
      organizations.splice(place, 1, { id, displayName, createdAt })
    },
    put: (kind, object) => {
      const uid = randomUUID()
      managers.set(object.metadata.uid ?? uid, object.metadata.managedFields ?? [{ manager: fieldManager }])
      const metadata = { uid, creationTimestamp: time(), generation: 1, ...object.metadata }
      return keep(kind, { ...object, metadata } as ObjectOf<typeof kind>) // `keep` adds the version
    },
    setStatus(kind, namespace, name, status) {
      const object = cacheOf(kind).get(namespace, name)
      if (!object) throw new Error(`no such object: ${namespace}/${name}`)
      keep(kind, { ...object, status } as typeof object) // the test knows the shape
    },
    drop(kind, namespace, name) {
      const object = cacheOf(kind).get(namespace, name)
      if (object) cacheOf(kind).remove(object)
    },
    failNext: (call, error) => {
      failures.push({ call, error })
    },
    async create(kind, object) {
      record('create', kind.kind, object)
      if (cacheOf(kind).get(object.metadata.namespace, object.metadata.name)) {
        throw new ApiError(409, 'AlreadyExists', `${kind.plural} "${object.metadata.name}" already exists`)
      }
      const fault = faultOfSpec(kind, object.spec)
      if (fault) throw new ApiError(422, 'Invalid', fault)
      const status = kind.status
        ? { status: structuredClone((kind.status as { default?: object }).default) }
        : {}
      return fake.put(kind, { ...object, ...status } as typeof object) // fields that the API server adds
    },
    async replace(kind, object) {
      record('replace', kind.kind, object)
      const existing = cacheOf(kind).get(object.metadata.namespace, object.metadata.name)
      if (!existing) throw new ApiError(404, 'NotFound', 'not found')
      if (existing.metadata.resourceVersion !== object.metadata.resourceVersion) {
        throw new ApiError(409, 'Conflict', 'the object has been modified')
      }
      const fault = faultOfSpec(kind, object.spec)
      if (fault) throw new ApiError(422, 'Invalid', fault)
      const { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = existing.metadata
      if (object.metadata.uid !== undefined && object.metadata.uid !== uid)
        throw new ApiError(409, 'Conflict', 'another uid')
      const kept = { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp }
      const metadata = { ...object.metadata, ...kept }
      return keepOrEnd(kind, { ...existing, ...object, metadata })
    },
    async patch(kind, object, changes) {
      const existing = cacheOf(kind).get(object.metadata.namespace, object.metadata.name)
      if (!existing) throw new ApiError(404, 'NotFound', 'not found')
      record('patch', kind.kind, existing)
      // The API server receives JSON, which has no undefined fields.
      const merged = mergePatch(existing, JSON.parse(JSON.stringify(changes)))
      const patched = merged as typeof existing // an object of the kind, checked below
      if (patched.metadata.uid !== existing.metadata.uid) throw new ApiError(409, 'Conflict', 'another uid')
      if (patched.metadata.resourceVersion !== existing.metadata.resourceVersion)
        throw new ApiError(409, 'Conflict', 'the object has been modified')
      const fault = faultOfSpec(kind, patched.spec)
      if (fault) throw new ApiError(422, 'Invalid', fault)
      return keepOrEnd(kind, patched)
    },
    async replaceSpec() {
      throw new Error('not for the gateway')
    },
    async replaceStatus() {
      throw new Error('not for the gateway')
    },
    async remove(kind, object) {
      record('remove', kind.kind, object)
      const { namespace, name } = object.metadata
      const existing = cacheOf(kind).get(namespace, name)
      if (existing?.metadata.uid !== object.metadata.uid) return existing === undefined
      if (existing.metadata.finalizers?.length) {
        // By the clock: some deletions wait for a time.
        const deletionTimestamp = new Date().toISOString()
        keep(kind, { ...existing, metadata: { ...existing.metadata, deletionTimestamp } })
        return true
      }
      cacheOf(kind).remove(existing)
      return true
    },
    async removeCollection(kind, namespace, fields) {
      const objects = selected(kind, namespace, fields)
      for (const object of objects) if (!object.metadata.deletionTimestamp) await fake.remove(kind, object)
      return objects.map(({ metadata }) => metadata.name)
    },
    readNames: async (kind, namespace, fields) =>
      selected(kind, namespace, fields).map(({ metadata }) => metadata.name),
    async removeUnchanged(kind, object) {
      const existing = cacheOf(kind).get(object.metadata.namespace, object.metadata.name)
      if (!existing) throw new ApiError(404, 'NotFound', 'not found')
      if (existing.metadata.resourceVersion !== object.metadata.resourceVersion)
        throw new ApiError(409, 'Conflict', 'the object has been modified')
      await fake.remove(kind, object)
    },
    async read(kind, namespace, name) {
      failIfRequested(`read ${kind.kind} ${namespace}/${name}`)
      pathOf(resourceOf(kind), namespace, name) // throws for a name that no path can hold
      const object = cacheOf(kind).get(namespace, name)
      const managedFields = managers.get(object?.metadata.uid ?? '')
      return object && { ...object, metadata: { ...object.metadata, managedFields } }
    },
    readAll: async (kind, namespace) => cacheOf(kind).inNamespace(namespace),
    async createSecret(secret) {
      record('create', 'Secret', secret)
      const { namespace, name } = secret.metadata
      if (fake.secrets.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace))
        throw new ApiError(409, 'AlreadyExists', `secrets "${name}" already exists`)
      fake.secrets.push(secret)
    },
    async close() {},
    reset() {
      for (const { kind, indexes = {} } of kindsInStore) {
        const known = caches.get(kind.kind)
        if (known) {
          // Subscribers receive the deletion of every object.
          for (const object of Array.from(known.all())) known.remove(object)
          continue
        }
        caches.set(
          kind.kind,
          createCache(indexes as never, (error) => {
            throw error
          }),
        ) // typed by their kinds
      }
      for (const list of [organizations, failures, fake.secrets, fake.foreign, fake.lists, fake.writes])
        list.length = 0
      synced = true
    },
  }
  fake.reset()
  return fake
}

/** The field of an object at a path such as `spec.type`. */
function valueAt(object: object, path: string): unknown {
  return path.split('.').reduce((inner: unknown, key) => isObject(inner) && inner[key], object)
}

const ajv = formats.default(new Ajv2020({ strict: false, ownProperties: true }))
const specCheckOf = memoize((kind: Kind) =>
  ajv.compile({ ...plainSchema(kind.spec), unevaluatedProperties: false }),
)

/** The problems that the CRD of a kind finds. */
function faultOfSpec(kind: Kind, spec: unknown): string | undefined {
  const check = specCheckOf(kind)
  return check(spec) ? undefined : `spec${ajv.errorsText(check.errors, { dataVar: '' })}`
}
