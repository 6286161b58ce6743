import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { convertScore, type ScoreInput } from '../../../operator/domain/score/convert-score.ts'
import { fullTextBudget, parseScore } from '../../../operator/domain/score/parse-score.ts'
import { restoreScore } from '../../../operator/domain/score/restore-score.ts'
import { TextRestorer } from '../../../operator/domain/score/restore-text.ts'
import { scoreDocument } from '../../support/scores.ts'
import { stepsOf } from '../../support/steps.ts'

/** A document with many variables, about 30 characters each, as files of users have them. */
function documentOf(variables: number): string {
  const lines = Array.from({ length: variables }, (_, index) => `      SETTING_${index}: "value ${index}"\n`)
  return `apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers:\n  main:\n    image: a\n    variables:\n${lines.join('')}`
}

function problemOf(input: ScoreInput): Problem {
  try {
    convertScore(input)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('the document has no problem')
}

function rejected(text: string): string {
  try {
    parseScore(text)
  } catch (error) {
    return String(error)
  }
  return 'accepted'
}

test('the work for a file grows with the number of its keys, not with its square', () => {
  const [few, many] = [500, 4000].map((count) => {
    const text = documentOf(count)
    return stepsOf(() => parseScore(text))
  })
  expect((many ?? 0) / (few ?? 1)).toBeLessThan(16)
})

test('the work to find shared dependencies by their names grows with their number, not with its square', () => {
  const [few, many] = [500, 4000].map((count) => {
    const names = Array.from({ length: count }, (_, i) => `name-${i}`)
    const texts = new TextRestorer({}, Object.fromEntries(names.map((name) => [name, { type: 's3' }])))
    for (const name of names) texts.nameOf(['shared', name])
    return stepsOf(() => names.map((name) => texts.sharedKeyOf(name)))
  })
  expect((many ?? 0) / (few ?? 1)).toBeLessThan(16)
})

test.each([
  ['a command', (text: string) => ({ command: [text] })],
  ['a variable', (text: string) => ({ variables: { V: text } })],
])('the work for %s grows with its length, also when its references have no end', (_, containerWith) => {
  const document = scoreDocument(containerWith('${resources.'.repeat(80_000)))
  const converted = convertScore({ document })
  const restored = restoreScore(converted)
  expect(convertScore({ document: restored?.document })).toEqual(converted)
})

test('a document whose references copy much metadata is refused', () => {
  const variables = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`V${i}`, '${metadata.annotations}']),
  )
  const document = {
    apiVersion: 'score.dev/v1b1',
    metadata: { name: 'web', annotations: { note: 'x'.repeat(100_000) } },
    containers: { main: { image: 'a', variables } },
  }
  expect(problemOf({ document }).message).toContain('copies have more than 1048576 characters')
})

describe('of many wrong references', () => {
  const documentWith = (count: number, resources: object) => ({
    apiVersion: 'score.dev/v1b1',
    metadata: { name: 'web' },
    containers: { main: { image: 'a', variables: variablesOf(count) } },
    resources,
  })
  const variablesOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`V${i}`, `\${resources.dtaa.host${i}}`]))

  test('the first get a hint', () => {
    const document = documentWith(100, { data: { type: 's3' } })
    const { details } = problemOf({ document })
    expect(JSON.stringify(details).match(/did you mean/g)).toHaveLength(20)
  })

  test('each is found without a list of all resources', () => {
    const [one, many] = [1, 1000].map((count) => {
      let listed = 0
      const ownKeys = (resources: object) => {
        listed += 1
        return Reflect.ownKeys(resources)
      }
      problemOf({ document: documentWith(count, new Proxy({ data: { type: 's3' } }, { ownKeys })) })
      return listed
    })
    expect(many).toBe(one)
  })

  test('those that are listed have a place', () => {
    let located = 0
    const locate = () => {
      located += 1
      return undefined
    }
    const document = documentWith(1000, { data: { type: 's3' } })
    expect(problemOf({ document, locate }).message).toContain('and 995 more')
    expect(located).toBe(50)
  })
})

describe('a file', () => {
  test('of hundreds of kilobytes is read', () => {
    const text = documentOf(15_000)
    expect(text.length).toBeGreaterThan(400_000)
    const [source] = parseScore(text)
    expect(source?.locate(['containers', 'main', 'variables', 'SETTING_2'])).toEqual({ line: 9, column: 18 })
  })

  test('of few values that are long is read', () => {
    expect(parseScore(`a: |\n${'  a line of a file\n'.repeat(50_000)}`)).toHaveLength(1)
  })

  test.each([
    ['values', `[${'a,'.repeat(150_000)}]`],
    ['documents', '---\n'.repeat(150_000)],
    ['faults', '[]\n'.repeat(150_000)],
    ['levels', '['.repeat(300_000)],
  ])('of too many %s is refused', (_, text) => {
    expect(rejected(text)).toContain('YAML tokens')
  })

  test('counts with the others of a request', () => {
    const budget = fullTextBudget()
    const text = documentOf(15_000)
    parseScore(text, budget)
    expect(() => parseScore(text, budget)).toThrow('YAML tokens')
  })

  test.each([
    ['in a block', 'a: 1\nb: 2\na: 3\n', 'line 3, column 1'],
    ['in a flow', 'x: {a: 1, "a": 2}\n', 'line 1, column 11'],
    ['within a list', 'x:\n- {b: 1}\n- b: 1\n  b: 2\n', 'line 4, column 3'],
    ['without a text', ': 1\n: 2\n', 'line 2, column 1'],
  ])('with a key twice %s is refused, with its place', (_, text, place) => {
    expect(rejected(text)).toContain(place)
  })

  test('with equal keys in two maps is read', () => {
    expect(parseScore('a: {b: 1}\nc: {b: 1}\n<<: {d: 1}\n')[0]?.document).toEqual({
      a: { b: 1 },
      c: { b: 1 },
      d: 1,
    })
  })
})
