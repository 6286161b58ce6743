import type { KubeObject } from '../../api/kind.ts'
import { keyOf } from '../client/resource.ts'

/** A change of one object; `origin` names the writer when it is one of ours. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly before: T | undefined
  readonly after: T | undefined
  readonly origin: string | undefined
}

/** Called once for each change, in order; must not throw (what it throws is logged and dropped). */
export type ChangeHandler<T extends KubeObject = KubeObject> = (change: Change<T>) => void

/** Values under which an object is found. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: T) => readonly string[]

/** All objects of one kind, as far as we know, with indexes. */
export interface Cache<T extends KubeObject = KubeObject> {
  get(namespace: string, name: string): T | undefined
  inNamespace(namespace: string): readonly T[]
  byIndex(index: string, value: string): readonly T[]
  all(): Iterable<T>
  readonly size: number
  /** Takes an object in, unless a newer one is known; answers whether it was news. */
  set(object: T, origin?: string): boolean
  /** Takes an object out, unless it was made anew in the meantime. */
  remove(object: T, origin?: string): void
  /** Drops what a complete list taken at `resourceVersion` does not hold. */
  retain(keys: ReadonlySet<string>, resourceVersion: string): void
  /** Forgets the order of versions: the next list wins, whatever its versions (etcd was restored). */
  distrust(): void
  subscribe(handler: ChangeHandler<T>): void
}

const rememberedDeletions = 20_000

/** A cache with the given indexes; `onError` hears of handlers that throw. */
export function createCache<T extends KubeObject>(
  indexes: Readonly<Record<string, IndexFunction<T>>>,
  onError: (error: unknown) => void,
): Cache<T> {
  const objects = new Map<string, Map<string, T>>()
  const indexed = new Map(Object.keys(indexes).map((name) => [name, new Map<string, Map<string, T>>()]))
  const deleted = new Map<string, bigint>()
  const handlers: ChangeHandler<T>[] = []
  let trustVersions = true
  let size = 0

  const find = (namespace: string, name: string) => objects.get(namespace)?.get(name)

  function change(before: T | undefined, after: T | undefined, origin: string | undefined) {
    const object = after ?? before
    if (!object) return
    const { namespace = '', name } = object.metadata
    if (after) mapIn(objects, namespace).set(name, after)
    else removeIn(objects, namespace, name)
    size += Number(Boolean(after)) - Number(Boolean(before))
    reindex(before, after)
    for (const handler of handlers) {
      try {
        handler({ before, after, origin })
      } catch (error) {
        onError(error)
      }
    }
  }

  function reindex(before: T | undefined, after: T | undefined) {
    for (const [name, valuesOf] of Object.entries(indexes)) {
      const index = indexed.get(name) ?? new Map()
      if (before) for (const value of valuesIn(before, valuesOf)) removeIn(index, value, keyOf(before))
      if (after)
        for (const value of valuesIn(after, valuesOf, onError)) mapIn(index, value).set(keyOf(after), after)
    }
  }

  /** With its version: an object that merely left the selection of labels comes back later with the same uid. */
  function rememberDeletion({ metadata }: T, version: bigint) {
    if (!metadata.uid) return
    const known = deleted.get(metadata.uid) ?? 0n
    deleted.set(metadata.uid, version > known ? version : known)
    if (deleted.size <= rememberedDeletions) return
    for (const uid of deleted.keys()) {
      deleted.delete(uid)
      break
    }
  }

  const cache: Cache<T> = {
    get: find,
    inNamespace: (namespace) => [...(objects.get(namespace)?.values() ?? [])],
    byIndex: (index, value) => [...(indexed.get(index)?.get(value)?.values() ?? [])],
    *all() {
      for (const inNamespace of objects.values()) yield* inNamespace.values()
    },
    get size() {
      return size
    },
    set(object, origin) {
      const { namespace = '', name, uid } = object.metadata
      const before = find(namespace, name)
      if (uid && versionOf(object) <= (deleted.get(uid) ?? -1n)) return false
      if (before && trustVersions && versionOf(before) >= versionOf(object)) return false
      change(before, slim(object), origin)
      return true
    },
    remove(object, origin) {
      const before = find(object.metadata.namespace ?? '', object.metadata.name)
      rememberDeletion(object, versionOf(object))
      if (!before) return
      const isAnother = before.metadata.uid !== object.metadata.uid
      if (isAnother && trustVersions && versionOf(before) > versionOf(object)) return
      change(before, undefined, origin)
    },
    retain(keys, resourceVersion) {
      for (const object of Array.from(cache.all())) {
        if (keys.has(keyOf(object))) continue
        if (trustVersions && versionOf(object) > BigInt(resourceVersion)) continue
        rememberDeletion(object, BigInt(resourceVersion))
        change(object, undefined, undefined)
      }
      trustVersions = true
    },
    distrust() {
      trustVersions = false
      deleted.clear()
    },
    subscribe(handler) {
      handlers.push(handler)
    },
  }
  return cache
}

/** Resource versions of one kind compare as numbers. */
export function versionOf(object: Pick<KubeObject, 'metadata'>): bigint {
  return BigInt(object.metadata.resourceVersion ?? '0')
}

/** Nobody reads managed fields, and they are a third of an object. */
export function slim<T extends KubeObject>(object: T): T {
  const metadata = object.metadata as { managedFields?: unknown; annotations?: Record<string, string> } // fields that our type leaves out
  delete metadata.managedFields
  if (metadata.annotations) delete metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']
  return object
}

/** An object that an index cannot read (stored with its schema switched off) is in none: it must not stop the others. */
function valuesIn<T extends KubeObject>(
  object: T,
  valuesOf: IndexFunction<T>,
  onError?: (error: unknown) => void,
): readonly string[] {
  try {
    return valuesOf(object)
  } catch (error) {
    onError?.(error)
    return []
  }
}

function mapIn<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const existing = maps.get(key)
  if (existing) return existing
  const made = new Map<string, T>()
  maps.set(key, made)
  return made
}

function removeIn<T>(maps: Map<string, Map<string, T>>, key: string, name: string): void {
  const inner = maps.get(key)
  inner?.delete(name)
  if (inner?.size === 0) maps.delete(key)
}
