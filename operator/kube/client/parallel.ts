/** Runs `work` for all items, `concurrency` at a time. An error stops new work; it is thrown when all running work ends. */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
  concurrency = 64,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const errors: unknown[] = []
  let workers = 0

  /** Works on one item after the other. The first item calls the next worker, so that few items have few. */
  async function startWorker(): Promise<void> {
    workers += 1
    let nextWorker: Promise<void> | undefined
    try {
      while (errors.length === 0) {
        const next = await iterator.next()
        if (next.done || errors.length > 0) break
        if (!nextWorker && workers < concurrency) nextWorker = startWorker()
        await work(next.value)
      }
    } catch (error) {
      errors.push(error)
    }
    await nextWorker
  }

  await startWorker()
  if (errors.length > 0) throw errors[0]
}
