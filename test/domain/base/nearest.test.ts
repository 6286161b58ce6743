import { describe, expect, test } from '@jest/globals'
import { didYouMean, misspelt, nearestOrKnown } from '../../../operator/domain/base/nearest.ts'
import { fullBudget } from '../../../operator/domain/base/work-budget.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { module, set } from '../../support/builders.ts'
import { graphInput } from '../../support/graphs.ts'
import { fc } from '../../support/properties.ts'

const hint = (name: string) => `; did you mean '${name}'?`

/** Letters to change, add, remove or swap with the next, by the definition. */
function distance(left: string, right: string): number {
  if (left === '' || right === '') return left.length + right.length
  const [i, j] = [left.length - 1, right.length - 1]
  const swaps = i > 0 && j > 0 && left[i] === right[j - 1] && left[i - 1] === right[j]
  return Math.min(
    distance(left.slice(0, i), right) + 1,
    distance(left, right.slice(0, j)) + 1,
    distance(left.slice(0, i), right.slice(0, j)) + (left[i] === right[j] ? 0 : 1),
    swaps ? distance(left.slice(0, -2), right.slice(0, -2)) + 1 : Infinity,
  )
}

describe('the nearest known name is suggested', () => {
  test.each<[string, string, string[], string]>([
    ['a letter is missing', 'postgrs', ['redis', 'postgres'], hint('postgres')],
    ['two are swapped', 'hots', ['port', 'host'], hint('host')],
    ['the first by the alphabet of those that are as near', 'ab1', ['ab3', 'ab2'], hint('ab2')],
    ['in any case', 'LOG', ['log'], hint('log')],
    ['none is near', 'postgres', ['mysqldb'], ''],
    ['none that shares no letter', 'abc', ['xyz'], ''],
    ['none of a long name', 'a'.repeat(65), ['a'.repeat(64)], ''],
  ])('%s', (_, wrong, known, expected) => {
    expect(didYouMean(wrong, known)).toBe(expected)
  })

  test('no near name is missed', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 6 })
    fc.assert(
      fc.property(word, word, (wrong, name) => {
        expect(didYouMean(wrong, [name])).toBe(distance(wrong, name) <= 3 ? hint(name) : '')
      }),
    )
  })
})

describe('hints take a bounded time', () => {
  test('a few of many similar names are compared', () => {
    let looks = 0
    const known = function* () {
      for (; looks < 100_000; looks++) yield `name-${looks + 100_000}`
    }
    expect(didYouMean('wrong-123456', known())).toBe('')
    expect(looks).toBeLessThan(1000)
  })

  test('only the first faults get one', () => {
    const budget = fullBudget()
    const hints = Array.from({ length: 1000 }, () => didYouMean('hots', ['host'], budget))
    expect(hints.filter((each) => each !== '')).toHaveLength(20)
  })

  test('in every order of the graph', () => {
    const variables = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [
        `V${i}`,
        `\${values.HOTS${i}} \${externals.cach${i}.host} \${modules.wbe${i}.service}`,
      ]),
    )
    const web = module({ cache: { type: 'redis' } }, { containers: { main: { variables } } })
    const values = new Map([['HOST0', { value: 'x' }]])
    const { problems } = buildGraph(graphInput(set({ web0: web }), [], { values }))
    expect(problems.length).toBeGreaterThanOrEqual(300)
    expect(problems.filter(({ message }) => message.includes('did you mean'))).toHaveLength(20)
  })
})

test.each([
  ['ecko', "; did you mean 'echo'?"],
  ['other', "; known drivers: 'echo', 'template'"],
])('a wrong name without a near one has the known ones: %s', (wrong, hint) => {
  expect(nearestOrKnown(wrong, { what: 'drivers', names: ['echo', 'template'] })).toBe(hint)
})

test('of many known names the first are shown', () => {
  const names = Array.from({ length: 700 }, (_, number) => `driver-${number}`)
  const hint = nearestOrKnown('x', { what: 'drivers', names })
  expect(hint).toMatch(/^; known drivers: 'driver-0', .*'driver-19' and 680 more$/)
})

describe('a name is misspelt', () => {
  test.each<[rule: string, wrong: string, meant: string | undefined]>([
    ['in another case', 'Delta_ID', 'delta_id'],
    ['in other separators', 'delta-id', 'delta_id'],
    ['without separators', 'deltaId', 'delta_id'],
    ['with a letter too many', 'modes', 'mode'],
    ['with a letter too few', 'delt_id', 'delta_id'],
    ['with letters swapped', 'moed', 'mode'],
    ['with another letter in a long name', 'is_sacret', 'is_secret'],
    ['but not with another letter in a short one', 'code', undefined],
    ['but not if it is short', 'mod', undefined],
    ['but not with an underscore of a generated client before it', '_mode', undefined],
    ['but not with one after it', 'mode_', undefined],
    ['but not in two letters', 'delat_idd', undefined],
  ])('%s', (_, wrong, meant) => {
    expect(misspelt(wrong, ['mode', 'delta_id', 'is_secret'])).toBe(meant)
  })
})

test('and only then, as the distance of the letters says', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-'), minLength: 1, maxLength: 7 })
  const plain = (text: string) => text.replaceAll('-', '').toLowerCase()
  const sorted = (text: string) => text.split('').sort().join('')
  fc.assert(
    fc.property(name, name, (wrong, known) => {
      const [left, right] = [plain(wrong), plain(known)]
      const isLong = Math.min(left.length, right.length) >= 4
      const isReplaced = left.length === right.length && sorted(left) !== sorted(right)
      const isNear = isLong && distance(left, right) === 1 && (!isReplaced || left.length >= 6)
      const isMisspelt = wrong.length >= 4 && (left === right || isNear)
      expect(misspelt(wrong, [known])).toBe(isMisspelt ? known : undefined)
    }),
  )
})
