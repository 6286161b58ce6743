/** Caches the result of a function per object. Objects of the cache are replaced, never changed. */
export function memoize<T extends object, R>(make: (object: T) => R): (object: T) => R {
  const cached = new WeakMap<T, R>()
  return (object) => {
    const found = cached.get(object)
    if (found !== undefined) return found
    const made = make(object)
    cached.set(object, made)
    return made
  }
}
