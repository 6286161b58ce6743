import type { KubeObject, ObjectMeta, StoredObject } from '../../../operator/api/kind.ts'
import { labels } from '../../../operator/api/names.ts'
import type { AppliedKinds } from '../../../operator/controllers/objects/applied-kinds.ts'
import type { ObjectKind } from '../../../operator/controllers/objects/applied-object.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { sameJson } from '../../../operator/domain/base/json.ts'
import { type Cache, createCache } from '../../../operator/kube/cache/cache.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import type { KubeClient, RequestOptions } from '../../../operator/kube/client/client.ts'
import { byResource } from '../../../operator/kube/objects/metadata-watches.ts'
import type { ObjectReference, Objects } from '../../../operator/kube/objects/objects.ts'
import { storedMeta } from '../../support/builders.ts'

/** Objects of any kind in memory, numbered as the API server numbers them. */
export interface FakeObjects {
  /** A client of a new process: its watches start with a new list. */
  open(): Objects
  /** For the Secrets among them, and for lists of ReplicaSets. */
  readonly client: KubeClient
  /** Every write and every watch in order, such as `apply ConfigMap web`. */
  readonly log: string[]
  get(kind: string, name: string): StoredObject | undefined
  names(): string[]
  inNamespace(namespace: string): StoredObject[]
  /** Creates or changes an object as another client does. */
  put(object: KubeObject): StoredObject
  /** Changes only the status, which no generation counts. */
  touchStatus(kind: string, name: string, status: object): void
  replaceMetadata(kind: string, name: string, metadata: ObjectMeta): void
  /** Deletes an object as another client does. */
  delete(kind: string, name: string): void
  /** The kinds that were applied, as the cluster stores them. */
  readonly kinds: AppliedKinds
  /** Whether the role of the operator lacks the verb `deletecollection`. */
  refusesCollections: boolean
  /** The version of the kind that the cluster serves; undefined when it serves none. */
  served: (kind: ObjectKind) => ObjectKind | undefined
  /** Called before a kind is watched; its error is that of the watch. */
  beforeWatch: (kind: string) => void
  /** Called before each request that makes or changes an object. */
  before: (object: KubeObject) => void
  /** Keeps events back until the function that it returns is called, which can deliver only the first of them. */
  holdEvents(): (count?: number) => void
}

const uncounted = new Set(['ConfigMap', 'Service', 'Secret', 'Namespace'])
const clusterWide = new Set(['Namespace'])

/** No objects at all. */
export function createFakeObjects(): FakeObjects {
  const stored = new Map<string, StoredObject>()
  const doors: ((before: StoredObject | undefined, after: StoredObject | undefined) => void)[] = []
  let heldBack: (() => void)[] | undefined
  let version = 0

  const keyOf = ({ kind, namespace = '', name }: Omit<ObjectReference, 'apiVersion'>) =>
    `${kind} ${namespace}/${name}`
  const keyFor = ({ kind, metadata }: KubeObject) => keyOf({ kind, ...metadata })
  const find = (kind: string, name: string) =>
    [...stored.values()].find((each) => each.kind === kind && each.metadata.name === name)

  function announce(before: StoredObject | undefined, after: StoredObject | undefined) {
    const deliver = () => {
      for (const door of doors) door(before, after)
    }
    if (heldBack) heldBack.push(deliver)
    else deliver()
  }

  function keep(object: KubeObject, isCounted: boolean): StoredObject {
    version += 1
    const before = stored.get(keyFor(object))
    const { uid = `uid-${version}`, generation = 0 } = before?.metadata ?? {}
    const counted = uncounted.has(object.kind) ? {} : { generation: generation + Number(isCounted) }
    const metadata = storedMeta({ uid, ...object.metadata, ...counted, resourceVersion: String(version) })
    // The API server receives JSON, which has no undefined fields.
    const kept = JSON.parse(JSON.stringify({ ...object, metadata })) as StoredObject
    const isGone = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length
    if (isGone) stored.delete(keyFor(kept))
    else stored.set(keyFor(kept), kept)
    announce(before ?? kept, isGone ? undefined : kept)
    return kept
  }

  /** Server-side apply, as far as it matters here: an equal object does not change. */
  function merge(object: KubeObject): StoredObject {
    const before = stored.get(keyFor(object))
    if (!before) return keep(object, true)
    const { metadata: old, ...rest } = before
    const metadata = {
      ...old,
      ...object.metadata,
      labels: { ...old.labels, ...object.metadata.labels },
      annotations: { ...old.annotations, ...object.metadata.annotations },
    }
    const after = { ...rest, ...object, metadata }
    const { metadata: _, ...content } = after
    return sameJson({ ...before, metadata: { ...metadata, ...old } }, after)
      ? before
      : keep(after, !sameJson(content, rest))
  }

  function remove(object: KubeObject): StoredObject {
    const metadata = { ...object.metadata, deletionTimestamp: '2026-02-01T00:00:00Z' }
    return keep({ ...object, metadata }, false)
  }

  function refuseUnserved({ apiVersion, kind }: ObjectKind): void {
    if (fake.served({ apiVersion, kind })?.apiVersion !== apiVersion)
      throw new Stalled('NotServed', `${kind} is not served`)
  }

  function openDoor(): Objects {
    const caches = new Map<string, Cache>()
    const handlers: Parameters<Objects['onChange']>[0][] = []
    doors.push((before, after) => {
      const object = after ?? before
      const cache = object && caches.get(object.kind)
      if (after) cache?.set(structuredClone(after))
      else if (before) cache?.remove({ ...before, metadata: { ...before.metadata } })
    })
    return {
      served: async (kind) => fake.served(kind),
      async placed(object, namespace) {
        if (object.metadata.namespace !== undefined || clusterWide.has(object.kind)) return object
        return { ...object, metadata: { ...object.metadata, namespace } }
      },
      async apply(object) {
        await Promise.resolve()
        refuseUnserved(object)
        fake.before(object)
        fake.log.push(`apply ${object.kind} ${object.metadata.name}`)
        const { uid, resourceVersion } = object.metadata
        const { metadata: known } = stored.get(keyFor(object)) ?? {}
        if (uid !== undefined && known?.uid !== uid) throw new ApiError(409, 'Conflict', 'uid mismatch')
        if (resourceVersion !== undefined && known?.resourceVersion !== resourceVersion)
          throw new ApiError(409, 'Conflict', 'modified')
        return merge(object)
      },
      async create(object) {
        await Promise.resolve()
        fake.before(object)
        if (stored.has(keyFor(object))) return undefined
        fake.log.push(`create ${object.kind} ${object.metadata.name}`)
        return keep(object, true)
      },
      async merge(object) {
        await Promise.resolve()
        const before = stored.get(keyFor(object))
        if (!before) return undefined
        fake.before(object)
        fake.log.push(`merge ${object.kind} ${object.metadata.name}`)
        const all = Object.entries({ ...(before.data as object), ...(object.data as object) })
        return merge({ ...object, data: Object.fromEntries(all.filter(([, value]) => value !== null)) })
      },
      async read(reference) {
        refuseUnserved(reference)
        return stored.get(keyOf(reference))
      },
      async readApplied(reference) {
        refuseUnserved(reference)
        const object = stored.get(keyOf(reference))
        if (!object) return undefined
        const { status: _, metadata, ...applied } = object
        const { name, namespace, uid, labels: own, annotations } = metadata
        return { ...applied, metadata: { name, namespace, uid, labels: own, annotations } }
      },
      async remove(reference, uid) {
        refuseUnserved(reference)
        fake.log.push(`remove ${reference.kind} ${reference.name}`)
        const object = stored.get(keyOf(reference))
        return object?.metadata.uid !== uid || stored.get(keyFor(remove(object))) === undefined
      },
      async removeCollection({ kind }, namespace) {
        fake.log.push(`remove all ${kind} in ${namespace}`)
        if (fake.refusesCollections) throw new Stalled('NotAllowed', `cannot deletecollection '${kind}'`)
        for (const each of fake.inNamespace(namespace))
          if (each.kind === kind && each.metadata.labels?.[labels.resource] !== undefined) remove(each)
      },
      async readForeign({ kind }, namespace) {
        const items = [...stored.values()].filter(
          ({ kind: each, metadata }) =>
            each === kind &&
            metadata.namespace === namespace &&
            metadata.labels?.[labels.resource] === undefined,
        )
        return { items: items.slice(0, 20), isComplete: items.length <= 20 }
      },
      async watch({ apiVersion, kind }) {
        refuseUnserved({ apiVersion, kind })
        const known = caches.get(kind)
        if (known) return known
        fake.beforeWatch(kind)
        fake.log.push(`watch ${kind}`)
        const cache = createCache(
          { [byResource]: (each) => [each.metadata.labels?.[labels.resource] ?? ''] },
          (error) => {
            throw error
          },
        )
        let isFirstList = true
        cache.subscribe(({ before, after }) => {
          const object = after ?? before
          if (object) for (const handler of handlers) handler(object, !after, isFirstList)
        })
        for (const each of stored.values()) if (each.kind === kind) cache.set(structuredClone(each))
        isFirstList = false
        caches.set(kind, cache)
        return cache
      },
      onChange: (handler) => handlers.push(handler),
      closing: new AbortController().signal,
      close() {},
    }
  }

  async function request(method: string, path: string, { body }: RequestOptions = {}): Promise<unknown> {
    if (path.endsWith('/replicasets'))
      return { items: [...stored.values()].filter(({ kind }) => kind === 'ReplicaSet') }
    const [, namespace, name = ''] = /^\/api\/v1\/namespaces\/([^/]+)\/secrets\/([^/]+)$/.exec(path) ?? []
    if (!namespace) throw new Error(`not expected: ${method} ${path}`)
    await Promise.resolve()
    const secret = stored.get(keyOf({ kind: 'Secret', namespace, name }))
    if (!secret) throw new ApiError(404, 'NotFound', `secrets "${name}" not found`)
    if (method === 'GET') return secret
    if (method === 'DELETE') return remove(secret)
    const { metadata } = body as { metadata: ObjectMeta } // a merge patch
    if (metadata.resourceVersion !== secret.metadata.resourceVersion)
      throw new ApiError(409, 'Conflict', 'modified')
    return keep({ ...secret, metadata: { ...secret.metadata, ...metadata } }, false)
  }

  const kinds = new Map<string, ObjectKind>()
  const fake: FakeObjects = {
    open: openDoor,
    kinds: {
      all: () => kinds.values(),
      async remember({ apiVersion, kind }) {
        kinds.set(`${apiVersion} ${kind}`, { apiVersion, kind })
      },
    },
    client: {
      request,
      watch: () => {
        throw new Error('Secrets are not watched')
      },
      close: async () => {},
    },
    log: [],
    get: find,
    inNamespace: (namespace) =>
      [...stored.values()].filter(({ metadata }) => metadata.namespace === namespace),
    names: () => [...stored.values()].map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    put: merge,
    touchStatus(kind, name, status) {
      const object = find(kind, name)
      if (object) keep({ ...object, status }, false)
    },
    replaceMetadata(kind, name, metadata) {
      const object = find(kind, name)
      if (object) keep({ ...object, metadata }, false)
    },
    delete(kind, name) {
      const object = find(kind, name)
      if (object) remove(object)
    },
    refusesCollections: false,
    served: (kind) => kind,
    beforeWatch: () => {},
    before: () => {},
    holdEvents() {
      heldBack = []
      return (count?: number) => {
        const held = (count === undefined ? heldBack : heldBack?.splice(0, count)) ?? []
        if (count === undefined) heldBack = undefined
        for (const deliver of held) deliver()
      }
    },
  }
  return fake
}
