/** Runs one call of a key at a time: a caller during a call gets the result of that call. */
export function createSingleFlight<T>(): (key: string, call: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, call) => {
    const current = underWay.get(key)
    if (current) return current
    const run = call().finally(() => underWay.delete(key))
    underWay.set(key, run)
    return run
  }
}
