import { validateHeaderName, validateHeaderValue } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { problemOfHeaders } from '../../../operator/domain/deployment/headers.ts'
import { casesOf, fc } from '../../support/properties.ts'

const own = (name: string, value: unknown = 'v') => Object.fromEntries([[name, value]])

describe('headers that may be sent', () => {
  test.each<[headers: Record<string, unknown>]>([
    [{}],
    [{ authorization: 'Bearer abc' }],
    [{ 'X-Own': '' }],
    [{ 'X-Own': 'with spaces\tand tabs' }],
    [{ 'x-own': 'caf\xe9' }],
    [{ cookie: 'a=b; c=d', 'content-type': 'text/plain', 'webhook-id': 'mine' }],
    [own('__proto__')],
    [own('constructor')],
    [own('a'.repeat(256))],
    [own("!#$%&'*+-.^_`|~09AZaz")],
  ])('%j', (headers) => {
    expect(problemOfHeaders(headers)).toBeUndefined()
  })
})

describe('headers that may not', () => {
  const framing = [
    'host',
    'content-length',
    'content-encoding',
    'transfer-encoding',
    'connection',
    'keep-alive',
    'proxy-connection',
    'proxy-authenticate',
    'proxy-authorization',
    'te',
    'trailer',
    'upgrade',
    'http2-settings',
    'expect',
    'accept-encoding',
  ]
  test.each(framing.flatMap((name) => [name, name.toUpperCase()]))('%s frames the message', (name) => {
    expect(problemOfHeaders(own(name))).toContain(`'${name.toLowerCase()}'`)
  })

  test.each([
    '',
    ' ',
    'a b',
    'a:',
    ':path',
    'a\r\nb',
    'a\0',
    'é',
    '"a"',
    'a(',
    'a,b',
    'a/b',
    'x'.repeat(257),
  ])('%j is no name', (name) => {
    expect(problemOfHeaders(own(name))).toBeDefined()
  })

  test.each([
    ['X-Key: secret', "a header has an invalid name, which begins with 'x-key'"],
    [' X-Key', 'a header has an invalid name'],
  ])('%j is named as far as it is a name', (name, expected) => {
    expect(problemOfHeaders({ 'x-own': 'v', ...own(name) })).toBe(expected)
  })

  test.each<[value: unknown]>([
    ['a\r\nHost: b'],
    ['a\nb'],
    ['a\rb'],
    ['a\0'],
    ['\x1b[31m'],
    ['\x7f'],
    ['\u0100'],
    ['日本'],
    [1],
    [null],
    [undefined],
    [['a']],
    [{}],
  ])('%j is no value, and is not repeated', (value) => {
    const fault = problemOfHeaders({ 'x-own': value })
    expect(fault).toContain("'x-own'")
    expect(fault).toMatch(/^[ -~]+$/)
  })

  test('one name twice, in other cases', () => {
    expect(problemOfHeaders({ 'X-Own': 'a', 'x-own': 'b' })).toContain('twice')
  })
})

test('of random maps, none with a bad header gets through', () => {
  const letters = Array.from('aZ0-_.:;,/"(){}@ \t\r\n\0\x7f\x80ÿĀ€日').concat('\u2028', '\ud800')
  const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 })
  const known = fc.constantFrom('Host', 'hOsT', 'TE', 'Expect', 'content-length', 'Connection', 'x-a', 'X-A')
  const name = fc.oneof(text, known, fc.string({ unit: 'binary', maxLength: 4 }), fc.constant('__proto__'))
  const value = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 6 }), fc.constant('v'), fc.anything())
  const entries = fc.array(fc.tuple(name, value), { maxLength: 4 })
  const forbidden = /^(host|te|expect|content-length|connection)$/i
  let passed = 0
  fc.assert(
    fc.property(entries, (given) => {
      const headers = Object.fromEntries(given)
      if (problemOfHeaders(headers) !== undefined) return
      passed += 1
      const names = Object.keys(headers)
      expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length)
      for (const [each, sent] of Object.entries(headers)) {
        expect(each).not.toMatch(forbidden)
        // Another judge, which throws.
        validateHeaderName(each)
        validateHeaderValue(each, String(sent))
        expect(typeof sent).toBe('string')
        expect(`${each}${String(sent)}`).not.toMatch(/[\r\n\0]/)
      }
    }),
    { numRuns: casesOf(10_000) },
  )
  expect(passed).toBeGreaterThan(casesOf(500))
})
