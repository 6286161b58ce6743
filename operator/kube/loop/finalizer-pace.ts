import { finalizer } from '../../api/names.ts'
import { Waiting } from '../../domain/base/errors.ts'
import { TokenBuckets } from '../../domain/base/token-bucket.ts'

const limit = { burst: 10, perSecond: 1 / 30 }

/** Slows the additions of our finalizer to an object from which another client removes it again and again. */
export class FinalizerPace {
  readonly #now: () => number
  readonly #buckets = new TokenBuckets(limit)

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** @throws Waiting until the finalizer may be added to the object again. */
  requireTurn(key: string): void {
    const waitMs = this.#buckets.waitMs(key, this.#now())
    if (waitMs === 0) return
    const message = `another client removes the finalizer '${finalizer}' again and again; it is added with pauses`
    throw new Waiting('ChangedByOthers', message, Math.ceil(waitMs / 1000))
  }

  /** Counts an addition. One that failed is none: no other client has removed it. */
  count(key: string): void {
    this.#buckets.take(key, this.#now())
  }

  forget(key: string): void {
    this.#buckets.forget(key)
  }
}
