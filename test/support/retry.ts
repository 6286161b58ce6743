/** Tries up to three times what other work may disturb, such as a late write or the memory of a process. */
export async function oneOfThree(work: () => Promise<void>): Promise<void> {
  await work()
    .catch(() => work())
    .catch(() => work())
}
