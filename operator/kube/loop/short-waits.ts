import type { StoredObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import type { Outcome } from './outcome.ts'
import { isStatedIn } from './status.ts'

/** A new wait is written only after this time, because most waits end sooner. */
export const waitingDelayMs = 2000

/** Reasons of pauses that others asked for. */
const askedPauses: ReadonlySet<Reason> = new Set<Reason>(['DriverBusy', 'RateLimited'])

/** Objects that wait, and since when. */
export class ShortWaits {
  /** When an object was first seen waiting, by key. */
  readonly #since = new Map<string, number>()

  has(key: string): boolean {
    return this.#since.has(key)
  }

  /**
   * Whether the object has begun to wait only now, so that the wait may end before it is worth a write. A pause that a driver or
   * its provider asked for is not short: the attempt that writes it later would come before its end.
   */
  isShort(key: string, object: StoredObject, outcome: Outcome): boolean {
    if (outcome.ready !== 'Unknown' || isStatedIn(object, outcome)) return false
    const since = this.#since.get(key) ?? performance.now()
    this.#since.set(key, since)
    if (askedPauses.has(outcome.reason) && Number(outcome.retry) * 1000 > waitingDelayMs) return false
    return performance.now() - since < waitingDelayMs
  }

  end(key: string): void {
    this.#since.delete(key)
  }
}
