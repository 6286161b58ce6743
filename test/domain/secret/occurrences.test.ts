import { describe, expect, test } from '@jest/globals'
import { occurrencesOf, withoutWords } from '../../../operator/domain/secret/occurrences.ts'
import { casesOf, fc } from '../../support/properties.ts'

/** The same as it is said: for each word the first text that includes it. */
function naive(words: readonly string[], texts: readonly string[]): Record<string, number> {
  const found = words.map((word) => [word, texts.findIndex((text) => text.includes(word))] as const)
  return Object.fromEntries(found.filter(([word, index]) => word !== '' && index >= 0))
}

function found(words: readonly string[], texts: readonly string[]): Record<string, number> {
  const all = [...occurrencesOf(words, texts)]
  expect(new Set(all.map(({ word }) => word)).size).toBe(all.length)
  return Object.fromEntries(all.map(({ word, index }) => [word, index]))
}

/** Few letters, so that words are parts, beginnings and ends of one another; half characters as well. */
const text = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', '\0', '\ud83d', '\ude00', 'é'), { maxLength }).map((all) => all.join(''))

describe('the words that occur in texts', () => {
  test('are those that a text includes, each with the first one that does', () => {
    const cases = fc.property(
      fc.array(text(6), { maxLength: 12 }),
      fc.array(text(40), { maxLength: 5 }),
      (words, texts) => {
        expect(found(words, texts)).toEqual(naive(words, texts))
      },
    )
    fc.assert(cases, { numRuns: casesOf(2000) })
  })

  test('are in the order of the texts', () => {
    const indexes = [...occurrencesOf(['late', 'soon', 'on'], ['x', 'soo', 'so on', 'soon', 'late'])]
    expect(indexes).toEqual([
      { word: 'on', index: 2 },
      { word: 'soon', index: 3 },
      { word: 'late', index: 4 },
    ])
  })

  test('never go from one text to the next', () => {
    expect(found(['secret'], ['sec', 'ret'])).toEqual({})
  })

  test('are found however many they are', () => {
    const words = Array.from({ length: 12 }, (_, index) => `${'x'.repeat(casesOf(100_000))}${index}.`)
    expect(found(words, ['y', words.join('')])).toEqual(Object.fromEntries(words.map((word) => [word, 1])))
  })

  test.each<[what: string, words: string[], texts: string[]]>([
    [
      'many words and many texts',
      Array.from({ length: casesOf(60_000) }, (_, index) => `word-${index}-of-many`),
      Array.from({ length: casesOf(60_000) }, (_, index) => `text-${index}-word-`),
    ],
    [
      'words that differ only at their ends',
      Array.from({ length: casesOf(1000) }, (_, index) => `${'a'.repeat(500)}b${index}`),
      ['a'.repeat(casesOf(1_000_000))],
    ],
    [
      'a word that fails at its beginning',
      [`b${'a'.repeat(casesOf(500_000))}`],
      ['a'.repeat(casesOf(1_000_000))],
    ],
  ])('are found in a number of steps that is not the product of texts and words: %s', (_, words, texts) => {
    expect(found(words, texts)).toEqual({})
  })
})

describe('a text without words', () => {
  test('loses all covered parts, and overlaps are one part', () => {
    const cases = fc.property(fc.array(text(6), { maxLength: 8 }), text(40), (words, whole) => {
      expect(withoutWords(whole, words, '…')).toBe(naiveWithout(whole, words))
    })
    fc.assert(cases, { numRuns: casesOf(2000) })
  })

  test('is made in steps that do not multiply', () => {
    const words = Array.from({ length: casesOf(30_000) }, (_, index) => `word-${index}-of-many`)
    expect(withoutWords(words.join(' '), words, '…')).toBe(words.map(() => '…').join(' '))
    expect(withoutWords('a'.repeat(casesOf(300_000)), ['a'.repeat(1000), `${'a'.repeat(2000)}b`], '…')).toBe(
      '…',
    )
  })
})

/** The same by its definition: every occurrence of a word, joined with the overlapping ones. */
function naiveWithout(whole: string, words: readonly string[]): string {
  const places = words.filter((word) => word !== '').flatMap(placesIn(whole))
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of places.sort((left, right) => left.from - right.from || right.to - left.to)) {
    const last = merged.at(-1)
    if (last && from < last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged.reduceRight((rest, { from, to }) => `${rest.slice(0, from)}…${rest.slice(to)}`, whole)
}

const placesIn = (whole: string) => (word: string) =>
  Array.from({ length: whole.length }, (_, from) => from)
    .filter((from) => whole.startsWith(word, from))
    .map((from) => ({ from, to: from + word.length }))
