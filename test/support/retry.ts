/** Tries up to three times, since other work can disturb it, such as a late write or the memory of a process. */
export async function oneOfThree(work: () => Promise<void>): Promise<void> {
  await work()
    .catch(() => work())
    .catch(() => work())
}
