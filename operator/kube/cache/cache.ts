import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredObject } from '../../api/kind.ts'
import { keyOf, namespaceOf } from '../client/resource.ts'
import { RecentDeletions } from './recent-deletions.ts'
import { type Compact, createCompact } from './sharing.ts'

/**
 * A change of one object; `origin` names the controller of this process that wrote it. Another object of the name, which may
 * be seen before the end of the first, is two changes: the first is gone, and the second comes.
 */
export interface Change<T extends StoredObject = StoredObject> {
  readonly before: T | undefined
  readonly after: T | undefined
  readonly origin: string | undefined
}

/** Handles each change once, in order; an error is logged and dropped. */
export type ChangeHandler<T extends StoredObject = StoredObject> = (change: Change<T>) => void

/** The values of an index under which it lists an object. */
export type IndexFunction<T extends StoredObject = StoredObject> = (object: T) => readonly string[]

/** The known objects of one kind, with indexes. */
export interface Cache<T extends StoredObject = StoredObject> {
  get(namespace: string, name: string): T | undefined
  inNamespace(namespace: string): readonly T[]
  byIndex(index: string, value: string): readonly T[]
  countIn(namespace: string): number
  /** Whether the namespace has an object that fits; looks at no more objects than it must. */
  anyIn(namespace: string, fits?: (object: T) => boolean): boolean
  /** The same for the objects that an index lists under a value. */
  anyByIndex(index: string, value: string, fits?: (object: T) => boolean): boolean
  all(): Iterable<T>
  readonly size: number
  /** Stores the object unless a newer one is known. */
  set(object: T, origin?: string): void
  /** Removes the object, unless its name belongs to a newer object. With `isGone`, no version of it returns. */
  remove(object: T, origin?: string, isGone?: boolean): void
  /** Removes the objects that a complete list of this version does not contain; other work has turns in between. */
  retain(keys: ReadonlySet<string>, resourceVersion: string): Promise<void>
  /** Accepts any version in place of each object until the next list is complete, as after a restore of etcd. */
  distrust(): void
  /** Calls the handler for each change until the returned function is called. */
  subscribe(handler: ChangeHandler<T>): () => void
}

interface Index<T extends StoredObject> {
  readonly valuesOf: IndexFunction<T>
  /** Objects for each value. */
  readonly entries: Map<string, Set<T>>
}

/** A cache with these indexes; `onError` receives the errors of handlers and index functions. */
export function createCache<T extends StoredObject>(
  indexes: Readonly<Record<string, IndexFunction<T>>>,
  onError: (error: unknown) => void,
): Cache<T> {
  return new ObjectCache(indexes, onError)
}

/** No version of an object is greater. */
const lastVersion = 2n ** 64n

/** Objects that are compared with a list before other work of the process has a turn. */
const comparedInTurn = 10_000

class ObjectCache<T extends StoredObject> implements Cache<T> {
  readonly #indexes: ReadonlyMap<string, Index<T>>
  readonly #onError: (error: unknown) => void
  readonly #objects = new Map<string, Map<string, T>>()
  readonly #deletions = new RecentDeletions()
  readonly #handlers = new Set<ChangeHandler<T>>()
  readonly #compact: Compact = createCompact(() => this.#size)
  /** Objects of a history that may be lost: the next list replaces them by any version. */
  #doubted: ReadonlySet<T> = new Set()
  #size = 0

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>>, onError: (error: unknown) => void) {
    this.#onError = onError
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, valuesOf]) => [name, { valuesOf, entries: new Map() }]),
    )
  }

  get size(): number {
    return this.#size
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(namespace)?.get(name)
  }

  inNamespace(namespace: string): readonly T[] {
    return [...(this.#objects.get(namespace)?.values() ?? [])]
  }

  byIndex(index: string, value: string): readonly T[] {
    return [...(this.#indexes.get(index)?.entries.get(value)?.values() ?? [])]
  }

  countIn(namespace: string): number {
    return this.#objects.get(namespace)?.size ?? 0
  }

  anyIn(namespace: string, fits?: (object: T) => boolean): boolean {
    return any(this.#objects.get(namespace), fits)
  }

  anyByIndex(index: string, value: string, fits?: (object: T) => boolean): boolean {
    return any(this.#indexes.get(index)?.entries.get(value), fits)
  }

  *all(): Generator<T> {
    for (const inNamespace of this.#objects.values()) yield* inNamespace.values()
  }

  set(object: T, origin?: string): void {
    const before = this.get(namespaceOf(object), object.metadata.name)
    const version = versionOf(object)
    if (this.#deletions.covers(keyOf(object), version)) return
    if (this.#deletions.covers(object.metadata.uid, version)) return
    if (before && !this.#doubted.has(before) && versionOf(before) >= version) return
    const after = this.#compact(object, before)
    const isAnother = before && before.metadata.uid !== after.metadata.uid
    if (isAnother) this.#change(before, undefined, undefined)
    this.#change(isAnother ? undefined : before, after, origin)
  }

  remove(object: T, origin?: string, isGone = false): void {
    const before = this.get(namespaceOf(object), object.metadata.name)
    this.#deletions.add(keyOf(object), versionOf(object))
    if (isGone) this.#deletions.add(object.metadata.uid, lastVersion)
    if (!before) return
    const isAnother = before.metadata.uid !== object.metadata.uid
    if (isAnother && !this.#doubted.has(before) && versionOf(before) > versionOf(object)) return
    this.#change(before, undefined, origin)
  }

  async retain(keys: ReadonlySet<string>, resourceVersion: string): Promise<void> {
    const version = BigInt(resourceVersion)
    let count = 0
    for (const object of this.all()) {
      const isNewer = !this.#doubted.has(object) && versionOf(object) > version
      if (!isNewer && !keys.has(keyOf(object))) {
        this.#deletions.add(keyOf(object), version)
        this.#change(object, undefined, undefined)
      }
      count += 1
      // At the end: the object may be another one after that.
      if (count % comparedInTurn === 0) await nextTurn()
    }
    this.#doubted = new Set()
  }

  distrust(): void {
    this.#doubted = new Set(this.all())
    this.#deletions.clear()
  }

  subscribe(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  #change(before: T | undefined, after: T | undefined, origin: string | undefined): void {
    const object = after ?? before
    if (!object) return
    const [namespace, { name }] = [namespaceOf(object), object.metadata]
    if (after) valueIn(this.#objects, namespace, () => new Map<string, T>()).set(name, after)
    else removeIn(this.#objects, namespace, name)
    this.#size += Number(Boolean(after)) - Number(Boolean(before))
    this.#reindex(before, after)
    for (const handler of this.#handlers) {
      try {
        handler({ before, after, origin })
      } catch (error) {
        this.#onError(error)
      }
    }
  }

  #reindex(before: T | undefined, after: T | undefined): void {
    for (const { valuesOf, entries } of this.#indexes.values()) {
      if (before) for (const value of valuesIn(before, valuesOf)) removeIn(entries, value, before)
      if (after)
        for (const value of valuesIn(after, valuesOf, this.#onError))
          valueIn(entries, value, () => new Set<T>()).add(after)
    }
  }
}

function any<T>(
  objects: { values(): Iterable<T> } | undefined,
  fits: (object: T) => boolean = () => true,
): boolean {
  for (const each of objects?.values() ?? []) if (fits(each)) return true
  return false
}

/** The resource version, which compares as a number within a kind. */
export function versionOf(object: { readonly metadata: { readonly resourceVersion: string } }): bigint {
  return BigInt(object.metadata.resourceVersion)
}

/** No values for an object that the index cannot read, which may be stored without validation. */
function valuesIn<T extends StoredObject>(
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

function valueIn<V>(map: Map<string, V>, key: string, make: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const made = make()
  map.set(key, made)
  return made
}

function removeIn<E>(
  collections: Map<string, { delete(element: E): boolean; readonly size: number }>,
  key: string,
  element: E,
): void {
  const inner = collections.get(key)
  inner?.delete(element)
  if (inner?.size === 0) collections.delete(key)
}
