import { isIP } from 'node:net'
import type { Request } from 'express'

/** Whoever calls: the other end of the connection, or whom a trusted proxy there names; '' when it is gone. */
export function sourceAddress({ ip = '', socket }: Request): string {
  return isIP(ip) ? ip : (socket.remoteAddress ?? '') // a proxy may pass on any text
}

/** The address that shares a bucket: the whole /64 of IPv6, since a host has all of it. */
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

/** Who shares limits: all that a user has under way, or what comes from an address that speaks for nobody. */
export function callerKey(request: Request, userName: string | undefined): string {
  return userName === undefined ? addressKey(sourceAddress(request)) : `user:${userName}`
}
