/** The last work of each key that runs or waits. */
export type KeyedMutex = Map<string, Promise<unknown>>

/** Runs work after all earlier work of the same key has ended, well or not. */
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
  // An error of the earlier work is for its own caller.
  await Promise.allSettled([earlier])
  return work()
}
