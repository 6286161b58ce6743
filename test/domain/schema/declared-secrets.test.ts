import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { declaredSecretPaths } from '../../../operator/domain/schema/declared-secrets.ts'
import { separateSecrets } from '../../../operator/domain/schema/secret-outputs.ts'
import { problemOfPartedSchema } from '../../../operator/domain/schema/user-schema.ts'
import { casesOf, fc } from '../../support/properties.ts'

const text = { type: 'string' }
const login = { properties: { user: text, password: text } }
const user = { properties: { user: text } }
const parts = (values: unknown, secrets: unknown, more: FreeForm = {}): FreeForm => ({
  properties: { values, secrets },
  ...more,
})

describe('an output is declared secret', () => {
  test.each<[rule: string, schema: FreeForm, expected: string[]]>([
    ['and not, inline', parts(user, login), ['/password']],
    ['without the outer properties', { values: user, secrets: login }, ['/password']],
    [
      'without them, by a reference of the whole',
      { $ref: '#/$defs/all', $defs: { all: { values: user, secrets: login } } },
      ['/password'],
    ],
    [
      'by a reference with siblings',
      parts(user, { $ref: '#/$defs/a', properties: { token: text } }, { $defs: { a: login } }),
      ['/token', '/password'],
    ],
    [
      'by definitions of draft-07',
      parts(
        user,
        { $ref: '#x' },
        {
          $schema: 'http://json-schema.org/draft-07/schema#',
          definitions: { a: { $id: '#x', ...login } },
        },
      ),
      ['/password'],
    ],
    [
      'by a reference from an $id',
      parts(user, { $id: 'x', $ref: '#/$defs/a', $defs: { a: login } }, { $defs: { a: user } }),
      ['/password'],
    ],
    [
      'by a dynamic reference',
      parts(user, { $dynamicRef: '#x' }, { $defs: { a: { $dynamicAnchor: 'x', ...login } } }),
      ['/password'],
    ],
    [
      'by a dynamic reference to the anchor of another $id',
      parts(
        user,
        { $dynamicRef: '#x' },
        { $defs: { a: { $dynamicAnchor: 'x' }, b: { $id: 'b', $dynamicAnchor: 'x', ...login } } },
      ),
      ['/password'],
    ],
    ['under a condition', parts(user, { anyOf: [{ not: login }, {}] }), ['/password']],
    [
      'with another output',
      parts(user, { dependentSchemas: { a: { oneOf: [{ if: true, else: login }] } } }),
      ['/password'],
    ],
    ['unless the plain part has it combined', parts({ allOf: [user] }, login), ['/password']],
    [
      'also when the plain part has it under a condition',
      parts({ anyOf: [user] }, login),
      ['/user', '/password'],
    ],
    [
      'also when the plain part has it by a dynamic reference',
      parts({ $dynamicRef: '#x' }, login, { $defs: { a: { $dynamicAnchor: 'x', ...login } } }),
      ['/user', '/password'],
    ],
    [
      'within an output of both parts',
      parts(
        { properties: { db: { $ref: '#/$defs/user' } } },
        { properties: { db: { allOf: [{ $ref: '#/$defs/login' }] } } },
        { $defs: { user, login } },
      ),
      ['/db/password'],
    ],
    ['by no reference that leads nowhere', parts(user, { $ref: '#/$defs/a' }), []],
    [
      'by no schema that refers to itself alone',
      parts(user, { $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/a' } } }),
      [],
    ],
  ])('%s', (_, schema, expected) => {
    expect(declaredSecretPaths(schema)).toEqual(expected)
  })

  const tree = (own: FreeForm, name: string) => ({
    properties: { ...own, next: { $ref: `#/$defs/${name}` } },
  })
  const trees = { $defs: { open: tree({ host: text }, 'open'), hidden: tree({ key: text }, 'hidden') } }
  const ofTrees = parts({ $ref: '#/$defs/open' }, { $ref: '#/$defs/hidden' }, trees)

  test('at each level that the outputs have, by schemas that refer to themselves', () => {
    const values = { host: 'a', key: 'b', next: { key: 'c', next: { host: 'd', key: 'e' } } }
    expect(separateSecrets({ values, secrets: {} }, ofTrees)).toMatchObject({
      values: { host: 'a', next: { next: { host: 'd' } } },
      secrets: { key: 'b', next: { key: 'c', next: { key: 'e' } } },
    })
    expect(declaredSecretPaths(ofTrees)).toContain('/key')
  })

  test('as a whole, by schemas that refer to twice as much each time', () => {
    const levels = Array.from({ length: 60 }, (_, i) => {
      const next = { $ref: `#/$defs/a${i + 1}` }
      return [`a${i}`, { properties: { x: next, y: next } }] as const
    })
    const part = { $ref: '#/$defs/a0' }
    const schema = parts(part, part, { $defs: { ...Object.fromEntries(levels), a60: login } })
    const { values, secrets } = separateSecrets({ values: { y: { password: 'p' } }, secrets: {} }, schema)
    expect([values, secrets]).toEqual([{}, { y: { password: 'p' } }])
  })
})

test('a schema of hundreds of outputs, each by references, declares each of them exactly', () => {
  const databases = (name: string) =>
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`database-${i}`, { $ref: `#/$defs/${name}` }]))
  const schema = parts(
    { properties: databases('user') },
    { allOf: [{ properties: databases('login') }] },
    {
      $defs: { user, login: { allOf: [{ $ref: '#/$defs/user' }, login] } },
    },
  )
  expect(problemOfPartedSchema(schema)).toBeUndefined()
  expect(declaredSecretPaths(schema)).toEqual(
    Object.keys(databases('login')).map((name) => `/${name}/password`),
  )
})

describe('a schema is as its inline form', () => {
  const key = fc.constantFrom('a', 'b', 'c/~', '__proto__')
  const { tree, schema: part } = fc.letrec<{ tree: unknown; schema: FreeForm }>((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.constant('x'), fc.dictionary(key, tie('tree'), { maxKeys: 3 })),
    schema: fc
      .dictionary(key, fc.oneof({ maxDepth: 3 }, fc.constant({}), tie('schema')), { maxKeys: 3 })
      .map((properties) => ({ properties })),
  }))
  const values = fc.dictionary(key, tree, { maxKeys: 4 })

  /** Ways to write a schema, each with a new name for definitions. */
  const forms: readonly ((schema: FreeForm, name: string, define: (schema: unknown) => void) => FreeForm)[] =
    [
      (schema) => schema,
      (schema, name, define) => {
        define(schema)
        return { $ref: `#/$defs/${name}` }
      },
      (schema, name, define) => {
        define({ $anchor: name, allOf: [schema] })
        return { allOf: [{}, { $ref: `#${name}` }] }
      },
      (schema, name, define) => {
        const [own, other] = halves(schema)
        define(other)
        return { ...own, $ref: `#/$defs/${name}` }
      },
      (schema) => ({ allOf: halves(schema) }),
      (schema, name, define) => {
        const [own, other] = halves(schema)
        define({ ...own, allOf: [{ $ref: `#/$defs/${name}/$defs/other` }], $defs: { other } })
        return { $ref: `#/$defs/${name}` }
      },
    ]

  function halves({ properties }: FreeForm): [FreeForm, FreeForm] {
    const entries = Object.entries(properties as FreeForm) // made above
    const [first, second] = [entries.slice(0, 1), entries.slice(1)].map((half) => ({
      properties: Object.fromEntries(half),
    }))
    return [first ?? {}, second ?? {}]
  }

  /** The schema in other words: `choose` picks the form of each subschema. */
  function disguised(inline: FreeForm, choose: () => number): FreeForm {
    const $defs: FreeForm = {}
    let count = 0
    const rewrite = (schema: FreeForm): FreeForm => {
      if (!schema['properties']) return schema
      const members = Object.entries(schema['properties'] as FreeForm) // made above
      const properties = Object.fromEntries(members.map(([name, each]) => [name, rewrite(each as FreeForm)]))
      const name = `d${count++}`
      const form = forms[choose() % forms.length] ?? ((each) => each)
      return form({ properties }, name, (each) => {
        $defs[name] = each
      })
    }
    return { ...rewrite(inline), $defs }
  }

  test('for all schemas that references and combinations write in other words', () => {
    const choices = fc.array(fc.nat({ max: forms.length - 1 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(part, part, values, choices, (open, hidden, given, all) => {
        let next = 0
        const inline = parts(open, hidden)
        const schema = disguised(inline, () => all[next++ % all.length] ?? 0)
        expect(problemOfPartedSchema(schema)).toBeUndefined()
        const outputs = { values: given, secrets: {} }
        expect(separateSecrets(outputs, schema)).toEqual(separateSecrets(outputs, inline))
      }),
      { numRuns: casesOf(2000) },
    )
  })
})
