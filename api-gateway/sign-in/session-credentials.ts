import type { Request } from 'express'
import { readCookie } from './cookies.ts'

/**
 * Returns the session token of the cookie as a value of the header `Authorization`, if a script of the same origin sent the
 * request. Browsers set `Sec-Fetch-Site`, and no script can change it, so other sites cannot act for the user.
 */
export function sessionCredentials(request: Request): string | undefined {
  if (request.headersDistinct['authorization'] !== undefined) return undefined
  const sites = request.headersDistinct['sec-fetch-site'] ?? []
  if (sites.length !== 1 || sites[0] !== 'same-origin') return undefined
  const cookies = request.headersDistinct['cookie'] ?? []
  const token = readCookie(cookies.join('; '), 'token')
  // API tokens are accepted in the header only.
  return token === undefined || !token.startsWith('ey') ? undefined : `JWT ${token}`
}
