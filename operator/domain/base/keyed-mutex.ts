/** The last running or waiting work of each key. */
export type KeyedMutex = Map<string, Promise<unknown>>

/** Runs work after all earlier work of the same key has completed or failed. */
export async function withLock<T>(mutex: KeyedMutex, key: string, work: () => Promise<T>): Promise<T> {
  const run = after(mutex.get(key), work)
  mutex.set(key, run)
  try {
    return await run
  } finally {
    if (mutex.get(key) === run) mutex.delete(key)
  }
}

/** Runs work after all earlier work of each of the keys. Takes them in order, so that no two wait for each other. */
export function withLocks<T>(mutex: KeyedMutex, keys: readonly string[], work: () => Promise<T>): Promise<T> {
  return [...new Set(keys)]
    .sort()
    .reduceRight<() => Promise<T>>((inner, key) => () => withLock(mutex, key, inner), work)()
}

async function after<T>(earlier: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
  // The caller of the earlier work handles its error.
  await Promise.allSettled([earlier])
  return work()
}
