import { isLoopback } from '../../operator/domain/base/loopback.ts'

/** A cookie that scripts and other sites do not see. */
export interface Cookie {
  readonly name: string
  /** Empty to take the cookie away, with no seconds. */
  readonly value: string
  readonly path: string
  readonly seconds: number
  /** Host that the browser knows us by. */
  readonly host: string | undefined
}

/** The header `Set-Cookie` of a cookie. */
export function setCookie({ name, value, path, seconds, host }: Cookie): string {
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax']
  // Not every browser keeps a secure cookie of this very machine, where nothing can listen in.
  return [...parts, ...(host !== undefined && isLoopback(host) ? [] : ['Secure'])].join('; ')
}

/** The cookie from which people take their session token; no request is let in by it. */
export function sessionCookie(value: string, seconds: number, host: string | undefined): string {
  return setCookie({ name: 'token', value, path: '/', seconds, host })
}

/** The value of a cookie; undefined when there is none, or more than one, of which nobody knows whose they are. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined
}
