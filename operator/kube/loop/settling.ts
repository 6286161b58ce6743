import type { CommonStatus } from '../../api/kind.ts'
import { isStalled, type Outcome } from './outcome.ts'

interface Judged {
  readonly metadata: { readonly generation?: number }
  readonly status?: CommonStatus
}

/** What comes of outcomes that depend on other objects, which tools apply in any order. */
export interface Settling {
  /** The outcome to state: an object that does not fit those beside it is reconciling until that has lasted. */
  outcomeFor(key: string, object: Judged, outcome: Outcome): Outcome
  forget(key: string): void
}

/** Waits `settleMs` before an object that does not fit those beside it is stalled; `now` in milliseconds. */
export function createSettling(settleMs: number, now: () => number = () => performance.now()): Settling {
  const since = new Map<string, { readonly generation: number | undefined; readonly at: number }>()
  return {
    outcomeFor(key, object, outcome) {
      if (outcome.dependsOn !== 'fit') {
        since.delete(key)
        return outcome
      }
      // Another process has waited already.
      if (isStalled(object)) return outcome
      const { generation } = object.metadata
      const known = since.get(key)
      const begun = known && known.generation === generation ? known : { generation, at: now() }
      since.set(key, begun)
      const remainingMs = begun.at + settleMs - now()
      if (remainingMs <= 0) return outcome
      return { ...outcome, also: 'Reconciling', retry: Math.ceil(remainingMs / 1000) }
    },
    forget(key) {
      since.delete(key)
    },
  }
}
