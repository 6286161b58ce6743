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

const login = { type: 'object', properties: { password: text } }
const withHost = { properties: { values: { required: ['host'] } } }

const types: [ResourceTypeInfo] = [
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
    ['a value is a number that JSON does not have', { host: 'db', size: Number.POSITIVE_INFINITY }, {}],
    ['a value within another is null', { host: 'db', more: { a: 1, b: null } }, {}],
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

  test.each<[name: string, value: unknown]>([
    ...['a b', 'a/b', 'é', '', '.', '..', '..a', 'x'.repeat(254)].map((name): [string, string] => [
      name,
      'canary',
    ]),
    ['x'.repeat(249), 7],
    ['.', 7],
    [`${'x'.repeat(244)}.json`, 'canary'],
  ])('a secret output whose name is no key of a Secret is refused by its name: %j, %j', (name, value) => {
    const refused = () => sorted({}, { [name]: value }, 'postgres')
    expect(refused).toThrow(expect.objectContaining({ reason: 'InvalidOutputs' }))
    expect(refused).toThrow(`secret output '${name}'`)
    expect(sorted({ [name]: 'plain' }, {}, 'postgres')).toMatchObject({ values: { [name]: 'plain' } })
  })

  test.each<[name: string, value: unknown]>([
    ['x'.repeat(253), 'text'],
    ['x'.repeat(248), 7],
    [`${'x'.repeat(243)}.json`, 'text'],
    ['', 7],
  ])('a secret output with any other name is taken: %j, %j', (name, value) => {
    expect(sorted({}, { [name]: value }, 'postgres').secrets).toEqual({ [name]: value })
  })

  test('are not sorted while the type is missing', () => {
    expect(() => sorted({ host: 'db' }, {}, 'acme/ghost')).toThrow(Waiting)
  })

  test.each<[rule: string, schema: FreeForm]>([
    ['inline', { properties: { secrets: login } }],
    ['by reference', { properties: { secrets: { $ref: '#/$defs/login' } }, $defs: { login } }],
    [
      'by an anchor',
      { properties: { secrets: { $ref: '#l' } }, $defs: { login: { $anchor: 'l', ...login } } },
    ],
    [
      'with another part',
      { properties: { secrets: { $ref: '#/properties/secrets/allOf/0', allOf: [login] } } },
    ],
    ['combined', { properties: { secrets: { allOf: [{}, login] } } }],
    [
      'in the whole schema by reference',
      { $ref: '#/$defs/all', $defs: { all: { properties: { secrets: login } } } },
    ],
    ['under a condition', { if: { required: ['a'] }, else: { properties: { secrets: login } } }],
  ])('are secret when the type declares them secret, %s', (_, outputsSchema) => {
    const outputs = { values: { host: 'db', password: 'hunter2' }, secrets: {} }
    expect(sortOutputs(outputs, [{ ...types[0], outputsSchema }], 'acme/db')).toMatchObject({
      values: { host: 'db' },
      secrets: { password: 'hunter2' },
    })
  })

  test.each<[rule: string, schema: FreeForm]>([
    ['by reference', { $ref: '#/$defs/all', $defs: { all: withHost } }],
    ['combined', { allOf: [withHost] }],
    ['of the whole', { properties: { values: {} }, required: ['host'] }],
    ['of the whole without outer properties', { values: {}, required: ['host'] }],
    ['under a condition', { anyOf: [withHost], required: ['host'] }],
    ['that cannot be read', { properties: { host: { pattern: '(' } } }],
    [
      'of one part by another',
      { properties: { values: withHost.properties.values, secrets: { $ref: '#/properties/values' } } },
    ],
  ])('that break a rule of the whole schema are refused: %s', (_, outputsSchema) => {
    const outputs = { values: { port: 1 }, secrets: {} }
    expect(() => sortOutputs(outputs, [{ ...types[0], outputsSchema }], 'acme/db')).toThrow(Stalled)
  })

  test.each<[rule: string, schema: FreeForm]>([
    ['omits', { properties: { values: { type: 'object' } }, additionalProperties: false }],
    ['forbids', { properties: { secrets: false } }],
    ['requires', { properties: { values: {} }, required: ['values', 'secrets'] }],
  ])('need no secrets under a schema that %s them', (_, outputsSchema) => {
    const outputs = { values: { host: 'db' }, secrets: {} }
    expect(sortOutputs(outputs, [{ ...types[0], outputsSchema }], 'acme/db')).toMatchObject(outputs)
  })

  test.each<[rule: string, schema: FreeForm]>([
    ['inline', { type: 'object', properties: { host: text }, required: ['host'] }],
    ['closed', { properties: { port: text }, additionalProperties: false }],
    ['by reference', { $ref: '#/$defs/flat', $defs: { flat: { required: ['host'] } } }],
    ['combined', { allOf: [{ properties: { port: text } }, { required: ['host'] }] }],
    ['with keywords that are no parts', { required: ['host'], values: 'text', secrets: [] }],
  ])(
    'are as the driver says under a schema that names neither values nor secrets, %s',
    (_, outputsSchema) => {
      const outputs = { values: { port: 1 }, secrets: { password: 'hunter2' } }
      expect(sortOutputs(outputs, [{ ...types[0], outputsSchema }], 'acme/db')).toMatchObject(outputs)
    },
  )

  test('former secrets do not break the schema', () => {
    expect(
      sortOutputs({ values: { host: 'db' }, secrets: {} }, types, 'acme/db', { secretPaths: ['/host'] }),
    ).toMatchObject({
      values: {},
      secrets: { host: 'db' },
    })
  })
})
