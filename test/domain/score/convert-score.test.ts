import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { combineScores } from '../../../operator/domain/score/combine.ts'
import { convertScore, type ScoreInput } from '../../../operator/domain/score/convert-score.ts'
import { withOverrides, withProperties } from '../../../operator/domain/score/overrides.ts'
import { parseScore } from '../../../operator/domain/score/parse-score.ts'
import { scoreDocument } from '../../support/scores.ts'

/** The message of the problem that the work throws. */
function problemOf(work: () => unknown): Problem {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('no problem')
}

function convertFile(text: string) {
  return parseScore(text).map(convertScore)
}

const head = 'apiVersion: score.dev/v1b1\nmetadata: {name: web}\n'

describe('a problem names path, line and column', () => {
  test.each<[string, string, { path: string; line: number; column: number }]>([
    ['a missing field', `${head}containers:\n  main: {}\n`, { path: 'containers.main', line: 4, column: 9 }],
    [
      'an unknown field',
      `${head}containers:\n  main:\n    image: a\n    imgae: b\n`,
      { path: 'containers.main', line: 5, column: 5 },
    ],
    [
      'a wrong type',
      `${head}containers:\n  main:\n    image: a\n    variables:\n      PORT: 80\n`,
      { path: 'containers.main.variables.PORT', line: 7, column: 13 },
    ],
    [
      'a resource that does not exist',
      `${head}containers:\n  main:\n    image: a\n    variables:\n      A: x\n      B: "\${resources.db.host}"\n`,
      { path: 'containers.main.variables.B', line: 8, column: 10 },
    ],
    [
      'a file that is not here',
      `${head}containers:\n  main:\n    image: a\n    files:\n      - target: /a\n        source: a.txt\n`,
      { path: "containers.main.files['0'].source".replace("['0']", '.0'), line: 8, column: 17 },
    ],
    [
      'half of a surrogate pair',
      `${head}containers:\n  main:\n    image: a\n    variables: {A: "\\ud800"}\n`,
      { path: '', line: 6, column: 20 },
    ],
    [
      'the second document',
      `${head}containers: {main: {image: a}}\n---\n${head}`,
      { path: '', line: 5, column: 1 },
    ],
  ])('%s', (_, text, place) => {
    expect(problemOf(() => convertFile(text)).details).toMatchObject({ problems: [place] })
  })
})

describe('a text that is no Score file is a problem', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['only comments', '# nothing\n'],
    ['no YAML', 'a: [\n'],
    ['a key twice', 'a: 1\na: 2\n'],
    ['an alias without an anchor', 'a: *b\n'],
    [
      'aliases without end',
      `a: &a [x]\n${Array.from({ length: 20 }, (_, i) => `${'bcdefghijklmnopqrstu'[i]}: &${'bcdefghijklmnopqrstu'[i]} [*${'abcdefghijklmnopqrst'[i]}, *${'abcdefghijklmnopqrst'[i]}]`).join('\n')}\n`,
    ],
    ['deep nesting', '['.repeat(50_000)],
    ['a list', '- a\n'],
    [
      'an older version',
      'apiVersion: score.sh/v1b1\nmetadata: {name: web}\ncontainers: {main: {image: a}}\n',
    ],
    ['an extension alone', 'apiVersion: humanitec.org/v1b1\nprofile: x\n'],
  ])('%s', (_, text) => {
    expect(problemOf(() => convertFile(text)).reason).toBe('Invalid')
  })
})

describe('what contradicts itself is a problem', () => {
  const resources = (map: FreeForm) => ({ document: scoreDocument({}, { resources: map }) })
  test.each<[string, ScoreInput]>([
    [
      'two contents of one file',
      { document: scoreDocument({ files: { '/a': { content: '', source: 'a' } } }) },
    ],
    ['a file without content', { document: scoreDocument({ files: { '/a': {} } }) }],
    [
      'one target twice',
      {
        document: scoreDocument({
          files: [
            { target: '/a', content: '' },
            { target: '/a', content: '' },
          ],
        }),
      },
    ],
    ['content that is not base64', { document: scoreDocument({ files: { '/a': { binaryContent: 'a' } } }) }],
    ['a reference to nothing', { document: scoreDocument({ variables: { A: '${resources}' } }) }],
    ['a reference to metadata as a whole', { document: scoreDocument({ variables: { A: '${metadata}' } }) }],
    ['a reference to another root', { document: scoreDocument({ variables: { A: '${HOME}' } }) }],
    [
      'an empty step',
      {
        document: scoreDocument(
          { variables: { A: '${resources.db..x}' } },
          { resources: { db: { type: 'postgres' } } },
        ),
      },
    ],
    ['one id with two types', resources({ a: { type: 's3', id: 'x1' }, b: { type: 'sqs', id: 'x1' } })],
    [
      'one id with other params',
      resources({
        a: { type: 's3', id: 'x1', params: { a: 1 } },
        b: { type: 's3', id: 'x1', params: { a: 2 } },
      }),
    ],
    [
      'an image for none of two containers',
      {
        document: { ...scoreDocument(), containers: { aa: { image: 'a' }, bb: { image: 'b' } } },
        image: 'c',
      },
    ],
    ['an unknown field of an extension', { document: scoreDocument(), extension: { specs: {} } }],
    ['another version of an extension', { document: scoreDocument(), extension: { apiVersion: 'v1' } }],
    [
      'an override inside a text',
      { document: scoreDocument(), propertyOverrides: { 'containers.main.image.x': 1 } },
    ],
    [
      'an override beyond a list',
      { document: scoreDocument({ args: ['a'] }), propertyOverrides: { 'containers.main.args.5': 'x' } },
    ],
  ])('%s', (_, input) => {
    expect(problemOf(() => convertScore(input)).reason).toBe('Invalid')
  })

  test('two documents for one workload, and for one shared resource with two types', () => {
    const one = convertScore({ document: scoreDocument() })
    expect(problemOf(() => combineScores([one, one])).reason).toBe('Invalid')
    const needing = (name: string, type: string) =>
      convertScore({
        document: { ...scoreDocument({}, { resources: { a: { type, id: 'x1' } } }), metadata: { name } },
      })
    expect(problemOf(() => combineScores([needing('aa', 's3'), needing('bb', 'sqs')])).reason).toBe('Invalid')
  })

  test('a hint names the field that was meant', () => {
    expect(problemOf(() => convertScore({ document: scoreDocument({ imgae: 'x' }) })).message).toContain(
      "did you mean 'image'?",
    )
  })

  test('no hint repeats the name of a field that another place has', () => {
    const document = { ...scoreDocument(), image: 'x' }
    const { message } = problemOf(() => convertScore({ document }))
    expect(message).toMatch(/properties: 'image'$/)
  })
})

describe('overrides', () => {
  test.each<[string, unknown, FreeForm, unknown]>([
    ['maps are merged', { a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
    ['lists are replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['null removes', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['a map replaces a text', { a: 'x' }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('%s', (_, document, overrides, expected) => {
    expect(withOverrides(document, overrides)).toEqual(expected)
  })

  test.each<[string, unknown, FreeForm, unknown]>([
    ['a path sets a value', { a: { b: 1 } }, { 'a.b': 2 }, { a: { b: 2 } }],
    ['a path creates maps', {}, { 'a.b.c': 1 }, { a: { b: { c: 1 } } }],
    ['a dot in a step is escaped', {}, { 'a\\.b': 1 }, { 'a.b': 1 }],
    ['an empty text removes', { a: 1, b: 2 }, { a: '' }, { b: 2 }],
    ['-1 appends to a list', { a: [1] }, { 'a.-1': 2 }, { a: [1, 2] }],
    ['an index replaces an item', { a: [1, 2] }, { 'a.0': 3 }, { a: [3, 2] }],
    ['an index with null removes an item', { a: [1, 2] }, { 'a.0': null }, { a: [2] }],
  ])('%s', (_, document, properties, expected) => {
    expect(withProperties(document, properties)).toEqual(expected)
  })

  test.each<[string, FreeForm, string | undefined, unknown]>([
    ['replaces a dot', { aa: { image: '.' }, bb: { image: 'b' } }, 'c', ['c', 'b']],
    ['replaces the only image', { aa: { image: 'a' } }, 'c', ['c']],
    ['is not needed', { aa: { image: '.' } }, undefined, ['.']],
  ])('an image %s', (_, containers, image, expected) => {
    const { module } = convertScore({
      document: { ...scoreDocument(), containers },
      ...(image ? { image } : {}),
    })
    const { containers: found } = module['spec'] as { containers: Record<string, { image: string }> }
    expect(Object.values(found).map((each) => each.image)).toEqual(expected)
  })

  test('type aliases replace types', () => {
    const document = scoreDocument({}, { resources: { db: { type: 'postgres' } } })
    const { module } = convertScore({ document, typeAliases: { postgres: 'acme/postgres' } })
    expect(module['externals']).toEqual({ db: { type: 'acme/postgres' } })
  })
})

test('a service without ports makes none', () => {
  const { module } = convertScore({ document: { ...scoreDocument({}), service: { ports: {} } } })
  expect(module['spec']).not.toHaveProperty('service')
})
