import { Stalled } from '../../domain/base/errors.ts'
import { ApiError, isRefusedForGood, isTerminating } from './client.ts'

/** The cluster does not report a change of its roles or admission rules, so the request is repeated after this time. */
export const refusedRetrySeconds = 60

/** The authorizer names the missing rule: verb, resource, API group and namespace. No admission rule writes in this form. */
const missingRight = /\bcannot \S+ (?:resource|path) "/

/** Answers of validation and of admission. */
const refusals: ReadonlySet<number> = new Set([400, 403])

/** Whether the requester lacks a right; false when an admission rule or a terminating namespace refuses the request. */
function lacksRight({ status, message }: ApiError): boolean {
  return status === 403 && missingRight.test(message)
}

/**
 * What a refused request for an object, or for all of a kind, means: Stalled when the operator lacks a right or when the
 * cluster refuses the request for good; all else stays as it is and is tried again.
 */
export function explainRefusal(
  error: unknown,
  verb: string,
  {
    kind,
    namespace = '',
    name,
  }: { readonly kind: string; readonly namespace?: string; readonly name?: string },
): unknown {
  if (!(error instanceof ApiError) || isTerminating(error)) return error
  const target = name === undefined ? `'${kind}'` : `'${kind}' '${namespace}/${name}'`
  if (lacksRight(error)) {
    const message = `the cluster does not let the operator ${verb} ${target}: ${error.message}`
    return new Stalled('NotAllowed', message, undefined, refusedRetrySeconds)
  }
  if (!refusals.has(error.status) && !isRefusedForGood(error)) return error
  // The API server quotes values; those of a Secret stay out of sight.
  const detail = kind === 'Secret' ? 'its content is not valid' : error.message
  const message = `the cluster refuses to ${verb} ${target}: ${detail}`
  return new Stalled('Rejected', message, undefined, refusedRetrySeconds)
}
