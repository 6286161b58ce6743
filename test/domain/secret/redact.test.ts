import { expect, test } from '@jest/globals'
import { redact } from '../../../operator/domain/secret/redact.ts'
import { fc } from '../../support/properties.ts'

test.each<[rule: string, text: string, secrets: unknown, expected: string]>([
  ['a secret is not shown', 'bad token hunter2!', { token: 'hunter2' }, 'bad token …!'],
  ['at any depth', 'no: hunter2', { tls: { keys: ['hunter2'] } }, 'no: …'],
  ['encoded for a URL', 'GET /?t=a%2Fb%3Dcd', 'a/b=cd', 'GET /?t=…'],
  ['encoded for a URL, with a plus for a space', 'GET /?t=a+b!%2Fc', 'a b!/c', 'GET /?t=…'],
  ['encoded as a form', 'body t=a+%27b%27%21', "a 'b'!", 'body t=…'],
  ['encoded in base64', 'header aHVudGVyMg==', 'hunter2', 'header …'],
  ['encoded in base64 for URLs', 'header fn5_Pz8-', '~~\u007f??>', 'header …'],
  ['within base64', `x ${btoa('user:hunter2-hunter2!')}`, 'hunter2-hunter2', 'x dXNlcjp…Ih'],
  ['encoded in hexadecimal', 'x 68756e74657232 y', 'hunter2', 'x … y'],
  ['encoded in hexadecimal in capitals', 'x 6B6E6F776E2D31 y', 'known-1', 'x … y'],
  ['written in JSON', '{"t":"a\\"bcd"}', 'a"bcd', '{"t":"…"}'],
  ['of two the longer one first', 'x hunter2-more y', ['hunter2', 'hunter2-more'], 'x … y'],
  ['a text that is too short to be a secret stays', 'port 80 is taken', { port: '80' }, 'port 80 is taken'],
  ['half of a surrogate pair', 'x abc\ud800def', { a: 'abc\ud800def' }, 'x …'],
  ['without secrets nothing changes', 'refused', undefined, 'refused'],
])('%s', (_, text, secrets, expected) => {
  expect(redact(text, secrets)).toBe(expected)
})

test('no secret of four characters or more is left in any text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 4 }), fc.string(), (before, secret, after) => {
      fc.pre(!'…'.includes(secret))
      expect(redact(`${before}${secret}${after}`, [secret])).not.toContain(secret)
    }),
  )
})
