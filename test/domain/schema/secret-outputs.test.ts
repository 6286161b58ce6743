import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { pointerSteps } from '../../../operator/domain/base/json.ts'
import { declaredSecretPaths } from '../../../operator/domain/schema/declared-secrets.ts'
import {
  areCovered,
  leafPaths,
  type Outputs,
  separateSecrets,
} from '../../../operator/domain/schema/secret-outputs.ts'
import { fc } from '../../support/properties.ts'

const properties = (fields: FreeForm) => ({ type: 'object', properties: fields })
const schemaOf = (values: FreeForm, secrets: FreeForm) =>
  properties({ values: properties(values), secrets: properties(secrets) })

describe('an output is secret', () => {
  test.each<[rule: string, given: Outputs, schema: FreeForm, remembered: string[], expected: Outputs]>([
    [
      'when the type says so',
      { values: { host: 'h', password: 'p' }, secrets: {} },
      schemaOf({ host: {} }, { password: {} }),
      [],
      { values: { host: 'h' }, secrets: { password: 'p' } },
    ],
    [
      'in part, when the type says so of a part',
      { values: { db: { host: 'h', password: 'p' } }, secrets: {} },
      schemaOf({ db: properties({ host: {} }) }, { db: properties({ password: {} }) }),
      [],
      { values: { db: { host: 'h' } }, secrets: { db: { password: 'p' } } },
    ],
    [
      'when the type says so by a pattern of names',
      { values: { host: 'h', pw_a: 'p', db: { key: 'k', port: 1 } }, secrets: {} },
      properties({
        values: properties({ host: {}, db: properties({ port: {} }) }),
        secrets: {
          patternProperties: { '^pw_': {} },
          properties: { db: { patternProperties: { '^k': {} } } },
        },
      }),
      [],
      { values: { host: 'h', db: { port: 1 } }, secrets: { db: { key: 'k' }, pw_a: 'p' } },
    ],
    [
      'as the driver says, where the type names it in both parts by patterns',
      { values: { pw_a: 1, pw_b: 2 }, secrets: {} },
      properties({
        values: { properties: { pw_a: {} }, patternProperties: { b$: {} } },
        secrets: { patternProperties: { '^pw_': {} } },
      }),
      [],
      { values: { pw_a: 1, pw_b: 2 }, secrets: {} },
    ],
    [
      'as the driver says, where the type names it in both parts',
      { values: { a: 1 }, secrets: {} },
      schemaOf({ a: {} }, { a: {} }),
      [],
      { values: { a: 1 }, secrets: {} },
    ],
    [
      'when it was secret before',
      { values: { password: 'p' }, secrets: {} },
      {},
      ['/password'],
      { values: {}, secrets: { password: 'p' } },
    ],
    [
      'where only a part of it was, in that part',
      { values: { db: { host: 'h', password: 'p' } }, secrets: {} },
      {},
      ['/db/password'],
      { values: { db: { host: 'h' } }, secrets: { db: { password: 'p' } } },
    ],
    [
      'as a whole when the place of a secret part is a text now',
      { values: { db: 'user:p@host' }, secrets: {} },
      {},
      ['/db/password'],
      { values: {}, secrets: { db: 'user:p@host' } },
    ],
    [
      'with everything under a former secret',
      { values: { key: { pem: 'k' } }, secrets: {} },
      {},
      ['/key'],
      { values: {}, secrets: { key: { pem: 'k' } } },
    ],
    [
      'and the secret answer wins over the plain one',
      { values: { password: '***' }, secrets: { password: 'p' } },
      {},
      [],
      { values: {}, secrets: { password: 'p' } },
    ],
    [
      'beside what the answer has at the same place',
      { values: { db: { user: 'u', login: { password: 'p' } } }, secrets: { db: { login: { key: 'k' } } } },
      {},
      ['/db'],
      { values: {}, secrets: { db: { user: 'u', login: { password: 'p', key: 'k' } } } },
    ],
    [
      'and leaves no empty object',
      { values: { db: { password: 'p' }, host: 'h' }, secrets: {} },
      {},
      ['/db/password', '/none/password'],
      { values: { host: 'h' }, secrets: { db: { password: 'p' } } },
    ],
    [
      'with any name',
      { values: JSON.parse('{"__proto__": "p", "a/b~c": "q"}'), secrets: {} },
      {},
      ['/__proto__', '/a~1b~0c'],
      { values: {}, secrets: JSON.parse('{"__proto__": "p", "a/b~c": "q"}') },
    ],
  ])('%s', (_, given, schema, remembered, { values, secrets }) => {
    const sorted = separateSecrets(given, schema, remembered)
    expect(JSON.stringify([sorted.values, sorted.secrets])).toBe(JSON.stringify([values, secrets]))
  })

  test('and a declared secret is remembered before it has a value', () => {
    expect(separateSecrets({ values: {}, secrets: {} }, schemaOf({}, { password: {} })).secretPaths).toEqual([
      '/password',
    ])
  })

  test('by its name alone when too many paths would have to be remembered', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field-${i}`, i]))
    const { values, secretPaths } = separateSecrets({ values: { all: { more: 1 } }, secrets: { all: many } })
    expect([values, secretPaths]).toEqual([{}, ['/all']])
  })
})

describe('nothing becomes less secret', () => {
  const key = fc.constantFrom('a', 'b', 'c/~', '__proto__')
  const tree = fc.letrec<{ value: unknown; object: FreeForm }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('x', 1, [1]), tie('object')),
    object: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  })).object
  const schemas = fc
    .record({ open: fc.subarray(['a', 'b', 'c/~']), hidden: fc.subarray(['a', 'b', 'c/~']) })
    .map(({ open, hidden }) => {
      const named = (names: string[]) => Object.fromEntries(names.map((name) => [name, {}]))
      return schemaOf(named(open), named(hidden))
    })
  const answers = fc.array(fc.record({ values: tree, secrets: tree, schema: schemas }), {
    minLength: 1,
    maxLength: 5,
  })

  test('for all answers and schemas, in any order', () => {
    fc.assert(
      fc.property(answers, (all) => {
        let remembered: readonly string[] = []
        for (const { values, secrets, schema } of all) {
          const sorted = separateSecrets({ values, secrets }, schema, remembered)
          // Everything that was remembered, declared or answered as secret is remembered.
          expect(areCovered(remembered, sorted.secretPaths)).toBe(true)
          expect(areCovered(declaredSecretPaths(schema), sorted.secretPaths)).toBe(true)
          expect(areCovered(leafPaths(secrets), sorted.secretPaths)).toBe(true)
          // Nothing plain is at, above or under a secret path, as far as it is a value.
          for (const path of sorted.secretPaths) expect(plainAlong(sorted.values, path)).toBe(false)
          // A repetition changes nothing.
          expect(separateSecrets(sorted, schema, sorted.secretPaths)).toEqual(sorted)
          remembered = sorted.secretPaths
        }
      }),
    )
  })

  function plainAlong(values: unknown, path: string): boolean {
    let value = values
    for (const step of pointerSteps(path)) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return true
      if (!Object.hasOwn(value, step)) return false
      value = (value as FreeForm)[step]
    }
    return true
  }
})
