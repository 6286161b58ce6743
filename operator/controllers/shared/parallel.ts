/** Runs `work` over all items, at most `atOnce` at a time; fails with the first error when all that began has ended. */
export async function inParallel<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  atOnce = 64,
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
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failure) throw failure.error
}
