import { createFairQueue } from './fair-queue.ts'

/** Runs work of several owners in a limited number of slots. */
export interface FairSlots {
  /** Runs the work when a slot is free. Owners take turns. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>
}

/** Creates this many slots. */
export function createFairSlots(slots: number): FairSlots {
  const waiting = createFairQueue<() => void>()
  let used = 0
  return {
    async run(owner, work) {
      if (used < slots) used += 1
      else
        await new Promise<void>((resolve) => {
          waiting.add(owner, resolve)
        })
      try {
        return await work()
      } finally {
        const next = waiting.take()
        if (next) next()
        else used -= 1
      }
    },
  }
}
