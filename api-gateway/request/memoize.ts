/** The function, asked once for each object as long as that lives; objects of the store are replaced, never changed. */
export function memoize<T extends object, R>(make: (object: T) => R): (object: T) => R {
  const known = new WeakMap<T, R>()
  return (object) => {
    const found = known.get(object)
    if (found !== undefined) return found
    const made = make(object)
    known.set(object, made)
    return made
  }
}
