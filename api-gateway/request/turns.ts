/** By key, the last of those whose turn is under way or to come. */
export type Turns = Map<string, Promise<unknown>>

/** Does work when all earlier work of the same key has ended, well or not. */
export async function inTurn<T>(turns: Turns, key: string, work: () => Promise<T>): Promise<T> {
  const turn = after(turns.get(key), work)
  turns.set(key, turn)
  try {
    return await turn
  } finally {
    if (turns.get(key) === turn) turns.delete(key)
  }
}

async function after<T>(earlier: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
  await Promise.allSettled([earlier]) // who asked for it hears how it ended
  return work()
}
