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

async function after<T>(earlier: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
  // The caller of the earlier work handles its error.
  await Promise.allSettled([earlier])
  return work()
}
