import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { sortOutputs } from '../../../operator/controllers/active-resource/outputs.ts'
import { Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/type-info.ts'

const text = { type: 'string' }

function customType(values: FreeForm, secrets: FreeForm): ResourceTypeInfo {
  const outputsSchema = { type: 'object', properties: { values, secrets } }
  return { type: 'acme/db', name: 'db', use: 'direct', category: '', inputsSchema: {}, outputsSchema }
}

const types = [
  customType(
    { type: 'object', properties: { host: text, port: { type: 'integer' } }, required: ['host'] },
    { type: 'object', properties: { password: { type: 'string', minLength: 8 } } },
  ),
]
const sorted = (values: FreeForm, secrets: FreeForm = {}, type = 'acme/db') =>
  sortOutputs({ values, secrets }, types, type)

describe('outputs of a custom type', () => {
  test.each<[rule: string, values: FreeForm, secrets: FreeForm, expected: object]>([
    [
      'secret ones are under secrets, the others under values',
      { host: 'db' },
      { password: 'long enough' },
      { values: { host: 'db' }, secrets: { password: 'long enough' } },
    ],
    [
      'an output that the type declares secret is secret, even when the driver says otherwise',
      { host: 'db', password: 'long enough' },
      {},
      { values: { host: 'db' }, secrets: { password: 'long enough' } },
    ],
    [
      'an output that the type omits is as the driver says',
      { host: 'db', more: 1 },
      { token: 'x' },
      { values: { host: 'db', more: 1 }, secrets: { token: 'x' } },
    ],
  ])('%s', (_, values, secrets, expected) => {
    expect(sorted(values, secrets)).toMatchObject(expected)
  })

  test.each<[rule: string, values: FreeForm, secrets: FreeForm]>([
    ['a required value is missing', { port: 1 }, {}],
    ['a value is of another type', { host: 'db', port: 'many' }, {}],
    ['a secret breaks a limit', { host: 'db' }, { password: 'short' }],
    ['a value is null', { host: 'db', port: null }, {}],
  ])('that do not fit its schema are refused: %s', (_, values, secrets) => {
    expect(() => sorted(values, secrets)).toThrow(Stalled)
  })

  test('a refusal names the output and never its value', () => {
    expect(() => sorted({ host: 'db' }, { password: 'short' })).toThrow("'secrets.password'")
    expect(() => sorted({ host: 'db' }, { password: 'short' })).not.toThrow('short')
  })

  test('the outputs of a built-in type are as its driver says', () => {
    expect(sorted({ password: 1 }, {}, 'postgres')).toMatchObject({ values: { password: 1 }, secrets: {} })
  })

  test('are not sorted while the type is missing', () => {
    expect(() => sorted({ host: 'db' }, {}, 'acme/ghost')).toThrow(Waiting)
  })

  test('former secrets do not break the schema', () => {
    expect(sortOutputs({ values: { host: 'db' }, secrets: {} }, types, 'acme/db', ['/host'])).toMatchObject({
      values: {},
      secrets: { host: 'db' },
    })
  })
})
