import { expect, test } from '@jest/globals'
import { compileLinear } from '../../../operator/domain/base/linear-regexp.ts'
import { stepsOf } from '../../../operator/domain/schema/pattern-size.ts'
import { casesOf, fc } from '../../support/properties.ts'

test.each<[string, string, number, number]>([
  ['of single parts', '^[a-z0-9]+$', 3, 8],
  ['that counts', '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$', 61, 140],
  ['with nested counts', '((a{1,10}){1,10}){1,10}', 1000, 8000],
  ['with a letter by its number', '\\u{0041}\\x{41}', 2, 4],
  ['with a bracket in a class', '[({]{2}[)]{3}', 5, 12],
  ['with properties in a repeated class', '^[\\p{L}\\p{N}_-]{1,63}$', 100, 200],
  ['with many properties in a class', `[${'\\pL'.repeat(100)}]`, 2000, 5000],
  ['that folds the case of letters', '(?i)^[a-zA-Z0-9._-]+$', 3, 20],
  ['that folds the case of many letters', `(?i)[${'!-\uffff'.repeat(100)}]`, 20_000, 50_000],
])('the steps of a pattern %s', (_, pattern, least, most) => {
  expect(stepsOf(pattern)).toBeGreaterThanOrEqual(least)
  expect(stepsOf(pattern)).toBeLessThanOrEqual(most)
})

test('no pattern is much longer when compiled than was thought before', () => {
  const parts =
    'a b . [ab] [^)] [(] [] [^] [\\]{9}] [[:alpha:] \\( \\) \\[ \\Q \\E ( (?: (?<n> ) | * + ? ?? {3} {2,} {0,9} {7}? {x} { } ] [ \\d \\p{L} \\u{41} ^ $ (?i) ) ) {9} ( -'
  const part = fc.constantFrom(...parts.split(' '))
  const pattern = fc.array(part, { minLength: 1, maxLength: 12 }).map((some) => some.join(''))
  fc.assert(
    fc.property(pattern, (each) => {
      const compiled = attempt(() => compileLinear(each))
      if (compiled) expect(compiled.programSize()).toBeLessThanOrEqual(4 * stepsOf(each) + 10)
    }),
    { numRuns: casesOf(20_000) },
  )
})

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
