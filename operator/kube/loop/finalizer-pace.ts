import { finalizer } from '../../api/names.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { TokenBucket } from '../../domain/base/token-bucket.ts'

const limit = { burst: 10, perSecond: 1 / 30 }

/** The size from which objects that keep our finalizer are forgotten. */
const cleanupSize = 1000

/** Slows the additions of our finalizer to an object from which another client removes it again and again. */
export class FinalizerPace {
  readonly #now: () => number
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** @throws Waiting until the finalizer may be added to the object again. */
  take(key: string): void {
    const now = this.#now()
    if (this.#buckets.size >= cleanupSize)
      for (const [each, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(each)
    const bucket = this.#buckets.get(key) ?? new TokenBucket(limit, now)
    this.#buckets.set(key, bucket)
    const waitMs = bucket.take(now)
    if (waitMs === 0) return
    const message = `another client removes the finalizer '${finalizer}' again and again; it is added with pauses`
    throw new Waiting('ChangedByOthers', message, Math.ceil(waitMs / 1000))
  }

  forget(key: string): void {
    this.#buckets.delete(key)
  }
}
