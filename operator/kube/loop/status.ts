import type { CommonStatus, Condition, Kind, KubeObject, StatusOf } from '../../api/kind.ts'
import { hasReason } from '../../domain/base/errors.ts'
import { conditionOf, conditionsAfter, type Outcome } from './outcome.ts'

/** What a reconcile observed: the kind's own status fields, and conditions other than the common ones. */
export type Observed<K extends Kind> = Omit<StatusOf<K>, keyof CommonStatus> & {
  readonly conditions?: readonly Omit<Condition, 'lastTransitionTime'>[]
}

/** The result of one reconcile and, on failure, the attempts so far and the milliseconds until the next one. */
export interface Result<K extends Kind> {
  readonly observed?: Observed<K>
  readonly outcome: Outcome
  readonly attempts?: number
  readonly delay?: number
}

/** What an error says was observed before the reconcile failed. */
export function statusOfError<K extends Kind>(error: unknown): Observed<K> | undefined {
  return hasReason(error) ? (error.observed as Observed<K> | undefined) : undefined // thrown by this kind's controller
}

/** The whole status after a result: what was observed, the attempts, and the conditions of the outcome. */
export function nextStatus<K extends Kind>(
  kind: K,
  before: CommonStatus,
  generation: number,
  { observed, outcome, attempts, delay }: Result<K>,
): object {
  const now = new Date().toISOString()
  const extra = (observed ? observed.conditions : before.conditions) ?? []
  // A failed reconcile observed nothing new.
  const facts = observed ?? before
  // A controller may state the attempts although no other one follows.
  const counted = countsAttempts(kind)
    ? {
        attempts: attempts ?? (observed as { attempts?: number } | undefined)?.attempts,
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

/** Attempts in a row at this generation, this one included; `here` are those of this process. */
export function attemptsOf(object: KubeObject, here: number): number {
  const known = object.status as { attempts?: number; observedGeneration?: number } | undefined // fields that some kinds have
  if (known?.attempts === undefined || known.observedGeneration !== object.metadata.generation) return here
  return known.attempts + 1
}

/** Whether the status shows the reason and message of the outcome already. */
export function isStatedIn(
  object: { readonly status?: CommonStatus; readonly metadata: { generation?: number } },
  outcome: Outcome,
): boolean {
  const ready = conditionOf(object, 'Ready')
  return ready?.reason === outcome.reason && ready.message === outcome.message
}
