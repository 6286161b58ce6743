import { createFairQueue } from '../../domain/base/fair-queue.ts'
import { createPace, nextTurn, type Pace } from './pace.ts'

/**
 * A queue of keys: one worker a key at a time, a key added while it runs is run again, waiting keys are merged, and
 * namespaces take turns.
 */
export interface WorkQueue {
  add(key: string): void
  /** Adds the key once the time has passed, unless an earlier time is set already. */
  addAfter(key: string, milliseconds: number): void
  /**
   * Runs a part of the work of a key that waits for somebody else: others may use the place meanwhile, those of the same
   * namespace unless too many of it are away. Resolves when there is a place again.
   */
  releaseWorker<T>(key: string, work: () => Promise<T>): Promise<T>
  readonly depth: number
  /** Resolves when nothing runs or waits (delayed keys aside). */
  idle(): Promise<void>
  /** Takes nothing new, and resolves when what runs has ended. */
  stop(): Promise<void>
}

interface Delayed {
  readonly at: number
  readonly timer: NodeJS.Timeout
}

/** So many keys of a namespace may be away; then no other one of it begins, so that all places stay for those who work. */
const mostAway = 500

/** Runs `work` for each key with at most `workers` at once, as `pace` allows; `work` must not throw. */
export function createQueue(
  workers: number,
  work: (key: string) => Promise<void>,
  pace: Pace = createPace(),
): WorkQueue {
  const waiting = createFairQueue<string>()
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const delayed = new Map<string, Delayed>()
  const idleWaiters: (() => void)[] = []
  const returning: (() => void)[] = []
  /** Keys of a namespace that are away, be they on their way back; `away` are all whose place is free for others. */
  const awayOf = new Map<string, number>()
  let away = 0
  let stopped = false

  function add(key: string) {
    if (stopped) return
    cancelDelay(key)
    if (running.has(key)) {
      again.add(key)
      return
    }
    waiting.add(namespaceOf(key), key)
    pump()
  }

  function cancelDelay(key: string) {
    clearTimeout(delayed.get(key)?.timer)
    delayed.delete(key)
  }

  const hasPlace = () => running.size - away < workers

  function pump() {
    while (returning.length > 0 && hasPlace()) {
      away -= 1
      returning.shift()?.()
    }
    while (hasPlace()) {
      const key = waiting.take()
      if (key === undefined) break
      running.set(key, run(key))
    }
    if (running.size === 0) for (const resolve of idleWaiters.splice(0)) resolve()
  }

  async function run(key: string) {
    // A turn of the event loop first: a key that is added many times in one burst runs once.
    await Promise.resolve()
    while (pace.isSpent()) await nextTurn()
    again.delete(key)
    await work(key)
    running.delete(key)
    if (again.delete(key) && !stopped) waiting.add(namespaceOf(key), key)
    pump()
  }

  function leave(namespace: string) {
    const count = (awayOf.get(namespace) ?? 0) + 1
    awayOf.set(namespace, count)
    if (count === mostAway) waiting.pause(namespace)
    away += 1
    pump()
  }

  function comeHome(namespace: string) {
    const count = (awayOf.get(namespace) ?? 1) - 1
    if (count > 0) awayOf.set(namespace, count)
    else awayOf.delete(namespace)
    if (count !== mostAway - 1) return
    waiting.resume(namespace)
    pump()
  }

  function placeAgain(): Promise<void> | undefined {
    if (hasPlace() && returning.length === 0) {
      away -= 1
      return undefined
    }
    return new Promise((resolve) => {
      returning.push(resolve)
    })
  }

  return {
    add,
    async releaseWorker(key, part) {
      const namespace = namespaceOf(key)
      leave(namespace)
      try {
        return await part()
      } finally {
        await placeAgain()
        comeHome(namespace)
      }
    },
    addAfter(key, milliseconds) {
      if (stopped) return
      const at = performance.now() + milliseconds
      const earlier = delayed.get(key)
      if (earlier && earlier.at <= at) return
      cancelDelay(key)
      const timer = setTimeout(() => add(key), milliseconds)
      delayed.set(key, { at, timer })
    },
    get depth() {
      return waiting.size
    },
    idle() {
      if (running.size === 0 && waiting.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        idleWaiters.push(resolve)
      })
    },
    async stop() {
      stopped = true
      for (const { timer } of delayed.values()) clearTimeout(timer)
      delayed.clear()
      waiting.clear()
      await Promise.all(running.values())
    },
  }
}

function namespaceOf(key: string): string {
  return key.slice(0, Math.max(key.indexOf('/'), 0))
}
