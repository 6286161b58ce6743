import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { declaredSecretPaths } from '../../../operator/domain/schema/declared-secrets.ts'
import { separateSecrets } from '../../../operator/domain/schema/secret-outputs.ts'
import { problemOfPartedSchema } from '../../../operator/domain/schema/user-schema.ts'
import { casesOf, fc } from '../../support/properties.ts'

const parts = (values: unknown, secrets: unknown, $defs: FreeForm): FreeForm => ({
  properties: { values, secrets },
  $defs,
})

const login = { properties: { password: {} } }

describe('a schema at its limits is read a bounded number of times', () => {
  const maxReads = 500_000
  const listOf = <T>(count: number, item: (i: number) => T) =>
    Array.from({ length: count }, (_, i) => item(i))
  const byKey = (count: number, key: string, item: (i: number) => unknown): FreeForm =>
    Object.fromEntries(listOf(count, (i) => [`${key}${i}`, item(i)]))
  const nested = (levels: number, key: string): FreeForm =>
    levels === 0 ? {} : { [key]: nested(levels - 1, key) }

  /** What may apply with each schema of a part, of any width. */
  const additions: Readonly<Record<string, (width: number) => FreeForm>> = {
    references: (width) => ({
      more: { allOf: listOf(width, (i) => ({ $ref: `#/$defs/empty${i}` })) },
      ...byKey(width, 'empty', () => ({})),
    }),
    alternatives: (width) => ({ more: { anyOf: listOf(width, () => ({ not: {} })) } }),
    constants: (width) => ({ more: { allOf: listOf(width, () => true) } }),
    'dependent names': (width) => ({ more: { dependencies: byKey(width, 'n', () => ['a']) } }),
    'other properties': (width) => ({ more: { properties: byKey(width, 'n', () => true) } }),
    'dynamic references': (width) => ({
      more: { $dynamicAnchor: 'a', $dynamicRef: '#a' },
      ...byKey(width, 'd', (i) => ({ $id: `d${i}`, $dynamicAnchor: 'a', $dynamicRef: '#a' })),
    }),
  }

  /** Schemas that refer to each other in a circle, each by all keys. */
  const circle = (name: string, length: number, keys: number, key: string) =>
    byKey(length, name, (i) => ({
      allOf: [{ $ref: '#/$defs/more' }],
      properties: byKey(keys, key, () => ({ $ref: `#/$defs/${name}${(i + 1) % length}` })),
    }))

  test.each(Object.keys(additions))('with %s', (name) => {
    const shapes = fc.record({
      keys: fc.integer({ min: 1, max: 20 }),
      keyLength: fc.constantFrom(1, 3000),
      width: fc.integer({ min: 1, max: 400 }),
      open: fc.integer({ min: 1, max: 13 }),
      hidden: fc.integer({ min: 1, max: 13 }),
      levels: fc.constantFrom(0, 300),
    })
    fc.assert(
      fc.property(shapes, ({ keys, keyLength, width, open, hidden, levels }) => {
        const key = 'k'.repeat(keys * (open + hidden) > 60 ? 1 : keyLength)
        const schema = parts(
          { $ref: '#/$defs/open0' },
          { $ref: '#/$defs/hidden0' },
          {
            ...circle('open', open, keys, key),
            ...circle('hidden', hidden, keys, key),
            ...additions[name]?.(width),
          },
        )
        expect(problemOfPartedSchema(schema)).toBeUndefined()
        const paths = declaredSecretPaths(meteredSchema(schema, maxReads), nested(levels, `${key}0`))
        expect(paths.join().length).toBeLessThan(maxReads)
      }),
      { numRuns: casesOf(50) },
    )
  })

  test.each<[rule: string, schema: FreeForm]>([
    [
      'with many references to nothing',
      parts(
        { $ref: '#/$defs/open0' },
        { $ref: '#/$defs/hidden0' },
        {
          ...circle('open', 1, 10, 'k'),
          ...circle('hidden', 1, 10, 'k'),
          ...additions['references']?.(500),
        },
      ),
    ],
    [
      'of which many refer to many by a dynamic reference',
      parts(
        { $ref: '#/$defs/open0' },
        {
          $id: 's',
          $dynamicAnchor: 'a',
          $dynamicRef: '#a',
          properties: byKey(10, 'k', () => ({ $ref: '#' })),
        },
        {
          ...circle('open', 1, 10, 'k'),
          more: {},
          ...byKey(400, 'd', (i) => ({ $id: `d${i}`, $dynamicAnchor: 'a', $dynamicRef: '#a' })),
        },
      ),
    ],
  ])('%s', (_, schema) => {
    expect(problemOfPartedSchema(schema)).toBeUndefined()
    const outputs = { values: { k0: 'x', other: 'y' }, secrets: {} }
    const { values } = separateSecrets(outputs, meteredSchema(schema, maxReads))
    expect(values).toHaveProperty('other')
  })
})

/** A schema that throws when it is read too often. To read a value, to list keys and to look for a key count as one each. */
function meteredSchema(schema: FreeForm, most: number): FreeForm {
  let reads = 0
  const known = new WeakMap<object, unknown>()
  const count = () => {
    reads += 1
    if (reads > most) throw new Error(`the schema is read more than ${most} times`)
  }
  const metered = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const proxy = known.get(value) ?? new Proxy(value, handler)
    known.set(value, proxy)
    return proxy
  }
  const handler: ProxyHandler<object> = {
    get(target, key) {
      count()
      return metered(Reflect.get(target, key))
    },
    ownKeys(target) {
      count()
      return Reflect.ownKeys(target)
    },
    getOwnPropertyDescriptor(target, key) {
      count()
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  }
  return metered(schema) as FreeForm // of the same form
}

test('a schema of many long names without references is read exactly', () => {
  const named = (text: string) => text.padEnd(40, '_')
  const of = (count: number, name: string, each: () => FreeForm) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [named(`${name}${i}`), each()]))
  const outputs = (more: FreeForm) => ({
    properties: of(40, 'output', () => ({ properties: { ...of(22, 'field', () => ({})), ...more } })),
  })
  const paths = declaredSecretPaths(parts(outputs({}), outputs({ password: {} }), {}))
  expect(paths).toHaveLength(40)
  expect(paths.every((path) => path.endsWith('/password'))).toBe(true)
})

test('a schema that is refused for its size is not read', () => {
  const schema = parts(
    { properties: { a: {} } },
    { properties: { b: {} } },
    { ['x'.repeat(100_000)]: { anyOf: Array.from({ length: 2100 }, () => ({})) } },
  )
  expect(problemOfPartedSchema(schema)).toMatch('parts')
  expect(declaredSecretPaths(meteredSchema(schema, 20_000), { a: 'x' })).toEqual(['/b'])
})

test('names that take long to compare with patterns are secret', () => {
  const long = (letter: string) => letter.repeat(300_000)
  const values = Object.fromEntries(['a', 'b', 'c'].map((letter) => [long(letter), 1]))
  const pattern = '[abc]*a[abc]{200}[de]'
  const schema = { properties: { values: {}, secrets: { patternProperties: { [pattern]: {} } } } }
  expect(declaredSecretPaths(schema, { ...values, host: 'h' })).toContain(`/${long('c')}`)
  const plain = { properties: { values: { patternProperties: { [pattern]: {} } }, secrets: login } }
  expect(declaredSecretPaths(plain, { ...values, password: 'p' })).toEqual(['/password'])
  const both = { properties: { values: { properties: { host: {} } }, secrets: schema.properties.secrets } }
  const mixed = Array.from({ length: 5000 }, (_, i) => ((i * i * 7919) % 10_007 < 5000 ? 'a' : 'b')).join('')
  expect(declaredSecretPaths(both, { [mixed]: 1, host: 'h' })).toContain('/host')
})

test('many names and many patterns are compared up to the limit, and are secret beyond it', () => {
  const many = (count: number, name: (i: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), {}]))
  const values = { ...many(50_000, (i) => `n${i}`), host: { a: 1 } }
  const open = { properties: { host: {} } }
  const schema = { properties: { values: open, secrets: { patternProperties: many(1900, (i) => `^x${i}`) } } }
  expect(declaredSecretPaths(schema, values)).toHaveLength(50_001)
})
