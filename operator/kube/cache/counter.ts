import type { StoredObject } from '../../api/kind.ts'
import type { Cache } from './cache.ts'

/** Counts the objects of a group in each bucket, with constant work per change. */
export interface Counter<B extends string> {
  of(group: string): Readonly<Record<B, number>>
}

/** Counts the objects of a cache; objects without a group or a bucket are not counted. */
export function createCounter<T extends StoredObject, B extends string>(
  cache: Cache<T>,
  buckets: readonly B[],
  place: (object: T) => { readonly group: string; readonly bucket: B } | undefined,
): Counter<B> {
  const counts = new Map<string, Record<B, number>>()
  const none = () => Object.fromEntries(buckets.map((bucket) => [bucket, 0])) as Record<B, number> // has every bucket

  // An object that the rule cannot read, which may be stored without validation, is not counted.
  function placeOf(object: T) {
    try {
      return place(object)
    } catch {
      return undefined
    }
  }

  function add(object: T | undefined, by: number) {
    const at = object && placeOf(object)
    if (!at) return
    const count = counts.get(at.group) ?? none()
    count[at.bucket] += by
    counts.set(at.group, count)
    if (Object.values(count).every((each) => each === 0)) counts.delete(at.group)
  }

  for (const object of cache.all()) add(object, 1)
  cache.subscribe(({ before, after }) => {
    add(before, -1)
    add(after, 1)
  })
  return { of: (group) => counts.get(group) ?? none() }
}
