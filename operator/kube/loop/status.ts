import type { CommonStatus, Condition, Kind, KubeObject, StatusOf } from '../../api/kind.ts'
import { ReconcileError, Stalled, Waiting } from '../../domain/base/errors.ts'
import { conditionOf, conditionsAfter, type Outcome } from './outcome.ts'

/** What a reconcile saw: the kind's own status fields, and conditions besides `Ready`. */
export type Observed<K extends Kind> = Omit<StatusOf<K>, keyof CommonStatus> & {
  readonly conditions?: readonly Omit<Condition, 'lastTransitionTime'>[]
}

/** Facts that an error carries along, so that a failed run can still say what it saw. */
export function statusOfError<K extends Kind>(error: unknown): Observed<K> | undefined {
  if (error instanceof Waiting || error instanceof Stalled || error instanceof ReconcileError)
    return error.observed as Observed<K> | undefined // thrown by this kind's controller
  return undefined
}

/** The whole status after a look: what was seen, the tries, and the conditions of the outcome. */
export function nextStatus<K extends Kind>(
  kind: K,
  before: CommonStatus,
  generation: number,
  found: { observed?: Observed<K>; outcome: Outcome; attempts?: number; delay?: number },
): object {
  const { observed, outcome, attempts, delay } = found
  const now = new Date().toISOString()
  const extra = (observed ? observed.conditions : before.conditions) ?? []
  // A run that failed saw nothing new: what was known before stays.
  const facts = observed ?? before
  const counted = countsAttempts(kind)
    ? {
        attempts,
        nextAttemptTime: delay === undefined ? undefined : new Date(Date.now() + delay).toISOString(),
      }
    : {}
  return {
    ...facts,
    ...counted,
    observedGeneration: generation,
    conditions: conditionsAfter(before.conditions ?? [], outcome, extra, generation, now),
  }
}

function countsAttempts(kind: Kind): boolean {
  const properties = (kind.status as { properties?: object } | undefined)?.properties ?? {} // an object schema
  return 'attempts' in properties
}

/** Tries in a row at this spec, this one included; what an earlier process counted goes on. */
export function attemptsOf(object: KubeObject, here: number): number {
  const known = object.status as { attempts?: number; observedGeneration?: number } | undefined // fields that some kinds have
  if (known?.attempts === undefined || known.observedGeneration !== object.metadata.generation) return here
  return known.attempts + 1
}

/** Whether the object says already what the outcome would say. */
export function isStatedIn(
  object: { readonly status?: CommonStatus; readonly metadata: { generation?: number } },
  outcome: Outcome,
): boolean {
  const ready = conditionOf(object, 'Ready')
  return ready?.reason === outcome.reason && ready.message === outcome.message
}
