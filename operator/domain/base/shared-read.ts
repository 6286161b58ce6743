/**
 * Coalesces reads by key: each caller gets the result of a read that began after its call. Callers during a read share the
 * next one, so a key has one read at a time.
 */
export function shareReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  const next = new Map<string, Promise<T>>()

  function begin(key: string): Promise<T> {
    next.delete(key)
    const run: Promise<T> = read(key).finally(() => {
      if (underWay.get(key) === run) underWay.delete(key)
    })
    underWay.set(key, run)
    return run
  }

  async function after(current: Promise<T>, key: string): Promise<T> {
    await current.catch(() => undefined)
    return begin(key)
  }

  return (key) => {
    const current = underWay.get(key)
    if (!current) return begin(key)
    const waiting = next.get(key) ?? after(current, key)
    next.set(key, waiting)
    return waiting
  }
}
