import { createFairQueue } from '../domain/base/fair-queue.ts'

/** An answer up to this size, in bytes, counts as small. */
export const smallBytes = 65_536

/** How many large answers are read at the same time: each is in memory until it is complete, and a server may send it slowly. */
const most = { ofAll: 16, ofOwner: 4 } as const

/** Lets few large answers be read at the same time. Owners take turns. */
export interface LargeAnswers {
  /** Resolves with the function that ends the reading when it may begin; rejects when the signal aborts before. */
  enter(owner: string, signal: AbortSignal): Promise<() => void>
}

export function createLargeAnswers({
  ofAll,
  ofOwner,
}: {
  readonly ofAll: number
  readonly ofOwner: number
} = most): LargeAnswers {
  const waiting = createFairQueue<() => boolean>()
  /** How many an owner reads. */
  const reading = new Map<string, number>()
  let free = ofAll

  function change(owner: string, by: 1 | -1): void {
    free -= by
    const now = (reading.get(owner) ?? 0) + by
    if (now === 0) reading.delete(owner)
    else reading.set(owner, now)
    if (now >= ofOwner) waiting.pause(owner)
    else waiting.resume(owner)
  }

  function startWaiting(): void {
    while (free > 0) {
      const next = waiting.takeOwned()
      if (!next) return
      if (next.item()) change(next.owner, 1)
    }
  }

  return {
    enter: (owner, signal) =>
      new Promise((resolve, reject) => {
        const giveUp = () => reject(signal.reason as Error)
        if (signal.aborted) return giveUp()
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.add(owner, () => {
          signal.removeEventListener('abort', giveUp)
          if (signal.aborted) return false
          resolve(() => {
            change(owner, -1)
            startWaiting()
          })
          return true
        })
        startWaiting()
      }),
  }
}
