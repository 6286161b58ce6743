import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from './outcome.ts'

/** Somebody who waits for a wish. */
export interface Pending<T> {
  readonly wish: T
  readonly cameAt: number
  /** Whether nobody told them the outcome yet. */
  readonly isOpen: boolean
  settle(error?: Error): void
}

interface GatheringTools<T> {
  /** Milliseconds that only grow. */
  readonly clock: () => number
  /** How long nobody may come before a cycle begins. */
  readonly collectMs: number
  /** So many begin a cycle at once. */
  readonly enough: number
  /** Wishes with one key are never in one cycle. */
  keyOf(wish: T): string
  /** Settles all members; the signal is aborted when nobody waits any more. */
  run(members: readonly Pending<T>[], signal: AbortSignal): Promise<void>
}

/** Wishes that are fulfilled together. */
export interface Batcher<T> {
  /** Resolves when the wish is fulfilled; rejects at the latest when the signal is aborted. */
  join(wish: T, signal: AbortSignal): Promise<void>
  readonly isIdle: boolean
  close(): void
}

const longestCollectMs = 3000
const mostTogether = 2000
/** Where so many come, more will: waiting longer for them saves calls. */
const crowd = 32
const crowdPatience = 6
/** A cycle tells this long how many come. */
const crowdMs = 1000

/** Gathers those who come together; there is one cycle at a time, and who comes meanwhile joins the next. */
export function createBatcher<T>({ clock, collectMs, enough, keyOf, run }: GatheringTools<T>): Batcher<T> {
  let queue: Pending<T>[] = []
  let members: readonly Pending<T>[] = []
  let abort = new AbortController()
  let isRunning = false
  let last = { size: 0, at: 0 }
  let onEnough = () => {}

  async function runAll(): Promise<void> {
    isRunning = true
    while (queue.length > 0) {
      await collected()
      members = nextMembers()
      abort = new AbortController()
      if (members.length > 0) await runOnce()
    }
    isRunning = false
  }

  async function runOnce(): Promise<void> {
    const all = members
    let failure: Error | undefined
    try {
      await run(all, abort.signal)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    members = []
    last = { size: all.length, at: clock() }
    for (const each of all) each.settle(failure ?? forgotten)
  }

  /** Waits until nobody comes any more, there are enough, or it took long enough. */
  async function collected(): Promise<void> {
    const full = new AbortController()
    onEnough = () => full.abort()
    let seen = 0
    for (let waited = 0; waited < longestCollectMs; ) {
      if (queue.length === seen || queue.length >= enough) break
      seen = queue.length
      const pause = isCrowded() ? collectMs * crowdPatience : collectMs
      await sleep(pause, undefined, { signal: full.signal }).catch(() => {})
      waited += Math.max(1, pause)
    }
    onEnough = () => {}
  }

  function isCrowded(): boolean {
    return queue.length >= crowd || (last.size >= crowd && clock() - last.at < crowdMs)
  }

  function nextMembers(): Pending<T>[] {
    const byKey = new Map<string, Pending<T>>()
    for (const each of queue) {
      if (byKey.size >= mostTogether) break
      const key = keyOf(each.wish)
      if (!byKey.has(key)) byKey.set(key, each)
    }
    const chosen = new Set(byKey.values())
    queue = queue.filter((each) => !chosen.has(each))
    return [...chosen]
  }

  function leave(pending: Pending<T>): void {
    queue = queue.filter((each) => each !== pending)
    if (members.every(({ isOpen }) => !isOpen)) abort.abort()
  }

  return {
    join(wish, signal) {
      return new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(noTimeLeft)
        let isOpen = true
        const pending: Pending<T> = {
          wish,
          cameAt: clock(),
          get isOpen() {
            return isOpen
          },
          settle(error) {
            if (!isOpen) return
            isOpen = false
            signal.removeEventListener('abort', expire)
            if (error) reject(error)
            else resolve()
          },
        }
        const expire = () => {
          pending.settle(noTimeLeft)
          leave(pending)
        }
        signal.addEventListener('abort', expire, { once: true })
        queue.push(pending)
        if (queue.length >= enough) onEnough()
        if (!isRunning) void runAll()
      })
    },
    get isIdle() {
      return !isRunning
    },
    close() {
      for (const each of [...queue, ...members]) each.settle(noTimeLeft)
      queue = []
      abort.abort()
      onEnough()
    },
  }
}

const noTimeLeft = unavailable('there was no time left for the call')
const forgotten = unavailable('the call was not answered')
