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
  const workload = `${head}containers: {main: {image: a}}\n`
  const extension = '---\napiVersion: humanitec.org/v1b1\nprofile: x\n'
  const doubled = Array.from('bcdefghijklmnopqrstu', (name, i) => {
    const before = 'abcdefghijklmnopqrst'[i]
    return `${name}: &${name} [*${before}, *${before}]\n`
  })
  test.each<[rule: string, file: string, text: RegExp]>([
    ['nothing', '', /has no document/],
    ['only comments', '# nothing\n', /has no document/],
    ['documents without content', '---\n---\nnull\n', /has no document/],
    ['no YAML', 'a: [\n', /line 2, column 1/],
    ['a key twice', 'a: 1\na: 2\n', /keys must be unique \(line 2, column 1\)/],
    ['an alias without an anchor', 'a: *b\n', /an alias in it cannot be followed/],
    ['aliases without end', `a: &a [x]\n${doubled.join('')}`, /an alias in it cannot be followed/],
    ['an alias in its own anchor', 'a: &a {b: *a}\n', /too large when its aliases are followed/],
    [
      'aliases of a long text',
      `a: &a ${'x'.repeat(200_000)}\nb: [${'*a,'.repeat(20)}]\n`,
      /too large when its aliases are followed/,
    ],
    ['a text that is too long', `a: ${'x'.repeat(1_048_576)}`, /has 1048579 characters/],
    ['deep nesting', '['.repeat(50_000), /nested too deep/],
    ['a list', '- a\n', /must be object/],
    ['an older version', workload.replace('score.dev', 'score.sh'), /'apiVersion' must be/],
    ['an extension alone', extension, /begins with an extension document \(line 2, column 1\)/],
    ['two extensions of one workload', workload + extension + extension, /has two extension documents/],
  ])('%s', (_, file, text) => {
    const { reason, message } = problemOf(() => convertFile(file))
    expect([reason, message]).toEqual(['Invalid', expect.stringMatching(text)])
  })

  test('but an empty document beside others is none', () => {
    const names = convertFile(`---\n---\n${workload}${extension}---\nnull\n`).map(({ id }) => id)
    expect(names).toEqual(['web'])
  })
})

describe('what contradicts itself is a problem', () => {
  const container = (fields: FreeForm): ScoreInput => ({ document: scoreDocument(fields) })
  const resources = (map: FreeForm): ScoreInput => ({ document: scoreDocument({}, { resources: map }) })
  const variable = (text: string, more: FreeForm = {}): ScoreInput => ({
    document: scoreDocument({ variables: { A: text } }, more),
  })
  const override = (path: string): ScoreInput => ({
    ...container({ args: ['a'] }),
    propertyOverrides: { [path]: 'x' },
  })
  const extended = (extension: FreeForm): ScoreInput => ({ ...container({}), extension })
  const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
  test.each<[rule: string, input: ScoreInput, text: RegExp]>([
    [
      'two contents of one file',
      container({ files: { '/a': { content: '', source: 'a' } } }),
      /exactly one of/,
    ],
    ['a file without content', container({ files: { '/a': {} } }), /exactly one of/],
    [
      'one target twice',
      container({
        files: [
          { target: '/a', content: '' },
          { target: '/a', content: '' },
        ],
      }),
      /'\/a' for the second time/,
    ],
    ['content that is not base64', container({ files: { '/a': { binaryContent: 'a' } } }), /is not base64/],
    ['a reference to nothing', variable('${resources}'), /resource '', which does not exist/],
    ['a reference to metadata as a whole', variable('${metadata}'), /'metadata', which does not exist/],
    ['a reference to metadata that is absent', variable('${metadata.a.b}'), /'metadata.a.b', which does not/],
    ['a reference to another root', variable('${HOME}'), /begins with neither 'metadata' nor 'resources'/],
    [
      'an empty step',
      variable('${resources.db..x}', { resources: { db: { type: 'postgres' } } }),
      /'db' with an empty name in the path/,
    ],
    [
      'one id with two types',
      resources({ one: { type: 's3', id: 'x1' }, two: { type: 'sqs', id: 'x1' } }),
      /'resources.two' differs from another resource with the id 'x1'/,
    ],
    [
      'one id with other params',
      resources({
        one: { type: 's3', id: 'x1', params: { a: 1 } },
        two: { type: 's3', id: 'x1', params: { a: 2 } },
      }),
      /'resources.two' differs from another resource/,
    ],
    [
      'one key of the set for two ids',
      resources({
        one: { type: 's3', id: 'x1', class: 'large' },
        two: { type: 's3', id: 'x1-class-large' },
      }),
      /'resources.two' differs from another resource/,
    ],
    [
      'an image for none of two containers',
      {
        document: { ...scoreDocument(), containers: { aa: { image: 'a' }, bb: { image: 'b' } } },
        image: 'c',
      },
      /the image 'c' is for no container/,
    ],
    ['an unknown field of an extension', extended({ specs: {} }), /'extension.specs' is not a field/],
    [
      'another version of an extension',
      extended({ apiVersion: 'v1' }),
      /'extension.apiVersion' must be one of/,
    ],
    [
      'a profile of an extension that is no text',
      extended({ profile: 1 }),
      /'extension.profile' must be a text/,
    ],
    ['a spec of an extension that is no map', extended({ spec: 'a' }), /'extension.spec' must be an object/],
    [
      'a deploy of an extension that is no map',
      extended({ deploy: [] }),
      /'extension.deploy' must be an object/,
    ],
    ['an override inside a text', override('containers.main.image.x'), /inside a value that is no object/],
    ['an override beyond a list', override('containers.main.args.5'), /names no item: the list has 1/],
    ['an override before a list', override('containers.main.args.-2'), /names no item: the list has 1/],
    ['an override with an empty step', override('containers..image'), /is not valid/],
    ['overrides of many levels', { ...container({}), overrides: nested(300) }, /nested more than 200 deep/],
    ['an override of many levels', override('a.'.repeat(300)), /is not valid/],
    ['a document of many levels', { document: nested(200) }, /nested more than 100 levels deep/],
  ])('%s', (_, input, text) => {
    const { reason, message } = problemOf(() => convertScore(input))
    expect([reason, message]).toEqual(['Invalid', expect.stringMatching(text)])
  })

  test('two documents for one workload, and for one shared resource with two types', () => {
    const one = convertScore({ document: scoreDocument() })
    expect(problemOf(() => combineScores([one, one])).message).toMatch(/describe the workload 'web'/)
    const needing = (name: string, type: string) =>
      convertScore({
        document: { ...scoreDocument({}, { resources: { one: { type, id: 'x1' } } }), metadata: { name } },
      })
    const converted = [needing('aa', 's3'), needing('bb', 'sqs')]
    expect(problemOf(() => combineScores(converted)).message).toMatch(/need the shared resource 'x1'/)
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
    ['a path leads through an item', { a: [{ b: 1, c: 2 }] }, { 'a.0.b': 3 }, { a: [{ b: 3, c: 2 }] }],
    ['-1 in a path creates an item', { a: [] }, { 'a.-1.b': 1 }, { a: [{ b: 1 }] }],
  ])('%s', (_, document, properties, expected) => {
    expect(withProperties(document, properties)).toEqual(expected)
  })

  test.each<[string, FreeForm, string | undefined, unknown]>([
    ['replaces a dot', { aa: { image: '.' }, bb: { image: 'b' } }, 'c', ['c', 'b']],
    ['replaces the only image', { aa: { image: 'a' } }, 'c', ['c']],
    ['is not needed', { aa: { image: '.' } }, undefined, ['.']],
    ['is none when it is empty', { aa: { image: 'a' } }, '', ['a']],
  ])('an image %s', (_, containers, image, expected) => {
    const { module } = convertScore({
      document: { ...scoreDocument(), containers },
      ...(image === undefined ? {} : { image }),
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

describe('an extension', () => {
  const document = scoreDocument({ variables: { A: 'score' } })
  const moduleWith = (extension: FreeForm) => convertScore({ document, extension }).module
  const plain = convertScore({ document }).module
  test.each<[rule: string, extension: FreeForm, expected: FreeForm]>([
    ['may be empty', {}, plain],
    ['may have an empty profile', { profile: '' }, plain],
    ['gives the profile', { profile: 'acme/mine' }, { ...plain, profile: 'acme/mine' }],
    ['says how a deployment waits', { deploy: { timeout: 5 } }, { ...plain, deploy: { timeout: 5 } }],
    [
      'adds to the maps of the document, whose values win',
      {
        spec: {
          replicas: 2,
          containers: { main: { image: 'other', variables: { A: 'extension', B: 'b' } } },
        },
      },
      {
        ...plain,
        spec: {
          replicas: 2,
          containers: { main: { id: 'main', image: 'nginx:1', variables: { A: 'score', B: 'b' } } },
        },
      },
    ],
    ['replaces no map of the document', { spec: { containers: 'none' } }, plain],
    [
      'replaces no value of the document by a map',
      { spec: { containers: { main: { image: { name: 'other' } } } } },
      plain,
    ],
    [
      'can hold placeholders of modules',
      { spec: { labels: { a: '$${values.A}', b: '${metadata.name}', c: '${values.}' } } },
      {
        ...plain,
        spec: { ...(plain['spec'] as object), labels: { a: '${values.A}', b: 'web', c: '${values.}' } },
      },
    ],
  ])('%s', (_, extension, expected) => {
    expect(moduleWith(extension)).toEqual(expected)
  })
})

test('a service without ports makes none', () => {
  const { module } = convertScore({ document: { ...scoreDocument({}), service: { ports: {} } } })
  expect(module['spec']).not.toHaveProperty('service')
})
