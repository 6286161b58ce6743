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
  /** The slots that it asked for, less those that are forgotten since. */
  demand: number
}

/** How long an owner that has asked for a slot keeps others to their share. */
const sharedMs = 1000

/** What an owner may ask for in a burst, and each second after it, and still ask for little. */
const little = { burst: 64, perSecond: 25 }

/**
 * Creates this many slots. While several owners ask for slots, each one that asks for much uses at most `share` of them, so
 * that what they share behind the slots answers fast. One that is alone leaves a share free, so that the first work of another
 * does not wait for the end of slow work. Work of the empty owner has no share, and does not count as that of another.
 */
export function createFairSlots(
  slots: number,
  {
    share = slots,
    burst = little.burst,
    now = () => performance.now(),
  }: { readonly share?: number; readonly burst?: number; readonly now?: () => number } = {},
): FairSlots {
  const waiting = createFairQueue<() => void>()
  /** The owner that asked last is last. */
  const uses = new Map<string, Use>()
  const mostAlone = share < slots ? Math.max(share, slots - share) : slots
  let free = slots
  let most = mostAlone

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

  function limit(owner: string, { running, demand }: Use): void {
    if (running >= (demand > burst ? most : mostAlone)) waiting.pause(owner)
    else waiting.resume(owner)
  }

  function noteDemand(use: Use): void {
    const forgotten = ((now() - use.askedAt) / 1000) * little.perSecond
    // An owner that asks for little from now on is one that does within seconds.
    use.demand = Math.min(2 * burst, Math.max(0, use.demand - forgotten)) + 1
    use.askedAt = now()
  }

  function startWaiting(): void {
    const limitNow = isShared() ? share : mostAlone
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
      const use = uses.get(owner) ?? { running: 0, askedAt: now(), demand: 0 }
      if (owner !== '') {
        noteDemand(use)
        uses.delete(owner)
        uses.set(owner, use)
        limit(owner, use)
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
