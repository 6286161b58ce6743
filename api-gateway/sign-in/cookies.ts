import { isLoopback } from '../../operator/domain/base/loopback.ts'

/** A cookie that is not visible to scripts and other sites. */
export interface Cookie {
  readonly name: string
  /** Empty, with `seconds` 0, to delete the cookie. */
  readonly value: string
  readonly path: string
  readonly seconds: number
  /** Host of the gateway as the browser sees it. */
  readonly host: string | undefined
}

/** Returns the header `Set-Cookie` of a cookie. */
export function setCookie({ name, value, path, seconds, host }: Cookie): string {
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax']
  // Some browsers reject secure cookies of a loopback address, whose traffic stays on the machine.
  return [...parts, ...(host !== undefined && isLoopback(host) ? [] : ['Secure'])].join('; ')
}

/** Cookie with the session token. It authenticates requests of the portal, and users copy their session token from it. */
export function sessionCookie(value: string, seconds: number, host: string | undefined): string {
  return setCookie({ name: 'token', value, path: '/', seconds, host })
}

/** Returns the names of the cookies that match a pattern; a browser sends the oldest first. */
export function cookieNames(header: string | undefined, pattern: RegExp): string[] {
  const names = (header ?? '').split(';').map((part) => part.split('=', 1).join('').trim())
  return names.filter((name) => pattern.test(name))
}

/** Returns the value of a cookie; undefined if it is missing or given more than once. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined
}
