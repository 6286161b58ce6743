import { type RestErrorName, restErrors } from '../../operator/api/reasons/errors.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { shortenMessage } from '../../operator/domain/base/size-limits.ts'
import {
  ApiError,
  isNotFound,
  isRefused,
  isUnserved,
  NoAnswer,
  QuotaError,
  webhookFailureIn,
} from '../../operator/kube/client/api-error.ts'
import { longestMessage } from './shapes.ts'

/** Error response before serialization. */
export interface ErrorResponse {
  readonly status: number
  readonly reason: RestErrorName
  readonly message: string
  readonly details?: unknown
  readonly retryAfterSeconds?: number
  /** Whether it is an error of the service, which is logged. */
  readonly unexpected?: boolean
}

/** Thrown when a limit is reached; the client can try again after some seconds. */
export class RateLimited extends Problem {
  readonly retryAfterSeconds: number
  constructor(retryAfterSeconds: number, message = 'the request rate limit is reached') {
    super('TooManyRequests', message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Maps an error to a response. Unexpected errors reveal no details; long messages are shortened. */
export function toErrorResponse(error: unknown): ErrorResponse {
  if (error instanceof RateLimited)
    return { ...problemResponse(error), retryAfterSeconds: error.retryAfterSeconds }
  if (error instanceof Problem) return problemResponse(error)
  if (error instanceof QuotaError) return quotaResponse(error)
  if (error instanceof ApiError) return apiErrorResponse(error)
  if (error instanceof NoAnswer) return clusterFailed
  if (error instanceof URIError)
    return errorResponse('Invalid', 'the percent-encoding of the path is not valid')
  return internal
}

const internal: ErrorResponse = {
  ...errorResponse('Internal', 'internal error; the log has details under the request id'),
  unexpected: true,
}

/** The write may have been done: only its answer is missing. */
const clusterFailed: ErrorResponse = {
  ...errorResponse(
    'Internal',
    'the cluster fails or does not answer; it may have made the change. Look, then try again; the log has details under the request id',
  ),
  unexpected: true,
}

function errorResponse(reason: RestErrorName, message: string, details?: unknown): ErrorResponse {
  const shown = shortenMessage(message, longestMessage)
  return { status: restErrors[reason].status, reason, message: shown, details }
}

function problemResponse({ reason, message, details }: Problem): ErrorResponse {
  return { ...errorResponse(reason, message, details), unexpected: reason === 'Internal' }
}

function quotaResponse({ message, uses }: QuotaError): ErrorResponse {
  const quotas = uses.map(({ quotaName, kind, used, limit }) => ({ quota: quotaName, kind, used, limit }))
  return errorResponse('QuotaExceeded', message, { quotas })
}

function apiErrorResponse(error: ApiError): ErrorResponse {
  const { status, message, retryAfterSeconds = 1 } = error
  if (status === 409) return errorResponse('Conflict', message)
  if (isRefused(error)) return errorResponse('Invalid', message)
  // Not one that says that the kind is not served: the object may exist.
  if (isNotFound(error)) return errorResponse('NotFound', message)
  if (status === 429) return { ...errorResponse('TooManyRequests', 'the cluster is busy'), retryAfterSeconds }
  if (status === 403 && message.includes('being terminated')) {
    return errorResponse('Conflict', 'the organization is being deleted')
  }
  const failure = webhookFailureIn(error)
  if (failure !== undefined)
    return { ...clusterFailed, message: `the cluster cannot make the change: ${failure}; try again later` }
  if (status === 503 || status === 504) return { ...clusterFailed, retryAfterSeconds }
  return status >= 500 || isUnserved(error) ? clusterFailed : internal
}

/** Returns the body of an error response. */
export function errorBody({ reason, message, details }: ErrorResponse) {
  return { error: reason, message, details }
}
