import type { CommonStatus, Condition } from '../api/kind.ts'
import { Failed, Stalled, Waiting } from '../domain/errors.ts'
import { isObject, ownValue, sameJson } from '../domain/json.ts'

/** What one look at an object came to. */
export interface Verdict {
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  /** The condition that is true besides, as kstatus reads it. */
  readonly also: 'Reconciling' | 'Stalled' | undefined
  /** Seconds until the next try, or a growing back-off, or none before something changes. */
  readonly retry: number | 'backoff' | 'no'
}

/** Sorts the end of a reconcile into the four things it can be. */
export function verdictOf(error?: unknown): Verdict {
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
    }
  }
  if (error instanceof Stalled)
    return { ready: 'False', reason: error.reason, message, also: 'Stalled', retry: 'no' }
  const reason = error instanceof Failed ? error.reason : 'Failed'
  return { ready: 'False', reason, message, also: 'Reconciling', retry: 'backoff' }
}

const ours = new Set(['Ready', 'Reconciling', 'Stalled'])

/** The conditions after a verdict: ours replaced, the controller's own (`extra`) put beside them. */
export function conditionsAfter(
  before: readonly Condition[],
  verdict: Verdict,
  extra: readonly Omit<Condition, 'lastTransitionTime'>[],
  generation: number,
  now: string,
): Condition[] {
  const { ready, reason, also } = verdict
  const message = verdict.message.slice(0, 32_000)
  const wanted = [
    { type: 'Ready', status: ready, reason, message },
    ...(also ? [{ type: also, status: 'True' as const, reason, message }] : []),
    ...extra.filter(({ type }) => !ours.has(type)),
  ]
  return wanted.map((condition) => {
    const old = before.find(({ type }) => type === condition.type)
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now
    return { ...condition, observedGeneration: generation, lastTransitionTime }
  })
}

/**
 * The merge patch that turns `before` into `after`: absent fields become explicit nulls, because a merge patch
 * never removes what it does not name. Undefined when there is nothing to change.
 */
export function mergePatch(before: object, after: object): Record<string, unknown> | undefined {
  const old = before as Record<string, unknown> // plain data
  const next = after as Record<string, unknown> // plain data
  const gone = Object.keys(old).filter((key) => ownValue(next, key) === undefined)
  const changed = Object.entries(next).flatMap(([key, value]) => {
    const known = ownValue(old, key)
    if (value === undefined || sameJson(known, value)) return []
    return [[key, isObject(value) && isObject(known) ? mergePatch(known, value) : value] as const]
  })
  // Keys of outputs are the user's: an assignment to `__proto__` would not make a property.
  const patch = Object.fromEntries<unknown>([...gone.map((key) => [key, null] as const), ...changed])
  return Object.keys(patch).length > 0 ? patch : undefined
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

function isObserved(object: {
  readonly metadata: { generation?: number }
  readonly status?: CommonStatus
}): boolean {
  return object.status?.observedGeneration === object.metadata.generation
}
