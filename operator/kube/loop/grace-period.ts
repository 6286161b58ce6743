import type { CommonStatus } from '../../api/kind.ts'
import { isStalled, type Outcome } from './outcome.ts'

interface ObjectStatus {
  readonly metadata: { readonly generation?: number }
  readonly status?: CommonStatus
}

/** Delays Stalled for objects that do not fit the objects they refer to, since tools apply objects in any order. */
export interface GracePeriod {
  /** The outcome to write: Reconciling instead of Stalled until the grace period of this object has passed. */
  outcomeFor(key: string, object: ObjectStatus, outcome: Outcome): Outcome
  forget(key: string): void
}

/** A grace period of `graceMs` for each object and generation; `now` in milliseconds. */
export function createGracePeriod(graceMs: number, now: () => number = () => performance.now()): GracePeriod {
  const since = new Map<string, { readonly generation: number | undefined; readonly at: number }>()
  return {
    outcomeFor(key, object, outcome) {
      if (outcome.dependsOn !== 'fit') {
        since.delete(key)
        return outcome
      }
      // The grace period passed already, perhaps in an earlier process.
      if (isStalled(object)) return outcome
      const { generation } = object.metadata
      const known = since.get(key)
      const begun = known && known.generation === generation ? known : { generation, at: now() }
      since.set(key, begun)
      const remainingMs = begun.at + graceMs - now()
      if (remainingMs <= 0) return outcome
      return { ...outcome, secondCondition: 'Reconciling', retry: Math.ceil(remainingMs / 1000) }
    },
    forget(key) {
      since.delete(key)
    },
  }
}
