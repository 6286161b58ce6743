import type { KubeObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { Mismatch, ReferenceNotFound, Stalled } from './errors.ts'

/** A problem of an object that prevents its use, with the reason for the condition. */
export interface ObjectProblem {
  readonly reason: Reason
  readonly message: string
}

/** One problem for each message. */
export function problemsFor(reason: Reason, messages: readonly string[]): ObjectProblem[] {
  return messages.map((message) => ({ reason, message }))
}

/** The object refers to one that does not exist. Tools apply objects in any order, so that one may still be created. */
const missingReasons: ReadonlySet<Reason> = new Set([
  'AccountNotFound',
  'ApplicationNotFound',
  'EnvironmentNotFound',
  'EnvironmentTypeNotFound',
  'SecretNotFound',
  'StoreNotFound',
  'TypeNotFound',
  'UnknownDriver',
])

/** The object itself is invalid: no change of another object can make it valid. */
const formReasons: ReadonlySet<Reason> = new Set([
  'InvalidPlaceholder',
  'InvalidReference',
  'InvalidRule',
  'InvalidSchema',
  'InvalidTarget',
  'InvalidTemplate',
  'InvalidWebhook',
  'RegistryNotSupported',
])

/**
 * The error that ends the reconcile of an object with these problems; undefined without problems. An invalid object stalls
 * at once. An object with a missing reference waits, even with other problems: the missing object may solve them. Any
 * other problem is a conflict with other objects, and stalls after a grace period.
 */
export function errorOfProblems(
  problems: readonly ObjectProblem[],
  observed?: object,
  retryAfterSeconds?: number,
): Error | undefined {
  const ofForm = problems.find(({ reason }) => formReasons.has(reason))
  const missing = problems.find(({ reason }) => missingReasons.has(reason))
  const first = ofForm ?? missing ?? problems[0]
  if (!first) return undefined
  const message = [first, ...problems.filter((each) => each !== first)].map((each) => each.message).join('; ')
  if (ofForm) return new Stalled(first.reason, message, observed)
  if (missing) return new ReferenceNotFound(first.reason, message, retryAfterSeconds, observed)
  return new Mismatch(first.reason, message, observed)
}

/** Throws the error of `errorOfProblems`, if any. */
export function throwProblems(
  problems: readonly ObjectProblem[],
  observed?: object,
  retryAfterSeconds?: number,
): void {
  const error = errorOfProblems(problems, observed, retryAfterSeconds)
  if (error) throw error
}

/** Whether an object exists and is not being deleted. */
export function isPresent<T extends Pick<KubeObject, 'metadata'>>(object: T | undefined): object is T {
  return object !== undefined && object.metadata.deletionTimestamp === undefined
}

/**
 * The problem of a reference to a missing object, described as in "application 'shop'". For an owner, `isThere` stays true
 * while the owner is being deleted; for a used object it does not.
 */
export function problemsOfReference(reason: Reason, what: string, isThere: boolean): ObjectProblem[] {
  return isThere ? [] : [{ reason, message: `waiting for the ${what}` }]
}
