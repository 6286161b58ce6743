import { expect, test } from '@jest/globals'
import type { Request } from 'express'
import { addressKey, sourceAddress } from '../../../api-gateway/request/source-address.ts'

const proxy = '192.0.2.9'

test.each([
  ['203.0.113.1', '203.0.113.1'],
  ['203.0.113.1:4711', '203.0.113.1'],
  ['::ffff:203.0.113.1', '203.0.113.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['203.0.113.1:', proxy],
  ['203.0.113.999:80', proxy],
  ['unknown', proxy],
  ['[]:80', proxy],
  ['', proxy],
])('a trusted proxy that reports %p acts for %s', (ip, address) => {
  expect(sourceAddress({ ip, socket: { remoteAddress: proxy } } as Request)).toBe(address)
})

test.each<[one: string, other: string, isShared: boolean]>([
  ['192.0.2.1', '192.0.2.2', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', true],
  ['2001:db8::1', '2001:db8:0:0:5::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::1', '1::', false],
  ['fe80::1%eth0', 'fe80::2', true],
])('limits of %s hold for %s, if one host can have both: %s', (one, other, isShared) => {
  expect(addressKey(one) === addressKey(other)).toBe(isShared)
})
