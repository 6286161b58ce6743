import { APIError } from 'cloudflare/error'
import type { Reason } from '../../api/reasons/reasons.ts'
import { isObject } from '../../domain/base/json.ts'

/**
 * How a call went wrong: `limited`, not made or refused, since there were too many; `denied`, as all calls like it
 * will be; `refused`, for what it asks; `taken`, since such a record is there; `missing`, since the record is not;
 * `tooMany`, operations in one batch; `lost`, nobody knows whether it was done.
 */
export type FaultKind = 'limited' | 'denied' | 'refused' | 'taken' | 'missing' | 'tooMany' | 'lost'

interface FaultFacts {
  /** Until it may be tried again. */
  readonly seconds?: number
  /** For conditions. */
  readonly reason?: Reason
  /** How many operations a batch may have, where that is said. */
  readonly most?: number | undefined
}

/** A call that did not do what it should; the message tells nothing secret. */
export class ApiFault extends Error {
  readonly kind: FaultKind
  readonly seconds: number | undefined
  readonly reason: Reason
  readonly most: number | undefined
  constructor(kind: FaultKind, message: string, { seconds, reason = 'Failed', most }: FaultFacts = {}) {
    super(message)
    this.kind = kind
    this.seconds = seconds
    this.reason = reason
    this.most = most
  }
}

const restWhenNotTold = 300

const takenCodes = [81053, 81054, 81057, 81058]
const missingCodes = [81044]
const badTokenCodes = [6003, 6111, 9106, 9109, 1000]
const noRightCodes = [10000]
const noZoneCodes = [7000, 7003, 1001]
/** Of these nobody knows whether anything was done. */
const uncertainStatuses: ReadonlySet<number> = new Set([408, 409, 425])
const mostListed = 20
const deepest = 5

/** What an error of the library means for the zone that was called. */
export function faultOf(error: unknown, zoneId: string, secret: string): ApiFault {
  if (!(error instanceof APIError) || error.status === undefined)
    return new ApiFault('lost', connectionText(error))
  const status = Number(error.status)
  if (status === 429) return limited(secondsOf(error.headers?.get('retry-after')))
  if (status >= 500 || status < 400 || uncertainStatuses.has(status))
    return new ApiFault('lost', `the provider answered with status ${status}`)
  const text = plainText(innermost(error.errors) ?? `status ${status}`, secret)
  return faultOfAnswer({ status, codes: codesOf(error.errors), text, zoneId })
}

interface Answer {
  readonly status: number
  readonly codes: readonly number[]
  readonly text: string
  readonly zoneId: string
}

function faultOfAnswer({ status, codes, text, zoneId }: Answer): ApiFault {
  const has = (known: readonly number[]) => codes.some((code) => known.includes(code))
  if (has(takenCodes)) return new ApiFault('taken', text)
  if (has(missingCodes)) return new ApiFault('missing', text)
  if (status === 401 || has(badTokenCodes))
    return denied('Unauthorized', `the provider does not accept the token of the account: ${text}`)
  if (status === 403 || has(noRightCodes))
    return denied('NotAllowed', `the token of the account may not do this in the zone '${zoneId}': ${text}`)
  if (status === 404 || has(noZoneCodes))
    return denied('ZoneNotFound', `the provider has no zone '${zoneId}' for this token: ${text}`)
  if (isAboutBatchSize(text)) return new ApiFault('tooMany', text, { most: smallestNumberIn(text) })
  return rejected(text)
}

/** No call may be made with the token for so long. */
export function limited(seconds: number): ApiFault {
  return new ApiFault('limited', 'the provider takes no more calls with this token for now', { seconds })
}

/** The record, or what the provider makes of it, is at fault. */
export function rejected(text: string): ApiFault {
  return new ApiFault('refused', `the provider refuses the record: ${text}`, { reason: 'Rejected' })
}

function denied(reason: Reason, message: string): ApiFault {
  return new ApiFault('denied', message, { reason })
}

function connectionText(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof TransportError) return cause.message
  return 'the provider cannot be reached'
}

/** Why there was no usable answer, in words of ours. */
export class TransportError extends Error {}

/** The codes of all errors of an answer, and of what lies in their chains. */
function codesOf(errors: unknown, depth = 0): number[] {
  if (!Array.isArray(errors) || depth > deepest) return []
  return errors.slice(0, mostListed).flatMap((each) => {
    if (!isObject(each)) return []
    return [...(typeof each.code === 'number' ? [each.code] : []), ...codesOf(each.error_chain, depth + 1)]
  })
}

/** The message of the first error; where it has a chain, what is wrong is said at its end. */
function innermost(errors: unknown, depth = 0): string | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  if (!isObject(first) || depth > deepest) return undefined
  return (
    innermost(first.error_chain, depth + 1) ?? (typeof first.message === 'string' ? first.message : undefined)
  )
}

/** A text of somebody else, fit for a message of ours. */
function plainText(text: string, secret: string): string {
  const hidden = secret === '' ? text : text.replaceAll(secret, '…')
  return hidden
    .replace(/[^\x20-\x7e…]/g, ' ')
    .slice(0, 200)
    .trim()
    .replace(/\.$/, '')
}

/** Whether an error says that a batch has too many operations. */
function isAboutBatchSize(text: string): boolean {
  return /batch|operations/i.test(text) && /limit|quota|maximum|exceed|too many|more than/i.test(text)
}

function smallestNumberIn(text: string): number | undefined {
  const numbers = [...text.matchAll(/\d{1,9}/g)].map(([digits]) => Number(digits)).filter((each) => each > 0)
  return numbers.length === 0 ? undefined : Math.min(...numbers)
}

function secondsOf(text: string | null | undefined): number {
  const seconds = Number(text ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.max(1, Math.ceil(seconds)) : restWhenNotTold
}
