/** Runs `work` for all items, `concurrency` at a time. An error stops new work; it is thrown when all running work ends. */
export async function inParallel<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  concurrency = 64,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  let failure: { readonly error: unknown } | undefined
  async function worker() {
    for (let next = iterator.next(); !next.done && !failure; next = iterator.next()) {
      try {
        await work(next.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (failure) throw failure.error
}
