import { createFairQueue } from '../../domain/base/fair-queue.ts'

/** Runs work of several owners in a limited number of slots. */
export interface FairSlots {
  /** Runs the work when a slot is free. Owners take turns. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>
}

/** The slots of an owner, and when it last asked for one. */
interface Use {
  running: number
  askedAt: number
}

/** How long an owner that has asked for a slot keeps others to their share. */
const sharedMs = 1000

/**
 * Creates this many slots. While several owners ask for slots, each uses at most `share` of them, so that what they share
 * behind the slots answers fast. Work of the empty owner has no share, and does not count as that of another.
 */
export function createFairSlots(
  slots: number,
  share: number = slots,
  now: () => number = () => performance.now(),
): FairSlots {
  const waiting = createFairQueue<() => void>()
  /** The owner that asked last is last. */
  const uses = new Map<string, Use>()
  let free = slots
  let most = slots

  /** Whether several owners ask for slots; forgets those before them that do not any more. */
  function isShared(): boolean {
    const since = now() - sharedMs
    let active = 0
    for (const [owner, { running, askedAt }] of uses) {
      if (running === 0 && askedAt < since && waiting.countOf(owner) === 0) uses.delete(owner)
      else active += 1
      if (active > 1) return true
    }
    return false
  }

  function limit(owner: string, { running }: Use): void {
    if (running >= most) waiting.pause(owner)
    else waiting.resume(owner)
  }

  function startWaiting(): void {
    const limitNow = isShared() ? share : slots
    if (limitNow !== most) {
      most = limitNow
      for (const [owner, use] of uses) limit(owner, use)
    }
    while (free > 0) {
      const next = waiting.takeOwned()
      if (!next) return
      free -= 1
      const use = uses.get(next.owner)
      if (use) {
        use.running += 1
        limit(next.owner, use)
      }
      next.item()
    }
  }

  return {
    async run(owner, work) {
      const use = uses.get(owner) ?? { running: 0, askedAt: 0 }
      use.askedAt = now()
      if (owner !== '') {
        uses.delete(owner)
        uses.set(owner, use)
      }
      await new Promise<void>((resolve) => {
        waiting.add(owner, resolve)
        startWaiting()
      })
      try {
        return await work()
      } finally {
        free += 1
        use.running -= 1
        if (owner !== '') limit(owner, use)
        startWaiting()
      }
    },
  }
}
