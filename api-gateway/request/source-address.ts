import { isIP } from 'node:net'
import type { Request } from 'express'

/** Address of the client, or the address that a trusted proxy reports; '' if the connection is closed. */
export function sourceAddress({ ip = '', socket }: Request): string {
  const address = withoutPort(ip)
  return unmapped(isIP(address) ? address : (socket.remoteAddress ?? '')) // a proxy may forward any text
}

/** Some proxies report the port too, as in `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  return v6 ?? v4 ?? text
}

/** A socket of both families reports an address of IPv4 as `::ffff:192.0.2.1`. */
function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

/** Key of an address. IPv6 addresses share a key per /64, because one host has all of it. */
export function addressKey(source: string): string {
  if (source === '') return 'address:unknown'
  const address = unmapped(source)
  if (!address.includes(':')) return `address:${address}`
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return `address:${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}`
}

/** Whether a key is that of an address, of a caller who has not signed in. */
export function isAddressKey(key: string): boolean {
  return key.startsWith('address:')
}

/** Key for limits: the user, or the address of an unauthenticated request. */
export function callerKey(request: Request, userName: string | undefined): string {
  return userName === undefined ? addressKey(sourceAddress(request)) : `user:${userName}`
}
