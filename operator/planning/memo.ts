import type { StoredObject } from '../api/kind.ts'
import type { Cache } from '../kube/cache/cache.ts'

/** What is kept by the keys of objects. */
interface MemoRules<T extends StoredObject> {
  /** The keys whose values an object is part of. */
  keysOf(object: T): readonly string[]
  /** Whether a change of an object changes nothing of what is made. */
  isSame(before: T, after: T): boolean
  /** More values are dropped. Unlimited when absent. */
  readonly most?: number
}

/** Keeps what `make` makes for a key until an object with this key changes. */
export function createMemo<T extends StoredObject, V>(
  cache: Cache<T>,
  { keysOf, isSame, most = Number.POSITIVE_INFINITY }: MemoRules<T>,
  make: (key: string) => V,
): (key: string) => V {
  const made = new Map<string, V>()
  cache.subscribe(({ before, after }) => {
    if (made.size === 0 || (before && after && isSame(before, after))) return
    for (const each of [before, after]) if (each) for (const key of keysOf(each)) made.delete(key)
  })
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size >= most) made.clear()
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** Whether two versions of an object have the same spec. The cache keeps one that is equal, but not when a deletion begins. */
export function isSameSpec<T extends StoredObject & { readonly spec: unknown }>(
  before: T,
  after: T,
): boolean {
  return before.spec === after.spec
}
