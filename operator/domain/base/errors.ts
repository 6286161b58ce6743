import type { RestErrorName } from '../../api/reasons/errors.ts'
import type { Reason } from '../../api/reasons/reasons.ts'

/** Not yet: something else must happen first. Tried again when that something changes, or after `retryAfterSeconds`. */
export class Waiting extends Error {
  readonly reason: Reason
  readonly retryAfterSeconds: number | undefined
  /** Status fields that were found out before the wait. */
  readonly observed: object | undefined
  constructor(reason: Reason, message: string, retryAfterSeconds?: number, observed?: object) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
    this.observed = observed
  }
}

/**
 * A person must act: trying again changes nothing until the object or what it refers to changes. After
 * `retryAfterSeconds` it is tried again all the same, where nobody tells us that the person acted.
 */
export class Stalled extends Error {
  readonly reason: Reason
  /** Status fields that were found out before it stalled. */
  readonly observed: object | undefined
  readonly retryAfterSeconds: number | undefined
  constructor(reason: Reason, message: string, observed?: object, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.observed = observed
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What the object refers to is not there, or not yet. An object that was ready is not ready until it is back. */
export class ReferenceNotFound extends Waiting {}

/** Does not fit the objects beside it as they are now. They may still change: it stalls after the settle time. */
export class Mismatch extends Stalled {}

/** It went wrong in a step that has a name: tried again with growing pauses. */
export class Failed extends Error {
  readonly reason: Reason
  /** Status fields that were found out before it went wrong. */
  readonly observed: object | undefined
  constructor(reason: Reason, message: string, observed?: object) {
    super(message)
    this.reason = reason
    this.observed = observed
  }
}

/**
 * Says of the error of a driver's call that the call for sure made and changed nothing: it was refused as a whole, or
 * never sent. Of an answer that was lost nobody can say so.
 */
export function nothingMade<E extends Error>(error: E): E {
  return Object.assign(error, { [harmless]: true })
}

/** Whether an error says so. */
export function saysNothingMade(error: unknown): boolean {
  return error instanceof Error && harmless in error
}

const harmless = Symbol('nothing was made')

/** The same error with another message, or with other facts; an error that says nothing of what to do stays as it is. */
export function reworded(error: unknown, changes: { message?: string; observed?: object }): unknown {
  if (!(error instanceof Waiting || error instanceof Stalled || error instanceof Failed)) return error
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
  return new Failed(reason, message, observed)
}

/** Why a request of a caller of the gateway is refused; `reason` decides the HTTP status. */
export class Problem extends Error {
  readonly reason: RestErrorName
  readonly details: unknown
  constructor(reason: RestErrorName, message: string, details?: unknown) {
    super(message)
    this.reason = reason
    this.details = details
  }
}
