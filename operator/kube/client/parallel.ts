/** Runs `work` for all items, `concurrency` at a time. An error stops new work; it is thrown when all running work ends. */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
  concurrency = 64,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const errors: unknown[] = []
  async function worker() {
    try {
      let next = await iterator.next()
      while (!next.done && errors.length === 0) {
        await work(next.value)
        next = await iterator.next()
      }
    } catch (error) {
      errors.push(error)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (errors.length > 0) throw errors[0]
}
