import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import { warningsOfSchemas } from '../../../operator/domain/schema/misspelt-keywords.ts'

const ofInputs = (inputsSchema: FreeForm) => warningsOfSchemas({ inputsSchema, outputsSchema: {} })
const unknown = (name: string, at: string, meant: string) =>
  `the schema of the inputs has the unknown keyword '${name}'${at}; did you mean '${meant}'?`

describe('a misspelt keyword of a schema is a warning', () => {
  test.each<[rule: string, schema: FreeForm, expected: string[]]>([
    ['at the top', { requierd: ['a'] }, [unknown('requierd', '', 'required')]],
    ['in another case', { Properties: { titel: {} } }, [unknown('Properties', '', 'properties')]],
    [
      'of a property',
      { properties: { a: { minLenght: 1 } } },
      [unknown('minLenght', " at '/properties/a'", 'minLength')],
    ],
    [
      'within conditions and items',
      { allOf: [{ items: { maximun: 1 } }] },
      [unknown('maximun', " at '/allOf/0/items'", 'maximum')],
    ],
    [
      'of the portal',
      { properties: { a: { uiHint: {} } } },
      [unknown('uiHint', " at '/properties/a'", 'uiHints')],
    ],
  ])('%s', (_, schema, expected) => {
    expect(ofInputs(schema)).toEqual(expected)
  })

  test.each<[misspelt: string, meant: string]>([
    ['value', 'values'],
    ['secret', 'secrets'],
    ['Secrets', 'secrets'],
  ])('and so is the part %s of the outputs', (name, meant) => {
    expect(warningsOfSchemas({ inputsSchema: {}, outputsSchema: { properties: { [name]: {} } } })).toEqual([
      `the schema of the outputs has '${name}' at '/properties'; did you mean '${meant}'?`,
    ])
  })
})

describe('a format that is not checked is a warning', () => {
  test.each<[rule: string, schema: FreeForm, expected: string]>([
    ['at the top', { format: 'arn' }, "'arn', which is not checked"],
    [
      'of a property, with the one that is meant',
      { properties: { a: { format: 'emial' } } },
      "'emial' at '/properties/a', which is not checked; did you mean 'email'?",
    ],
    [
      'in another case',
      { items: { format: 'UUID' } },
      "'UUID' at '/items', which is not checked; did you mean 'uuid'?",
    ],
  ])('%s', (_, schema, expected) => {
    expect(ofInputs(schema)).toEqual([`the schema of the inputs has the format ${expected}`])
  })
})

test('ten warnings of each kind are shown at most', () => {
  const many = (name: string) =>
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [spelt(name, i), {}]))
  const spelt = (name: string, i: number) => `${name}${'-'.repeat(i)}${i % 2 ? 's' : 'z'}`
  const outputsSchema = { ...many('require'), properties: many('value') }
  expect(warningsOfSchemas({ inputsSchema: many('require'), outputsSchema })).toHaveLength(30)
})

describe('nothing is said about', () => {
  test.each<[rule: string, schema: FreeForm]>([
    ['keywords of others', { 'x-order': 1, colour: 'red', example: 1, nullable: true }],
    ['names of properties', { properties: { requierd: {}, titel: {} }, $defs: { patern: {} } }],
    ['data', { default: { titel: 1 }, enum: [{ patern: 1 }], 'x-meta': { titel: 1 }, required: ['titel'] }],
    ['formats that are checked', { format: 'email', items: { format: 'int32' }, not: { format: 'regex' } }],
    [
      'properties and data with the name of a keyword',
      { properties: { format: { const: { format: 'x' } } } },
    ],
    ['a keyword beside the right one', { required: [], requierd: [] }],
    ['hints of the portal', { uiGroups: { a: { titel: 'b' } }, properties: { a: { uiHints: { ordr: 1 } } } }],
  ])('%s', (_, schema) => {
    expect(ofInputs(schema)).toEqual([])
  })

  test('the built-in types', () => {
    expect(builtInTypes.flatMap(warningsOfSchemas)).toEqual([])
  })
})
