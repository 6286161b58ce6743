import { APIError } from 'cloudflare/error'
import type { Reason } from '../../api/reasons/reasons.ts'
import { isObject } from '../../domain/base/json.ts'

/**
 * Why a call failed: `rateLimited`; `denied`, as all similar calls are; `rejected` for its content; the record `exists`
 * or is `notFound`; `batchTooLarge`; `unknown`, so that the change may have happened.
 */
export type ErrorKind =
  | 'rateLimited'
  | 'denied'
  | 'rejected'
  | 'exists'
  | 'notFound'
  | 'batchTooLarge'
  | 'unknown'

interface ErrorDetails {
  /** Time until the next attempt. */
  readonly seconds?: number
  /** The reason in conditions. */
  readonly reason?: Reason
  /** The maximum operations in a batch, when the provider names it. */
  readonly maxOperations?: number | undefined
}

/** An error of the Cloudflare API; the message contains no secret. */
export class CloudflareError extends Error {
  readonly kind: ErrorKind
  readonly seconds: number | undefined
  readonly reason: Reason
  readonly maxOperations: number | undefined
  constructor(
    kind: ErrorKind,
    message: string,
    { seconds, reason = 'Failed', maxOperations }: ErrorDetails = {},
  ) {
    super(message)
    this.kind = kind
    this.seconds = seconds
    this.reason = reason
    this.maxOperations = maxOperations
  }
}

const defaultPauseSeconds = 300
/** The longest pause, even if the provider asks for a longer one. */
export const maxPauseSeconds = 3600

const existsCodes = [81053, 81054, 81057, 81058]
const notFoundCodes = [81044]
const badTokenCodes = [6003, 6111, 9106, 9109, 1000]
const notAllowedCodes = [10000]
const noZoneCodes = [7000, 7003, 1001]
/** Statuses that leave open whether the change happened. */
const unknownStatuses: ReadonlySet<number> = new Set([408, 409, 425])
const maxErrors = 20
const maxDepth = 5

/** The error of a call of this zone, from an error of the client library. */
export function toCloudflareError(error: unknown, zoneId: string, secret: string): CloudflareError {
  if (!(error instanceof APIError) || error.status === undefined)
    return new CloudflareError('unknown', connectionText(error))
  const status = Number(error.status)
  if (status === 429) return rateLimited(secondsOf(error.headers?.get('retry-after')))
  if (status >= 500 || status < 400 || unknownStatuses.has(status))
    return new CloudflareError('unknown', `the provider answered with status ${status}`)
  const text = plainText(innermost(error.errors) ?? `status ${status}`, secret)
  return errorOfAnswer({ status, codes: codesOf(error.errors), text, zoneId })
}

interface Answer {
  readonly status: number
  readonly codes: readonly number[]
  readonly text: string
  readonly zoneId: string
}

function errorOfAnswer({ status, codes, text, zoneId }: Answer): CloudflareError {
  const has = (known: readonly number[]) => codes.some((code) => known.includes(code))
  if (has(existsCodes)) return new CloudflareError('exists', text)
  if (has(notFoundCodes)) return new CloudflareError('notFound', text)
  if (status === 401 || has(badTokenCodes))
    return denied('Unauthorized', `the provider does not accept the token of the account: ${text}`)
  if (status === 403 || has(notAllowedCodes))
    return denied('NotAllowed', `the token of the account may not do this in the zone '${zoneId}': ${text}`)
  if (status === 404 || has(noZoneCodes))
    return denied('ZoneNotFound', `the provider has no zone '${zoneId}' for this token: ${text}`)
  if (isAboutBatchSize(text))
    return new CloudflareError('batchTooLarge', text, { maxOperations: smallestNumberIn(text) })
  return rejected(text)
}

/** The token's calls are limited for this long. */
export function rateLimited(seconds: number): CloudflareError {
  return new CloudflareError('rateLimited', 'the provider limits the calls of this token for now', {
    seconds,
  })
}

const rejection = 'the provider rejects the record'

/** The provider rejects the record. */
export function rejected(text: string): CloudflareError {
  return new CloudflareError('rejected', `${rejection}: ${text}`, { reason: 'Rejected' })
}

/** The error of a list, which has no record to reject: an answer for no reason that is known may be another one soon. */
export function listError(error: unknown): unknown {
  if (!(error instanceof CloudflareError) || error.kind !== 'rejected') return error
  return new CloudflareError(
    'unknown',
    error.message.replace(rejection, 'the provider does not list the records'),
  )
}

function denied(reason: Reason, message: string): CloudflareError {
  return new CloudflareError('denied', message, { reason })
}

function connectionText(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof TransportError) return cause.message
  return 'the provider cannot be reached'
}

/** A call without a usable response; the message contains no secret. */
export class TransportError extends Error {}

/** The codes of all errors of a response and of their chains. */
function codesOf(errors: unknown, depth = 0): number[] {
  if (!Array.isArray(errors) || depth > maxDepth) return []
  return errors.slice(0, maxErrors).flatMap((each) => {
    if (!isObject(each)) return []
    return [...(typeof each.code === 'number' ? [each.code] : []), ...codesOf(each.error_chain, depth + 1)]
  })
}

/** The message of the first error, or of the last one in its chain, which names the cause. */
function innermost(errors: unknown, depth = 0): string | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  if (!isObject(first) || depth > maxDepth) return undefined
  return (
    innermost(first.error_chain, depth + 1) ?? (typeof first.message === 'string' ? first.message : undefined)
  )
}

/** A text of the provider, safe for a message. */
function plainText(text: string, secret: string): string {
  const hidden = secret === '' ? text : text.replaceAll(secret, '…')
  return hidden
    .replace(/[^\x20-\x7e\u2026]/g, ' ')
    .slice(0, 200)
    .trim()
    .replace(/\.$/, '')
}

function isAboutBatchSize(text: string): boolean {
  return /batch|operations/i.test(text) && /limit|quota|maximum|exceed|too many|more than/i.test(text)
}

function smallestNumberIn(text: string): number | undefined {
  const numbers = [...text.matchAll(/\d{1,9}/g)].map(([digits]) => Number(digits)).filter((each) => each > 0)
  return numbers.length === 0 ? undefined : Math.min(...numbers)
}

function secondsOf(text: string | null | undefined): number {
  const seconds = Number(text ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(Math.max(1, Math.ceil(seconds)), maxPauseSeconds)
    : defaultPauseSeconds
}
