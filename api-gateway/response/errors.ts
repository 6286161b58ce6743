import { type RestErrorName, restErrors } from '../../operator/api/reasons/errors.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { ApiError, isRefusedForGood } from '../../operator/kube/client/client.ts'

/** An error as the caller sees it. */
export interface Refusal {
  readonly status: number
  readonly reason: RestErrorName
  readonly message: string
  readonly details?: unknown
  readonly retryAfterSeconds?: number
  /** Whether it is our fault, to be looked at by whoever runs the service. */
  readonly unexpected?: boolean
}

/** Too many requests: the caller may come back after some seconds. */
export class RateLimited extends Problem {
  readonly retryAfterSeconds: number
  constructor(retryAfterSeconds: number) {
    super('TooManyRequests', 'the request rate limit is reached')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What the caller is told about whatever was thrown; of an unexpected error nothing but that it happened. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof RateLimited)
    return { ...problemRefusal(error), retryAfterSeconds: error.retryAfterSeconds }
  if (error instanceof Problem) return problemRefusal(error)
  if (error instanceof ApiError) return apiRefusal(error)
  if (error instanceof URIError) return refusal('Invalid', 'the path is not validly percent-encoded')
  return internal
}

const internal: Refusal = {
  ...refusal('Internal', 'internal error; the log names it by the request id'),
  unexpected: true,
}

function refusal(reason: RestErrorName, message: string, details?: unknown): Refusal {
  return { status: restErrors[reason].status, reason, message, details }
}

function problemRefusal({ reason, message, details }: Problem): Refusal {
  return { ...refusal(reason, message, details), unexpected: reason === 'Internal' }
}

function apiRefusal(error: ApiError): Refusal {
  const { status, message, retryAfterSeconds = 1 } = error
  if (status === 409) return refusal('Conflict', message)
  if (isRefusedForGood(error)) return refusal('Invalid', message)
  if (status === 404) return refusal('NotFound', message)
  if (status === 429) return { ...refusal('TooManyRequests', 'the cluster is busy'), retryAfterSeconds }
  if (status === 403 && message.includes('being terminated')) {
    return refusal('Conflict', 'the organization is being deleted')
  }
  if (status === 503 || status === 504) return { ...internal, retryAfterSeconds }
  return internal
}

/** The error body of the specification. */
export function errorBody({ reason, message, details }: Refusal) {
  return { error: reason, message, ...(details === undefined ? {} : { details }) }
}
