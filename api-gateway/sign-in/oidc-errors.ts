import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { isObject } from '../../operator/domain/base/json.ts'

/** Error codes of valid responses that reject the sign-in. */
const rejectionCodes: ReadonlySet<string | undefined> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

/** Whether the sign-in was rejected, as opposed to an error of the provider. */
export function isRejection(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return true
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant'
  return error instanceof ClientError && rejectionCodes.has(error.code) && !isAboutBody(error)
}

/** Whether the response itself is malformed. */
function isAboutBody({ cause }: Error): boolean {
  return cause instanceof Error && isObject(cause.cause) && 'body' in cause.cause
}

/** Returns the messages of the library for the log, without data of the request, which may be secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `${error.message}: ${error.error}`
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    // The message of a JSON parser quotes the response.
    if (each.name !== 'SyntaxError') texts.push(each.message)
  }
  return texts.join(': ')
}
