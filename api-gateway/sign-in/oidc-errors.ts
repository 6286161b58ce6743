import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { isObject } from '../../operator/domain/base/json.ts'

/** Codes of what was understood, and does not hold. */
const refusalCodes: ReadonlySet<string | undefined> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

/** Whether somebody is not signed in, rather than the provider out of order. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return true
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant'
  return error instanceof ClientError && refusalCodes.has(error.code) && !isAboutBody(error)
}

/** Whether the answer itself has not the form that it should have, whatever it states. */
function isAboutBody({ cause }: Error): boolean {
  return cause instanceof Error && isObject(cause.cause) && 'body' in cause.cause
}

/** Why, for the log: what the library says, and never what was sent, which may be a secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `${error.message}: ${error.error}`
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    // What the parser of JSON says quotes the answer.
    if (each.name !== 'SyntaxError') texts.push(each.message)
  }
  return texts.join(': ')
}
