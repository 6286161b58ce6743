import { describe, expect, test } from '@jest/globals'
import { Webhook as Verifier } from 'standardwebhooks'
import {
  bodyOf,
  formatSigningSecret,
  problemOfSigningSecret,
  signatureOf,
} from '../../../operator/domain/deployment/webhook.ts'
import { casesOf, fc } from '../../support/properties.ts'

type Variables = Readonly<Record<string, string>>

const variables = { status: 'succeeded', app_id: 'shop', comment: 'a "release"\n\\ ${status}', empty: '' }
const filled = (payload: unknown): unknown => JSON.parse(bodyOf(payload, variables))

describe('the payload', () => {
  test.each<[rule: string, payload: unknown, body: unknown]>([
    ['a variable in a text', { a: 'of ${app_id}!' }, { a: 'of shop!' }],
    ['several', { a: '${app_id}${status}${app_id}' }, { a: 'shopsucceededshop' }],
    ['one that is empty', { a: '[${empty}]' }, { a: '[]' }],
    ['one that holds quotes, breaks and another', { a: '${comment}' }, { a: variables.comment }],
    ['an unknown variable stays', { a: '${nothing} ${status' }, { a: '${nothing} ${status' }],
    [
      'an inherited property is not a variable',
      { a: '${constructor}${__proto__}' },
      { a: '${constructor}${__proto__}' },
    ],
    ['other words stay', { a: '$status $(status) $$ ${} ${a.b}' }, { a: '$status $(status) $$ ${} ${a.b}' }],
    ['within others', { a: '${${status}}' }, { a: '${succeeded}' }],
    ['keys stay', { '${status}': 1 }, { '${status}': 1 }],
    [
      'in lists and objects',
      { a: [{ b: '${status}' }, ['${app_id}']] },
      { a: [{ b: 'succeeded' }, ['shop']] },
    ],
    ['values other than text stay', { a: [1, -1.5, true, false, null] }, { a: [1, -1.5, true, false, null] }],
    ['an empty one', {}, {}],
    [
      'the one that the specification shows',
      { application: '${app_id}', status: '${status}' },
      { application: 'shop', status: 'succeeded' },
    ],
  ])('%s', (_, payload, body) => {
    expect(filled(payload)).toEqual(body)
  })

  test.each([undefined, null])('%s: the variables that all events have', (payload) => {
    const all = { event: 'e', triggered_at: 't', triggered_by: 'b', org_id: 'o', app_id: 'a', env_id: 'n' }
    expect(JSON.parse(bodyOf(payload, { ...all, status: 's' }))).toEqual(all)
  })

  test('a key `__proto__` is data as any other', () => {
    const payload = JSON.parse('{"__proto__": {"a": "${status}"}, "constructor": "${status}"}')
    expect(bodyOf(payload, variables)).toBe('{"__proto__":{"a":"succeeded"},"constructor":"succeeded"}')
  })

  const names = ['status', 'comment', 'a', 'A_1', '__proto__', 'constructor']
  const pieces = [
    ...names.map((name) => `\${${name}}`),
    '$',
    '{',
    '}',
    '${',
    '"',
    '\\',
    '\n',
    '$&',
    '$1',
    'é',
    '\0',
  ]
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((each) => each.join('')),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  // Once `JSON.parse` of Node 24 has seen the key of one backslash, it reads other keys of one escaped character as that one.
  const keyText = text.filter((each) => each.length !== 1 || JSON.stringify(each).length === 3)
  const key = fc.oneof(keyText, fc.constantFrom('__proto__', 'constructor', 'toString', '0', '-1'))
  const { payload: anyPayload } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('payload'),
    ),
    payload: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  }))
  const anyVariables = fc
    .array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 6 })
    .map((entries): Variables => Object.fromEntries(entries))

  /** The replacement of a text, found from left to right with nothing but `indexOf`. */
  function naive(given: string, known: Variables): string {
    const start = given.indexOf('${')
    if (start < 0) return given
    for (const [name, value] of Object.entries(known)) {
      const end = start + name.length + 3
      if (given.slice(start, end) === `\${${name}}`)
        return given.slice(0, start) + value + naive(given.slice(end), known)
    }
    return given.slice(0, start + 2) + naive(given.slice(start + 2), known)
  }

  /** Throws unless both are of the same shape, with every text as the naive model has it. */
  function compare(before: unknown, after: unknown, known: Variables): void {
    if (typeof before === 'string') {
      expect(after).toBe(naive(before, known))
      return
    }
    if (typeof before !== 'object' || before === null) {
      expect(after).toBe(before)
      return
    }
    expect(Array.isArray(after)).toBe(Array.isArray(before))
    expect(Object.keys(after as object)).toEqual(Object.keys(before)) // of the same shape, or this fails
    for (const [name, value] of Object.entries(before))
      compare(value, Object.getOwnPropertyDescriptor(after, name)?.value, known)
  }

  test('for all variables, the shape and the keys stay, and each text is replaced once', () => {
    fc.assert(
      fc.property(anyPayload, anyVariables, (payload, known) => {
        compare(payload, JSON.parse(bodyOf(payload, known)), known)
      }),
      { numRuns: casesOf(3000) },
    )
  })
})

describe('a signature', () => {
  const secret = formatSigningSecret(Buffer.alloc(32, 7))

  /** In seconds; read once, because a second may begin between signing and checking. */
  const now = Math.floor(Date.now() / 1000)

  /** Whether the library of the standard takes it. */
  function isTaken(body: string, id: string, signature: string, key = secret): boolean {
    try {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(now),
        'webhook-signature': signature,
      }
      new Verifier(key).verify(body, headers, { jsonParse: false })
      return true
    } catch {
      return false
    }
  }

  test('is accepted by the library of the standard, for every body and secret', () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 })
    // A lone half of a pair cannot be sent as it is.
    const body = fc.string({ unit: 'binary' })
    const id = fc.string({
      unit: fc.constantFrom(...Array.from('0123456789abcdef')),
      minLength: 32,
      maxLength: 32,
    })
    fc.assert(
      fc.property(bytes, body, id, (given, sent, event) => {
        const key = formatSigningSecret(given)
        expect(isTaken(sent, event, signatureOf(key, event, now, sent), key)).toBe(true)
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('is the one that the library makes', () => {
    const at = new Date('2026-01-01T00:00:00Z')
    expect(signatureOf(secret, 'id', at.getTime() / 1000, '{}')).toBe(
      new Verifier(secret).sign('id', at, '{}'),
    )
  })

  test.each<[what: string, isTakenThen: () => boolean]>([
    ['another body', () => isTaken('{} ', 'id', signatureOf(secret, 'id', now, '{}'))],
    ['another id', () => isTaken('{}', 'other', signatureOf(secret, 'id', now, '{}'))],
    ['another time', () => isTaken('{}', 'id', signatureOf(secret, 'id', now - 9, '{}'))],
    [
      'another secret',
      () =>
        isTaken('{}', 'id', signatureOf(secret, 'id', now, '{}'), formatSigningSecret(Buffer.alloc(32, 8))),
    ],
  ])('is not taken for %s', (_, isTakenThen) => {
    expect(isTakenThen()).toBe(false)
  })
})

describe('a signing secret', () => {
  test.each([
    formatSigningSecret(Buffer.alloc(32, 255)),
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n',
    ' whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_YWI=',
  ])('%j signs', (secret) => {
    expect(problemOfSigningSecret(secret)).toBeUndefined()
    expect(signatureOf(secret, 'id', 1, '')).toBe(new Verifier(secret.trim()).sign('id', new Date(1000), ''))
  })

  test.each([
    undefined,
    '',
    ' ',
    'whsec_',
    'my own secret',
    'whsec_a',
    'whsec_a-_b',
    'whsec_YQ',
    'whsec_YQ=',
    { a: 'b' },
  ])('%j does not, and is not repeated', (secret) => {
    const fault = problemOfSigningSecret(secret)
    expect(fault).toContain("'secret'")
    expect(fault).not.toContain('own')
  })
})
