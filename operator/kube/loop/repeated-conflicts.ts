import { Waiting } from '../../domain/base/errors.ts'
import { isConflict } from '../client/api-error.ts'
import { createBackoff } from './backoff.ts'

/** In a row, at once: a cache that is late is mostly not late for longer. */
const mostAtOnce = 20
const pausesMs = { first: 500, most: 10_000 }

/** Conflicts of the reconciles of each object, in a row. */
export class RepeatedConflicts {
  readonly #counts = createBackoff(pausesMs)

  /**
   * The error of a reconcile. Throws a conflict, which a newer cache may end. After many of them, returns a wait instead that says
   * so: the cluster may refuse the same request each time. They are no attempts, which would end a deployment.
   */
  explain(key: string, error: unknown): unknown {
    if (!isConflict(error)) {
      this.forget(key)
      return error
    }
    const count = this.#counts.fail(key)
    if (count <= mostAtOnce) throw error
    return new Waiting('Failed', error.message, this.#counts.delayAfter(count - mostAtOnce) / 1000)
  }

  forget(key: string): void {
    this.#counts.reset(key)
  }
}
