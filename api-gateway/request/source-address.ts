import { isIP } from 'node:net'
import type { Request } from 'express'

/** Address of the client, or the address that a trusted proxy reports; '' if the connection is closed. */
export function sourceAddress({ ip = '', socket }: Request): string {
  return isIP(ip) ? ip : (socket.remoteAddress ?? '') // a proxy may forward any text
}

/** Key of an address. IPv6 addresses share a key per /64, because one host has all of it. */
export function addressKey(address: string): string {
  if (address === '') return 'address:unknown'
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return `address:${mapped}`
  if (!address.includes(':')) return `address:${address}`
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return `address:${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}`
}

/** Key for limits: the user, or the address of an unauthenticated request. */
export function callerKey(request: Request, userName: string | undefined): string {
  return userName === undefined ? addressKey(sourceAddress(request)) : `user:${userName}`
}
