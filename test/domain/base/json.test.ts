import { expect, test } from '@jest/globals'
import { canonicalJson, sameJson } from '../../../operator/domain/base/json.ts'
import { casesOf, fc } from '../../support/properties.ts'

/** Few keys and values, so that equal parts are likely; keys that objects inherit too. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1, 'a', ''),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', 'constructor', '__proto__', 'toString'),
      fc.oneof(fc.constant(undefined), tie('json')),
      { maxKeys: 3 },
    ),
  ),
}))

/** The same content with other objects, and keys in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown> // `__proto__` is a key of it
  for (const [key, member] of Object.entries(value).reverse()) copy[key] = shuffled(member)
  return copy
}

test('JSON values are the same when their canonical texts are, in any order of keys', () => {
  const law = fc.property(json, json, (left, right) => {
    expect(sameJson(left, shuffled(left))).toBe(true)
    expect(sameJson(left, right)).toBe(canonicalJson(left) === canonicalJson(right))
    expect(sameJson(right, left)).toBe(sameJson(left, right))
  })
  fc.assert(law, { numRuns: casesOf(2000) })
})

test.each([
  ['an absent key and an undefined one', { a: 1 }, { a: 1, b: undefined }, true],
  ['an absent key and null', { a: 1 }, { a: 1, b: null }, false],
  ['an inherited name and an own key', {}, { toString: 1 }, false],
  ['an array and an object', [], {}, false],
  ['arrays of different lengths', [1], [1, 2], false],
  ['null and an object', null, {}, false],
])('%s', (_, left, right, isSame) => {
  expect(sameJson(left, right)).toBe(isSame)
  expect(sameJson(right, left)).toBe(isSame)
})
