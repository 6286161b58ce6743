import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { restErrors } from '../../../operator/api/reasons/errors.ts'
import { longestReason, reasonGroups, reasons } from '../../../operator/api/reasons/reasons.ts'

const root = join(import.meta.dirname, '../../..')
const declarations = 'operator/api/reasons/'
const sources = new Map(
  ['operator', 'api-gateway']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((file) => file.endsWith('.ts') && !file.startsWith(declarations))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)

/** Where a string is a reason: an error, a problem, a condition, an event or a problem of a plan. */
const uses = [
  /\bnew (?:Waiting|Stalled|ReconcileError|ReferenceNotFound|Mismatch)\(\s*'(\w+)'/g,
  /\breason: '(\w+)'/g,
  /\bproblems(?:For|OfReference)\(\s*'(\w+)'/g,
]
/** The template engine has two kinds of failure that the driver turns into reasons. */
const templateFailures = new Set(['Invalid', 'NotYet'])

test('every reason in the sources is declared', () => {
  const undeclared = [...sources].flatMap(([file, text]) =>
    uses
      .flatMap((use) => [...text.matchAll(use)].map(([, name = '']) => name))
      .filter((name) => !(name in reasons))
      .filter((name) => !(file.startsWith('operator/templates/') && templateFailures.has(name)))
      .map((name) => `${file}: ${name}`),
  )
  expect(undeclared).toEqual([])
})

test('every declared reason and error is used', () => {
  const all = [...sources.values()].join('\n')
  const names = [...Object.keys(reasons), ...Object.keys(restErrors)]
  expect(names.filter((name) => !all.includes(`'${name}'`))).toEqual([])
})

test('a reason is declared in one group', () => {
  const names = reasonGroups.flatMap((group) => Object.keys(group))
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

describe.each(Object.keys(reasons))('the reason %s', (name) => {
  test('is one CamelCase word that fits into a condition', () => {
    expect(name).toMatch(/^([A-Z][a-z]+)+$/)
    expect(name.length).toBeLessThanOrEqual(longestReason)
  })
})

const sentences = [
  ...Object.values(reasons).flatMap(({ meaning, remedy }) => [meaning, remedy]),
  ...Object.values(restErrors).map(({ meaning }) => meaning),
]

describe('the texts of reasons and errors', () => {
  test('are sentences: a capital first, a full stop at the end, none within', () => {
    expect(sentences.filter((text) => !/^[A-Z][^.|\n]*(?:\.\w[^.|\n]*)*\.$/.test(text))).toEqual([])
  })

  test('use plain words', () => {
    const riddles =
      /\b(whoever|nobody|somebody|anybody|told|tells?|stands?|besides|of its own|there is no|as long as|takes? away|goes|comes? to|lets? go|sees? to|at last)\b/i
    expect(sentences.filter((text) => riddles.test(text))).toEqual([])
  })
})
