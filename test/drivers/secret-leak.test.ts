import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../operator/api/schema.ts'
import { Stalled } from '../../operator/domain/base/errors.ts'
import {
  likelySecretWords,
  plainOutputs,
  refuseLeak,
  secretWords,
} from '../../operator/drivers/secret-leak.ts'
import { casesOf, fc } from '../support/properties.ts'

/** The output that is refused, `''` for the name of one. */
function refused(values: FreeForm, words: readonly string[]): string | undefined {
  try {
    refuseLeak(plainOutputs(values), words)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(Stalled)
    return /^output '(.*)' holds/s.exec((error as Stalled).message)?.[1] ?? ''
  }
}

/** The same as it is said: the first output of which a text includes a word. */
function naive(values: FreeForm, words: readonly string[]): string | undefined {
  const holds = (value: unknown): boolean => {
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).some(
        ([key, member]) => (!Array.isArray(value) && holds(key)) || holds(member),
      )
    return words.some((word) => String(value ?? '').includes(word))
  }
  if (Object.keys(values).some(holds)) return ''
  return Object.entries(values).find(([, value]) => holds(value))?.[0]
}

const piece = fc.constantFrom('a', 'b', 'aa', 'ab"', ' ', 'é', '+/', '%', '7', '-')
const secret = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''))

/** Texts that hold secrets now and then, however they are encoded. */
const textWith = (secrets: readonly string[]) =>
  fc
    .tuple(
      fc.array(piece, { maxLength: 4 }),
      fc.constantFrom('', ...secrets),
      fc.constantFrom<((text: string) => string)[]>(
        (text) => text,
        encodeURIComponent,
        (text) => Buffer.from(`x${text}`).toString('base64url'),
        (text) => Buffer.from(text).toString('hex'),
        (text) => text.slice(1),
      ),
    )
    .map(([before, each, encode]) => before.join('') + encode(each))

const cases = fc.array(secret, { maxLength: 6 }).chain((secrets) => {
  const text = textWith(secrets)
  const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text, { maxKeys: 2 }))
  const values = fc.dictionary(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom('p', 'q', 'r') }, text),
    value,
  )
  return fc.tuple(fc.constant(secrets), values, text)
})

describe('an output is refused when it contains a secret in one of its forms', () => {
  test('for all secrets and outputs', () => {
    let leaks = 0
    const property = fc.property(cases, ([secrets, values]) => {
      const words = secretWords(secrets)
      const expected = naive(values, words)
      if (expected !== undefined) leaks += 1
      expect(refused(values, words)).toBe(expected)
    })
    fc.assert(property, { numRuns: casesOf(2000) })
    expect(leaks).toBeGreaterThan(casesOf(200))
  })

  test('for an unknown driver without the texts that plain inputs have', () => {
    const property = fc.property(cases, ([secrets, , plain]) => {
      const known = JSON.stringify([plain])
      const unreported = secrets.filter((each) => !known.includes(JSON.stringify(each).slice(1, -1)))
      const named = (texts: readonly string[]) => ({ password: texts })
      expect(likelySecretWords(named(secrets), [plain])).toEqual(likelySecretWords(named(unreported), []))
    })
    fc.assert(property, { numRuns: casesOf(1000) })
  })
})

test('many secrets and outputs are searched in a number of steps that is not their product', () => {
  const secrets = Object.fromEntries(
    Array.from({ length: casesOf(9000) }, (_, index) => [`password-${index}`, `0b4f-${index}-c81d`]),
  )
  const values = Object.fromEntries(
    Array.from({ length: casesOf(30_000) }, (_, index) => [`out-${index}`, `value-${index}`]),
  )
  const words = likelySecretWords(secrets, values)
  expect(words.length).toBeGreaterThan(casesOf(9000))
  expect(refused(values, words)).toBeUndefined()
  expect(refused({ ...values, last: { of: [secrets['password-999']] } }, words)).toBe('last')
})
