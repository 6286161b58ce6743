import { TokenBucket } from '../../domain/base/token-bucket.ts'
import type { ObjectReference } from '../../kube/objects/objects.ts'

/** Between the repairs of a resource in the long run. */
export const repairPauseSeconds = 30
const limit = { burst: 10, perSecond: 1 / repairPauseSeconds }
/** A second more, because a timer may end early. */
const calmMs = (limit.burst / limit.perSecond + 1) * 1000

/** The least number of resources at which those that are repaired no more are forgotten. */
const leastCleanup = 1000

interface Repairs {
  readonly bucket: TokenBucket
  /** The object that another client changes, since repairs had to wait. */
  contested?: ObjectReference | undefined
  /** Whether the next repair waits for the timer. */
  isWaiting: boolean
  /** Whether the last repair changed nothing: the other client changes only what is its own. */
  isNeedless: boolean
  timer?: NodeJS.Timeout | undefined
}

/**
 * Slows the repairs of a resource when another client, such as a controller, changes its objects again and again: it may answer
 * each repair at once, without end. Keys are those of the resources.
 */
export class RepairPace {
  readonly #enqueue: (key: string) => void
  readonly #now: () => number
  readonly #repairs = new Map<string, Repairs>()
  #cleanUpAt = leastCleanup

  /** Enqueues a resource when its next repair may begin, and when none was needed for long. */
  constructor(enqueue: (key: string) => void, now: () => number = () => performance.now()) {
    this.#enqueue = enqueue
    this.#now = now
  }

  /** Whether the resource may be repaired now, because another client changed this object. */
  take(key: string, changed: ObjectReference): boolean {
    const now = this.#now()
    if (this.#repairs.size >= this.#cleanUpAt) this.#cleanUp(now)
    const fresh = () => ({ bucket: new TokenBucket(limit, now), isWaiting: false, isNeedless: false })
    const repairs: Repairs = this.#repairs.get(key) ?? fresh()
    this.#repairs.set(key, repairs)
    const waitMs = repairs.bucket.take(now)
    repairs.isWaiting = waitMs > 0
    // The status names it, and must not change with each object of several.
    if (repairs.isWaiting && !repairs.isNeedless) repairs.contested ??= changed
    else if (repairs.contested) repairs.contested = changed
    if (repairs.isWaiting || repairs.contested) this.#enqueueAfter(key, repairs, waitMs || calmMs)
    return waitMs === 0
  }

  /** The objects of the resource were applied; whether that changed one of them. */
  noteRepaired(key: string, isChanged: boolean): void {
    const repairs = this.#repairs.get(key)
    if (!repairs) return
    repairs.isNeedless = !isChanged
    if (!isChanged) repairs.contested = undefined
  }

  /** Whether the resource is enqueued later for its next repair. */
  isWaiting(key: string): boolean {
    return this.#repairs.get(key)?.isWaiting === true
  }

  /**
   * The object that another client changes again and again; undefined when no repair was needed for long. Until then, the
   * resource is enqueued again.
   */
  contested(key: string): ObjectReference | undefined {
    const repairs = this.#repairs.get(key)
    if (repairs?.bucket.isFull(this.#now())) {
      this.forget(key)
      return undefined
    }
    if (repairs?.contested && repairs.timer === undefined) this.#enqueueAfter(key, repairs, calmMs)
    return repairs?.contested
  }

  forget(key: string): void {
    clearTimeout(this.#repairs.get(key)?.timer)
    this.#repairs.delete(key)
  }

  #enqueueAfter(key: string, repairs: Repairs, afterMs: number): void {
    clearTimeout(repairs.timer)
    repairs.timer = setTimeout(() => {
      repairs.timer = undefined
      repairs.isWaiting = false
      this.#enqueue(key)
    }, afterMs).unref()
  }

  #cleanUp(now: number): void {
    for (const [key, { bucket, timer }] of this.#repairs)
      if (timer === undefined && bucket.isFull(now)) this.#repairs.delete(key)
    // Worth its time only when there may be many.
    this.#cleanUpAt = Math.max(leastCleanup, 2 * this.#repairs.size)
  }
}
