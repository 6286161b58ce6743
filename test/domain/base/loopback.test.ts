import { expect, test } from '@jest/globals'
import { isLoopback } from '../../../operator/domain/base/loopback.ts'

test.each([
  ['localhost', true],
  ['LOCALHOST:8080', true],
  ['127.0.0.1', true],
  ['127.1.2.3:1', true],
  ['[::1]:8080', true],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com', false],
  ['example.com', false],
  ['10.0.0.1', false],
  ['', false],
])("'%s' is this very machine: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})
