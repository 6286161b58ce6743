import type { CommonStatus, Condition } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { Failed, Mismatch, ReferenceNotFound, Stalled, Waiting } from '../../domain/base/errors.ts'
import { cutTo } from '../../domain/base/size.ts'

/** What one look at an object came to. */
export interface Outcome {
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly reason: Reason
  readonly message: string
  /** The condition that is true besides, as kstatus reads it. */
  readonly also: 'Reconciling' | 'Stalled' | undefined
  /** Seconds until the next try, or a growing back-off, or none before something changes. */
  readonly retry: number | 'backoff' | 'no'
  /** The outcome depends on other objects: a reference is missing, or the object does not fit what it refers to. */
  readonly dependsOn?: 'reference' | 'fit'
}

/** Sorts the end of a reconcile into the four things it can be. */
export function outcomeOf(error?: unknown): Outcome {
  if (error === undefined)
    return { ready: 'True', reason: 'Reconciled', message: '', also: undefined, retry: 'no' }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Waiting) {
    return {
      ready: 'Unknown',
      reason: error.reason,
      message,
      also: 'Reconciling',
      retry: error.retryAfterSeconds ?? 'no',
      ...(error instanceof ReferenceNotFound ? { dependsOn: 'reference' } : {}),
    }
  }
  if (error instanceof Stalled) {
    const { reason, retryAfterSeconds: retry = 'no' } = error
    const fit = error instanceof Mismatch ? ({ dependsOn: 'fit' } as const) : {}
    return { ready: 'False', reason, message, also: 'Stalled', retry, ...fit }
  }
  const reason = error instanceof Failed ? error.reason : 'Failed'
  return { ready: 'False', reason, message, also: 'Reconciling', retry: 'backoff' }
}

/** Conditions take 32,768 characters. */
const maxMessageLength = 32_000

const ours = new Set(['Ready', 'Reconciling', 'Stalled'])

/** The conditions after a outcome: ours replaced, the controller's own (`extra`) put beside them. */
export function conditionsAfter(
  before: readonly Condition[],
  outcome: Outcome,
  extra: readonly Omit<Condition, 'lastTransitionTime'>[],
  generation: number,
  now: string,
): Condition[] {
  const { reason, also } = outcome
  const ready = readyAfter(before, outcome)
  const message = cutTo(outcome.message, maxMessageLength)
  const wanted = [
    { type: 'Ready', status: ready, reason, message },
    ...(also ? [{ type: also, status: 'True' as const, reason, message }] : []),
    ...extra
      .filter(({ type }) => !ours.has(type))
      .map((each) => ({ ...each, message: cutTo(each.message, maxMessageLength) })),
  ]
  return wanted.map((condition) => {
    const old = before.find(({ type }) => type === condition.type)
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now
    return { ...condition, observedGeneration: generation, lastTransitionTime }
  })
}

/** An object that was judged before is known not to be ready without what it refers to; of a new one nothing is known yet. */
function readyAfter(before: readonly Condition[], { ready, dependsOn }: Outcome): Outcome['ready'] {
  if (dependsOn !== 'reference') return ready
  const known = before.find(({ type }) => type === 'Ready')?.status ?? 'Unknown'
  return known === 'Unknown' ? 'Unknown' : 'False'
}

/** The condition of a type, if there is one. */
export function conditionOf(object: { readonly status?: CommonStatus }, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type)
}

/** Whether the object is what its spec, as it is now, asks for. */
export function isReady(object: {
  readonly metadata: { generation?: number }
  readonly status?: CommonStatus
}): boolean {
  return isObserved(object) && conditionOf(object, 'Ready')?.status === 'True'
}

/** Whether a person must act before the object can become ready. */
export function isStalled(object: {
  readonly metadata: { generation?: number }
  readonly status?: CommonStatus
}): boolean {
  return isObserved(object) && conditionOf(object, 'Stalled')?.status === 'True'
}

/** Whether the status speaks of the spec as it is now. */
export function isObserved(object: {
  readonly metadata: { generation?: number }
  readonly status?: CommonStatus
}): boolean {
  return object.status?.observedGeneration === object.metadata.generation
}
