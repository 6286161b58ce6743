import { type KeyedMutex, withLock } from '../operator/domain/base/keyed-mutex.ts'
import { createByteBudget } from './request/byte-budget.ts'
import { RateLimited } from './response/errors.ts'

/** Work that holds up other requests, such as a plan or a long list, one part at a time. */
export interface LongWork {
  /**
   * Runs the work of an owner after its earlier work. `next` resolves when it is its turn, also before the first part: owners
   * take turns, and between two parts the requests that have arrived are served. A part must not await what is not there yet, or
   * it runs beside others. Throws RateLimited if too much work waits, or work with too many `bytes` of bodies.
   */
  run<T>(owner: string, work: (next: NextTurn) => Promise<T>, bytes?: number): Promise<T>
}

export type NextTurn = () => Promise<void>

/** The work of one owner that runs or waits. A page of a portal begins a few, and a tool some ten at once. */
const most = 100
/** Bytes of their bodies, which take some twenty times as much memory when they are read. */
const mostBytes = 4 * 1024 * 1024
const mostBytesOfAll = 8 * 1024 * 1024
const retryAfterSeconds = 1
const refusal = 'too many long requests of this user wait'
/** After a part, others have this share of its time for what takes several steps, such as a write. */
const restShare = 10

/** Creates the long work of a process. */
export function createLongWork(): LongWork {
  const works: KeyedMutex = new Map()
  const counts = new Map<string, number>()
  const bodies = createByteBudget({ limit: mostBytes, total: mostBytesOfAll, refusal })
  /** At most one part of each owner, so that owners alternate. */
  const waiting: (() => void)[] = []
  let isResting = false

  function grant(): void {
    const began = performance.now()
    waiting.shift()?.()
    isResting = true
    // The part runs before this, and so do the requests that arrived meanwhile.
    setImmediate(() => setTimeout(endRest, (performance.now() - began) / restShare))
  }

  function endRest(): void {
    isResting = false
    if (waiting.length > 0) grant()
  }

  const next = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1 && !isResting) setImmediate(grant)
    })

  function count(owner: string, change: 1 | -1): void {
    const now = (counts.get(owner) ?? 0) + change
    if (now === 0) counts.delete(owner)
    else counts.set(owner, now)
  }

  return {
    async run(owner, work, bytes = 0) {
      if ((counts.get(owner) ?? 0) >= most) throw new RateLimited(retryAfterSeconds, refusal)
      if (bytes > 0) bodies.reserve(owner, bytes)
      count(owner, 1)
      try {
        return await withLock(works, owner, () => work(next))
      } finally {
        count(owner, -1)
        bodies.release(owner, bytes)
      }
    },
  }
}
