import type { KubeObject } from '../../api/kind.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import { Mismatch, ReferenceNotFound, Stalled } from './errors.ts'

/** Something about an object that keeps it from being used as written. */
export interface Fault {
  readonly reason: Reason
  readonly message: string
}

/** One fault for each message. */
export function faultsFor(reason: Reason, messages: readonly string[]): Fault[] {
  return messages.map((message) => ({ reason, message }))
}

/** An object refers to another that is not there: that one may still come, in whatever order a tool applies them. */
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

/** The object is wrong by itself: no other object can mend it. */
const formReasons: ReadonlySet<Reason> = new Set([
  'InvalidSchema',
  'InvalidTarget',
  'InvalidTemplate',
  'InvalidWebhook',
])

/**
 * What an object with faults comes to; undefined without any. One that is wrong by itself stalls at once. One that refers
 * to what is not there waits, whatever else is wrong: what is missing may mend that. Any other does not fit the objects
 * beside it, and stalls when that lasts.
 */
export function errorOfFaults(
  faults: readonly Fault[],
  observed?: object,
  retryAfterSeconds?: number,
): Error | undefined {
  const ofForm = faults.find(({ reason }) => formReasons.has(reason))
  const missing = faults.find(({ reason }) => missingReasons.has(reason))
  const first = ofForm ?? missing ?? faults[0]
  if (!first) return undefined
  const message = [first, ...faults.filter((each) => each !== first)].map((each) => each.message).join('; ')
  if (ofForm) return new Stalled(first.reason, message, observed)
  if (missing) return new ReferenceNotFound(first.reason, message, retryAfterSeconds, observed)
  return new Mismatch(first.reason, message, observed)
}

/** Ends a reconcile of an object that has faults. */
export function throwFaults(faults: readonly Fault[], observed?: object, retryAfterSeconds?: number): void {
  const error = errorOfFaults(faults, observed, retryAfterSeconds)
  if (error) throw error
}

/** Whether an object is there to be referred to: one that is being deleted is not. */
export function isPresent<T extends Pick<KubeObject, 'metadata'>>(object: T | undefined): object is T {
  return object !== undefined && object.metadata.deletionTimestamp === undefined
}

/**
 * The fault of a reference, such as to "application 'shop'", that is not there. What an object belongs to is there until
 * it is gone, for the object goes along; what it uses is there while it is present.
 */
export function faultsOfReference(reason: Reason, what: string, isThere: boolean): Fault[] {
  return isThere ? [] : [{ reason, message: `waiting for the ${what}` }]
}
