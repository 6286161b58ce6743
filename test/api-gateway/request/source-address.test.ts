import { expect, test } from '@jest/globals'
import type { Request } from 'express'
import { sourceAddress } from '../../../api-gateway/request/source-address.ts'

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
