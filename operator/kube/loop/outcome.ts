import { beforeAnyTransition, type CommonStatus, type Condition, type StoredObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { Mismatch, ReconcileError, ReferenceNotFound, Stalled, Waiting } from '../../domain/base/errors.ts'
import { truncate } from '../../domain/base/size-limits.ts'

/** The outcome of one reconcile. */
export interface Outcome {
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly reason: Reason
  readonly message: string
  /** The condition that is true in addition to `Ready`, as kstatus reads it. */
  readonly secondCondition: 'Reconciling' | 'Stalled' | undefined
  /** Seconds until the next attempt, an exponential back-off, or no attempt until a change. */
  readonly retry: number | 'backoff' | 'no'
  /** Why the outcome depends on other objects: a reference is missing, or the object does not fit the one it names. */
  readonly dependsOn?: 'reference' | 'fit'
}

/**
 * The outcome of a reconcile, or of an attempt to delete, that threw this error or none. A deletion is always tried again:
 * no change of the object shows that what hinders it has ended elsewhere.
 */
export function outcomeOf(error?: unknown, work: 'reconcile' | 'deletion' = 'reconcile'): Outcome {
  if (error === undefined)
    return { ready: 'True', reason: 'Reconciled', message: '', secondCondition: undefined, retry: 'no' }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Waiting) {
    return {
      ready: 'Unknown',
      reason: error.reason,
      message,
      secondCondition: 'Reconciling',
      retry: error.retryAfterSeconds ?? 'no',
      dependsOn: error instanceof ReferenceNotFound ? 'reference' : undefined,
    }
  }
  if (error instanceof Stalled) {
    const { reason, retryAfterSeconds: retry = work === 'deletion' ? 'backoff' : 'no' } = error
    const dependsOn = error instanceof Mismatch ? 'fit' : undefined
    return { ready: 'False', reason, message, secondCondition: 'Stalled', retry, dependsOn }
  }
  const reason = error instanceof ReconcileError ? error.reason : 'Failed'
  return { ready: 'False', reason, message, secondCondition: 'Reconciling', retry: 'backoff' }
}

export const reconcileResults = ['ready', 'waiting', 'stalled', 'failed'] as const

/** A reconcile's outcome as metrics count it. */
export type ReconcileResult = (typeof reconcileResults)[number]

/** The result to count for an outcome. */
export function resultOf({ ready, secondCondition, retry }: Outcome): ReconcileResult {
  if (ready === 'True') return 'ready'
  if (secondCondition === 'Stalled') return 'stalled'
  return retry === 'backoff' ? 'failed' : 'waiting'
}

/** The API allows 32,768 characters. */
const maxMessageLength = 32_000

const commonTypes = new Set(['Ready', 'Reconciling', 'Stalled'])

/** The conditions after an outcome: the common ones, and those of the controller (`extra`). */
export function conditionsAfter(
  before: readonly Condition[],
  outcome: Outcome,
  extra: readonly Omit<Condition, 'lastTransitionTime'>[],
  generation: number,
  now: string,
): Condition[] {
  const { reason, secondCondition } = outcome
  const ready = readyAfter(before, outcome)
  const message = truncate(outcome.message, maxMessageLength)
  const wanted = [
    { type: 'Ready', status: ready, reason, message },
    ...(secondCondition ? [{ type: secondCondition, status: 'True' as const, reason, message }] : []),
    ...extra
      .filter(({ type }) => !commonTypes.has(type))
      .map((each) => ({ ...each, message: truncate(each.message, maxMessageLength) })),
  ]
  return wanted.map((condition) => {
    const old = before.find(({ type }) => type === condition.type)
    const lastTransitionTime = timeOfStatus(condition.status, old) ?? now
    return { ...condition, observedGeneration: generation, lastTransitionTime }
  })
}

/** Since when the condition has this status; undefined if it had another, or none but that of the schema. */
function timeOfStatus(status: Condition['status'], old: Condition | undefined): string | undefined {
  if (old?.status !== status || old.lastTransitionTime === beforeAnyTransition) return undefined
  return old.lastTransitionTime
}

/** While a reference is missing: Unknown for a new object, False for one that had a Ready status. */
function readyAfter(before: readonly Condition[], { ready, dependsOn }: Outcome): Outcome['ready'] {
  if (dependsOn !== 'reference') return ready
  const known = before.find(({ type }) => type === 'Ready')?.status ?? 'Unknown'
  return known === 'Unknown' ? 'Unknown' : 'False'
}

/** The condition of this type. */
export function conditionOf(object: { readonly status?: CommonStatus }, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type)
}

/** The state of an object as metrics count it: `ready`, `stalled` until a person acts, or `waiting`. */
export type ObjectState = 'ready' | 'waiting' | 'stalled'

/** The state of an object at its current generation. */
export function stateOf(object: Parameters<typeof isReady>[0]): ObjectState {
  if (isReady(object)) return 'ready'
  return isStalled(object) ? 'stalled' : 'waiting'
}

/** Whether nothing is left to do for the object, as far as its status says. */
export function isSettled(object: StoredObject & { readonly status?: CommonStatus }): boolean {
  return object.metadata.deletionTimestamp === undefined && stateOf(object) !== 'waiting'
}

/** Whether the object is ready at its current generation. */
export function isReady(object: {
  readonly metadata: { generation?: number }
  readonly status?: CommonStatus
}): boolean {
  return isObserved(object) && conditionOf(object, 'Ready')?.status === 'True'
}

/** Whether the object is stalled at its current generation: a person must act. */
export function isStalled(object: {
  readonly metadata: { generation?: number }
  readonly status?: CommonStatus
}): boolean {
  return isObserved(object) && conditionOf(object, 'Stalled')?.status === 'True'
}

/** Whether the status is about the current generation. */
export function isObserved(object: {
  readonly metadata: { generation?: number }
  readonly status?: CommonStatus
}): boolean {
  return object.status?.observedGeneration === object.metadata.generation
}
