import { describe, expect, test } from '@jest/globals'
import {
  lengthOf,
  shortenMessage,
  storedBytes,
  storedPerLength,
  truncate,
} from '../../../operator/domain/base/size-limits.ts'
import { fc } from '../../support/properties.ts'
import { stepsOf } from '../../support/steps.ts'

/** JSON as Go writes it. */
const stored = (value: unknown) =>
  Buffer.byteLength(
    JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16)}xx`),
  )

describe('the size of a value', () => {
  const json = fc.jsonValue({ stringUnit: 'binary' })

  test('in the store is at least that of its JSON', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(storedBytes(value)).toBeGreaterThanOrEqual(stored(value))
      }),
    )
  })

  test('in the store is at most so many times its length', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(storedBytes(value)).toBeLessThanOrEqual(lengthOf(value) * storedPerLength)
      }),
    )
  })

  test('names count twice: who manages a field is kept as well', () => {
    const key = 'k'.repeat(1000)
    expect(storedBytes({ [key]: 1 })).toBeGreaterThan(2000)
    expect(storedBytes([key])).toBeLessThan(1100)
  })

  test('is found however deep it is', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 20_000; i++) deep = i % 2 === 0 ? [deep] : { a: deep }
    expect(lengthOf(deep)).toBeLessThan(storedBytes(deep))
  })

  test('is not computed beyond the limit', () => {
    let seen = 0
    const items = new Proxy(
      Array.from({ length: 1000 }, () => 'x'.repeat(100)),
      {
        get(target, key) {
          if (/^\d+$/.test(String(key))) seen++
          return Reflect.get(target, key) as unknown
        },
      },
    )
    expect(lengthOf(items, 1000)).toBeGreaterThan(1000)
    expect(seen).toBeLessThan(20)
  })
})

describe('a text for people', () => {
  test.each([
    ['stays as it is', "unknown 'x' in 'y'", 100, "unknown 'x' in 'y'"],
    [
      'names that can be suggested stay',
      `no '${'n'.repeat(253)}' here`,
      1000,
      `no '${'n'.repeat(253)}' here`,
    ],
    ['longer names are cut', `no '${'n'.repeat(4080)}' here`, 1000, `no '${'n'.repeat(100)}…' here`],
    [
      'longer names with apostrophes are cut too',
      `no '${"n'm".repeat(200)}' here`,
      1000,
      `no '${"n'm".repeat(34).slice(0, 100)}…' here`,
    ],
    [
      'keeps what is between two names',
      `pod 'main': ${'x'.repeat(300)} (of 'web')`,
      1000,
      `pod 'main': ${'x'.repeat(300)} (of 'web')`,
    ],
    [
      'keeps what is after an apostrophe',
      `it can't: ${'x'.repeat(300)} 'web'`,
      1000,
      `it can't: ${'x'.repeat(300)} 'web'`,
    ],
    ['is cut itself', 'x'.repeat(20), 10, `${'x'.repeat(9)}…`],
    ['is never cut within a character', `${'x'.repeat(8)}😀😀`, 10, `${'x'.repeat(8)}\ufffd…`],
  ])('%s', (_, message, most, expected) => {
    expect(shortenMessage(message, most)).toBe(expected)
    expect(truncate(message, most).length).toBeLessThanOrEqual(most)
  })

  test.each([
    ['many short names', `'${"' ".repeat(500_000)}' is no type`, 50_000],
    ['a name with many apostrophes', `'${"n'".repeat(500_000)}' is no type`, 1_000_000],
  ])('is not read to its end: %s', (_, message, most) => {
    expect(stepsOf(() => shortenMessage(message, 1000))).toBeLessThan(most)
  })
})
