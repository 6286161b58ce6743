import { describe, expect, test } from '@jest/globals'
import { rulesPage } from '../../../dev/generate/rules.ts'

const tests = {
  files: new Map([
    ['test/domain/one.test.ts', "test('a title')\ntest('common')"],
    ['test/domain/two.test.ts', "test.each([['common'], ['another']])"],
    ['test/three.test.ts', "test('common')\n// a comment about a third title"],
  ]),
  scenarios: new Set(['scenarios/match']),
}
const row = (reference: Parameters<typeof rulesPage>[0][string][number]['tests'][number]) =>
  rulesPage({ Limits: [{ rule: 'It has a limit.', tests: [reference] }] }, tests)
    .split('\n')
    .find((line) => line.startsWith('| It'))

describe('the page of rules', () => {
  test.each([
    ['a title', 'a title', '[one](../test/domain/one.test.ts)'],
    ['a scenario', 'scenarios/match', '[match](../test/scenarios/match)'],
    ['several titles of one file', ['common', 'another'], '[two](../test/domain/two.test.ts)'],
    ['a title and its file', { title: 'common', file: 'three' }, '[three](../test/three.test.ts)'],
  ])('finds the file of %s', (_, reference, expected) => {
    expect(row(reference)).toBe(`| It has a limit. | Limits | ${expected} |`)
  })

  test.each([
    ['a title that no test has', 'a third title'],
    ['a scenario that does not exist', 'scenarios/missing'],
    ['titles of different files', ['a title', 'another']],
    ['a title of another file', { title: 'a title', file: 'two' }],
    ['a title of too many files', 'common'],
  ])('refuses %s', (_, reference) => {
    expect(() => row(reference)).toThrow('Limits: It has a limit.')
  })
})
