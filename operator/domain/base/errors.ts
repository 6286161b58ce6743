import type { RestErrorName } from '../../api/reasons/errors.ts'
import type { Reason } from '../../api/reasons/reasons.ts'

/** The object waits for something else. Retried when that changes, or after `retryAfterSeconds`. */
export class Waiting extends Error {
  readonly reason: Reason
  readonly retryAfterSeconds: number | undefined
  /** Status fields that are known so far. */
  readonly observed: object | undefined
  constructor(reason: Reason, message: string, retryAfterSeconds?: number, observed?: object) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
    this.observed = observed
  }
}

/**
 * A person must act. Not retried until the object or an object that it refers to changes; `retryAfterSeconds` is for
 * causes that no watch reports, and `backoff` for those that may end at any time.
 */
export class Stalled extends Error {
  readonly reason: Reason
  /** Status fields that are known so far. */
  readonly observed: object | undefined
  readonly retryAfterSeconds: number | 'backoff' | undefined
  constructor(reason: Reason, message: string, observed?: object, retryAfterSeconds?: number | 'backoff') {
    super(message)
    this.reason = reason
    this.observed = observed
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A referenced object does not exist, or not yet. An object that was ready is not ready until the reference exists. */
export class ReferenceNotFound extends Waiting {}

/** The object conflicts with other objects, which may still change. It stalls after a grace period. */
export class Mismatch extends Stalled {}

/** A reconcile failed, with the reason for the condition. Retried with back-off. */
export class ReconcileError extends Error {
  readonly reason: Reason
  /** Status fields that are known so far. */
  readonly observed: object | undefined
  constructor(reason: Reason, message: string, observed?: object) {
    super(message)
    this.reason = reason
    this.observed = observed
  }
}

/** A quota of a namespace has no room for an object. Retried with back-off, and when the quota has more room. */
export class QuotaExceeded extends ReconcileError {
  readonly namespace: string
  constructor(message: string, namespace: string, observed?: object) {
    super('QuotaExceeded', message, observed)
    this.namespace = namespace
  }
}

/**
 * Marks the error of a driver call that certainly changed nothing: the call was refused as a whole, or never sent. A lost
 * response does not qualify.
 */
export function withoutSideEffects<E extends Error>(error: E): E {
  return Object.assign(error, { [harmless]: true })
}

/** Whether `withoutSideEffects` marked the error. */
export function hadNoSideEffects(error: unknown): boolean {
  return error instanceof Error && harmless in error
}

const harmless = Symbol('without side effects')

/** Whether an error says with a reason why a reconcile ended. */
export function hasReason(error: unknown): error is Waiting | Stalled | ReconcileError {
  return error instanceof Waiting || error instanceof Stalled || error instanceof ReconcileError
}

/** A copy of the error with another message or other status fields. An error without a reason is returned as it is. */
export function copyError(error: unknown, changes: { message?: string; observed?: object }): unknown {
  if (!hasReason(error)) return error
  const { reason } = error
  const { message = error.message, observed = error.observed } = changes
  if (error instanceof Waiting) {
    const Same = error instanceof ReferenceNotFound ? ReferenceNotFound : Waiting
    return new Same(reason, message, error.retryAfterSeconds, observed)
  }
  if (error instanceof Stalled) {
    const Same = error instanceof Mismatch ? Mismatch : Stalled
    return new Same(reason, message, observed, error.retryAfterSeconds)
  }
  if (error instanceof QuotaExceeded) return new QuotaExceeded(message, error.namespace, observed)
  return new ReconcileError(reason, message, observed)
}

/** A problem with the input of a request or a rule. The gateway answers with the HTTP status of `reason`. */
export class Problem extends Error {
  readonly reason: RestErrorName
  readonly details: unknown
  constructor(reason: RestErrorName, message: string, details?: unknown) {
    // Capturing a stack takes most of the time where a request has thousands of problems.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.reason = reason
    this.details = details
  }
}
