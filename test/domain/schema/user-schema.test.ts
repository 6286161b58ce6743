import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { linearRegExp } from '../../../operator/domain/base/linear-regexp.ts'
import { partsOf } from '../../../operator/domain/schema/parted-schema.ts'
import {
  problemOfPartedSchema,
  problemOfSchema,
  schemaProblems,
} from '../../../operator/domain/schema/user-schema.ts'
import { fc } from '../../support/properties.ts'

const text = { type: 'string' }
const placeholder = '${resources.db.outputs.host}'

function withField(schema: unknown): FreeForm {
  return { type: 'object', properties: { field: schema } }
}

function nested(depth: number): FreeForm {
  return depth <= 1 ? { type: 'object' } : { type: 'object', not: nested(depth - 1) }
}

function pointersOf(schema: FreeForm, value: unknown, lenient = false): string[] {
  return schemaProblems(schema, value, { lenient }).map(({ pointer }) => pointer)
}

describe('a schema of a user can be used', () => {
  test.each<[string, FreeForm]>([
    ['that says nothing', {}],
    ['without a type', { properties: { a: text } }],
    ['of an object or null', { type: ['object', 'null'] }],
    ['of draft 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [text] }],
    ['of draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', ...withField({ items: [text] }) }],
    ['with hints for the portal', { ...withField({ ...text, uiHints: { order: 1 } }), uiGroups: { a: {} } }],
    ['with an $id', { $id: 'https://acme.example/s3', ...withField(text) }],
    ['with the id of the dialect', { $id: 'http://json-schema.org/draft-07/schema', type: 'object' }],
    ['with a reference within', { ...withField({ $ref: '#/$defs/a' }), $defs: { a: text } }],
    ['with a reference by a name', { ...withField({ $ref: '#x' }), $defs: { a: { $anchor: 'x' } } }],
    [
      'with one of draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        ...withField({ $ref: '#x' }),
        definitions: { a: { $id: '#x' } },
      },
    ],
    ['with a dynamic reference', { $dynamicAnchor: 'x', ...withField({ $dynamicRef: '#x' }) }],
    [
      'with a reference that is escaped',
      { ...withField({ $ref: '#/$defs/a~1b%20c' }), $defs: { 'a/b c': text } },
    ],
    [
      'with a reference from an $id',
      { $defs: { a: { $id: 'x', $defs: { b: text }, items: { $ref: '#/$defs/b' } } } },
    ],
    [
      'with a property named like a keyword that is referred to',
      { properties: { default: text, a: { $ref: '#/properties/default' } } },
    ],
    ['with a property named like a keyword', { properties: { pattern: text, $ref: text, default: text } }],
    ['with data that resembles a schema', withField({ default: { $ref: 'http://x.example', pattern: '(' } })],
    ['with an unknown format', withField({ ...text, format: 'bucket' })],
    ['with an unknown keyword', withField({ ...text, 'x-secret': true })],
    ['with a pattern that JavaScript escapes', withField({ pattern: '^[\\u0061-z]\\-(?<rest>.*)$' })],
    ['as deep as is allowed', nested(64)],
    ['with many parts below a name', { $defs: { ['x'.repeat(200)]: { anyOf: Array(1500).fill(true) } } }],
  ])('%s', (_, schema) => {
    expect(problemOfSchema(schema)).toBeUndefined()
  })
})

describe('a schema of a user cannot be used', () => {
  test.each<[string, unknown]>([
    ['that is a list', []],
    ['that is true', true],
    ['of a text', text],
    ['of a text or null', { type: ['string', 'null'] }],
    ['whose dialect is no text', { $schema: 7 }],
    ['that is too large', withField({ description: 'x'.repeat(256 * 1024) })],
    ['that is too deep', nested(65)],
    [
      'with many parts below a long name',
      { $defs: { ['x'.repeat(100_000)]: { anyOf: Array(100).fill(true) } } },
    ],
    ['of an unknown dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    [
      'with a reference to another document',
      withField({ $ref: 'https://json-schema.org/draft/2020-12/schema' }),
    ],
    ['with one to a file', { $defs: { a: { $ref: 'other.json#/a' } } }],
    ['with one within a list', { allOf: [{ $ref: 'other.json' }] }],
    ['with one into data', withField({ default: { pattern: 'a' }, $ref: '#/properties/field/default' })],
    ['with one by a name into data', withField({ uiHints: { a: { $anchor: 'x' } }, $ref: '#x' })],
    ['with one from an $id', { $defs: { a: { $id: 'x', default: {}, items: { $ref: '#/default' } } } }],
    ['with a reference to nothing', withField({ $ref: '#/$defs/none' })],
    ['with an invalid pattern', withField({ pattern: '(' })],
    ['with a pattern that has a lookahead', withField({ pattern: '^(?=a)' })],
    ['with a pattern that refers back', withField({ pattern: '(a)\\1' })],
    ['with such a key', { patternProperties: { '(?!a)': {} } }],
    ['with a pattern that is too long', withField({ pattern: 'a'.repeat(1025) })],
    ['with a keyword of the wrong type', withField({ minLength: '3' })],
    ['with an unknown type', withField({ type: 'bucket' })],
  ])('%s', (_, schema) => {
    expect(problemOfSchema(schema as FreeForm)).toEqual(expect.any(String)) // values that kubectl or REST may send
    expect(schemaProblems(schema as FreeForm, {})).toHaveLength(1)
  })
})

// Each class takes up to a second to compile.
test('many classes of many letters are refused', () => {
  const classOf = (part: string) => (i: number) => [
    `p${i}`,
    { pattern: `(?i)[${part.repeat(950 / part.length)}${i}]` },
  ]
  for (const part of ['!-\uffff', '\\x{21}-\\uffff', '\\pL']) {
    const properties = Object.fromEntries(Array.from({ length: 50 }, (_, i) => classOf(part)(i)))
    expect(problemOfSchema({ properties })).toMatch(/of about \d+ steps in all|steps long/)
  }
})

test('a long pattern is refused before it is read', () => {
  // Its parts can be read from each of its brackets: it took minutes.
  const long = '[[:a'.repeat(20_000)
  const begin = performance.now()
  expect(problemOfSchema(withField({ pattern: long }))).toMatch(/is longer than 1024 characters/)
  expect(schemaProblems(withField({ format: 'regex' }), { field: long })).toHaveLength(1)
  expect(performance.now() - begin).toBeLessThan(2000)
})

describe('the full vocabulary is checked', () => {
  const port = { type: 'integer', minimum: 1, maximum: 65535 }
  test.each<[string, unknown, unknown, unknown]>([
    ['type', text, 'a', 1],
    ['enum', { enum: ['a', 'b'] }, 'a', 'c'],
    ['const', { const: 1 }, 1, 2],
    ['minLength', { minLength: 3 }, 'abc', 'ab'],
    ['maxLength', { maxLength: 3 }, 'abc', 'abcd'],
    ['pattern', { pattern: '^[a-z]+$' }, 'abc', 'a1'],
    ['format', { format: 'ipv4' }, '10.0.0.1', '10.0.0'],
    ['format, of a URL', { format: 'url' }, 'https://example.test/a', 'example.test/a'],
    ['format, of a pattern', { format: 'regex' }, '^a+$', '^a+('],
    ['minimum', { minimum: 3 }, 3, 2],
    ['maximum', { maximum: 3 }, 3, 4],
    ['exclusiveMinimum', { exclusiveMinimum: 3 }, 4, 3],
    ['multipleOf', { multipleOf: 2 }, 4, 3],
    ['multipleOf, of a fraction', { multipleOf: 0.1 }, 0.3, 0.35],
    ['multipleOf, of a small fraction', { multipleOf: 0.01 }, 19.99, 19.995],
    ['multipleOf, of the smallest fraction', { multipleOf: 1e-9 }, 1.000000003, 1.0000000035],
    ['multipleOf, of a fraction in a large number', { multipleOf: 0.01 }, 123456789.01, 123456789.015],
    ['multipleOf, of a large number', { multipleOf: 1_073_741_824 }, 3_221_225_472, 7],
    ['multipleOf, almost of a whole number', { multipleOf: 1 }, -3, 3.000000001],
    ['multipleOf, of numbers without all their digits', { multipleOf: 1e22 }, 1e23, 1.5e22],
    ['multipleOf, of a number of bytes', { multipleOf: 1024 }, 2 ** 60, 2 ** 60 + 512],
    ['required', { required: ['a'] }, { a: 1 }, { b: 1 }],
    ['required, of an inherited name', { required: ['toString'] }, { toString: 1 }, {}],
    ['additionalProperties', { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
    ['patternProperties', { patternProperties: { '^a': false } }, { b: 1 }, { ab: 1 }],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
    ['minItems', { minItems: 1 }, [1], []],
    ['uniqueItems', { uniqueItems: true }, [1, 2], [1, 1]],
    ['anyOf', { anyOf: [text, port] }, 80, true],
    ['oneOf', { oneOf: [{ minimum: 1 }, { minimum: 5 }] }, 2, 6],
    ['not', { not: text }, 1, 'a'],
    ['if', { if: port, else: { minLength: 2 } }, 1, 'a'],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }],
    [
      'unevaluatedProperties',
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { a: 1 },
      { b: 1 },
    ],
  ])('%s', (_, schema, fits, doesNot) => {
    expect(schemaProblems(withField(schema), { field: fits })).toEqual([])
    const pointers = pointersOf(withField(schema), { field: doesNot })
    expect(pointers).not.toEqual([])
    expect(pointers.every((pointer) => /^\/field(\/|$)/.test(pointer))).toBe(true)
  })

  test('in nested objects, every fault at its place', () => {
    const schema = withField(withField({ properties: { 'a/b': port }, required: ['c'] }))
    expect(pointersOf(schema, { field: { field: { 'a/b': 0 } } })).toEqual(
      expect.arrayContaining(['/field/field', '/field/field/a~1b']),
    )
  })

  test('through references, those with an id of the root included', () => {
    const schema = { $id: 'https://acme.example/x', ...withField({ $ref: '#/$defs/port' }), $defs: { port } }
    expect(pointersOf(schema, { field: 0 })).toEqual(['/field'])
    expect(pointersOf({ ...schema }, { field: 80 })).toEqual([])
  })

  test('by the rules of its dialect', () => {
    const field = { type: 'array', items: [text] }
    const older = { $schema: 'http://json-schema.org/draft-07/schema#', ...withField(field) }
    expect(pointersOf(older, { field: [1] })).toEqual(['/field/0'])
    expect(pointersOf(withField({ prefixItems: [text] }), { field: [1] })).toEqual(['/field/0'])
  })

  test('even if the schema would be asynchronous', () => {
    expect(pointersOf({ $async: true, required: ['a'] }, {})).toEqual([''])
  })

  test('a schema that refers to itself without end fits nothing', () => {
    expect(pointersOf({ $ref: '#' }, {})).toEqual([''])
  })

  test('a schema that refers to twice as much each time fits nothing, soon', () => {
    const twice = (next: string) => ({ allOf: [{ $ref: next }, { $ref: next }] })
    const levels = Array.from({ length: 60 }, (_, i) => [`a${i}`, twice(`#/$defs/a${i + 1}`)])
    const $defs = Object.fromEntries([...levels, ['a60', text]])
    expect(pointersOf({ $ref: '#/$defs/a0', $defs }, {})).toEqual([''])
  })

  test('data that resembles a reference is data', () => {
    const schema = withField({ const: { $ref: 'x' } })
    expect(pointersOf(schema, { field: { $ref: 'x' } })).toEqual([])
  })

  test('a schema that refers to itself further down fits trees', () => {
    const tree = { type: 'object', additionalProperties: { $ref: '#' } }
    expect(pointersOf(tree, { a: { b: {} } })).toEqual([])
    expect(pointersOf(tree, { a: { b: 1 } })).toEqual(['/a/b'])
  })

  test('a pattern takes linear time', () => {
    const schema = withField({ pattern: '^(a+)+$' })
    expect(pointersOf(schema, { field: `${'a'.repeat(50_000)}!` })).toEqual(['/field'])
  })

  test('a fault of a name is one problem, at the value of that name', () => {
    const schema = { propertyNames: { minLength: 2 } }
    expect(schemaProblems(schema, { 'a/': 1, b: 2, cc: 3 })).toEqual([
      { pointer: '/b', message: 'has a name that must NOT have fewer than 2 characters', key: undefined },
    ])
  })

  test('at most a hundred faults are named', () => {
    expect(schemaProblems(withField({ items: text }), { field: Array(500).fill(1) })).toHaveLength(100)
  })
})

describe('a placeholder passes any schema', () => {
  const branches = [
    { properties: { mode: { const: 'a' } }, required: ['x'] },
    { properties: { mode: { const: 'b' } }, required: ['y'] },
  ]
  const refs = {
    anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
    $defs: { a: branches[0], b: branches[1] },
  }
  test.each<[string, unknown, unknown]>([
    ['of a number', { type: 'integer', minimum: 3 }, placeholder],
    ['of an object', { type: 'object' }, placeholder],
    ['within other text', { maxLength: 3 }, `https://${placeholder}/`],
    ['at a place further down', { properties: { a: { type: 'integer' } } }, { a: placeholder }],
    ['in a list', { items: { type: 'integer' } }, [1, placeholder]],
    ['twice in a list of different items', { uniqueItems: true }, [placeholder, placeholder]],
    ['in one of several alternatives', { enum: [{ a: 1 }] }, { a: placeholder }],
    ['that would choose a branch of anyOf', { anyOf: branches }, { mode: placeholder }],
    ['that would choose a branch of oneOf', { oneOf: branches }, { mode: placeholder, x: 1, y: 1 }],
    [
      'that would choose a branch of if',
      { if: branches[1], else: { required: ['z'] } },
      { mode: placeholder, x: 1 },
    ],
    ['that must not be', { not: { required: ['mode'] } }, { mode: placeholder }],
    ['that a list must contain', { contains: { type: 'integer' } }, [placeholder]],
  ])('%s', (_, schema, value) => {
    expect(pointersOf(withField(schema), { field: value }, true)).toEqual([])
  })

  test('inside a reference of a branch', () => {
    expect(pointersOf(refs, { mode: placeholder }, true)).toEqual([])
    expect(pointersOf(refs, { mode: 'a' }, true)).not.toEqual([])
  })

  test.each<[string, unknown, unknown, string[]]>([
    ['a missing field stays missing', { required: ['b'] }, { a: placeholder }, ['/field']],
    [
      'its neighbours do not pass',
      { additionalProperties: { type: 'integer' } },
      { a: placeholder, b: 'x' },
      ['/field/b'],
    ],
    [
      'a value next to a branch is checked',
      { required: ['z'], anyOf: branches },
      { mode: placeholder },
      ['/field'],
    ],
    ['escaped text is no placeholder', { maxLength: 3 }, '$\\{resources.a.outputs.b}', ['/field']],
  ])('but %s', (_, schema, value, expected) => {
    expect(pointersOf(withField(schema), { field: value }, true)).toEqual(expected)
  })

  test('only where leniency was asked for', () => {
    expect(pointersOf(withField({ type: 'integer' }), { field: placeholder })).toEqual(['/field'])
  })
})

describe('a schema of outputs has parts', () => {
  const values = { type: 'object', properties: { port: { $ref: '#/$defs/port' } } }
  const secrets = { type: 'object', required: ['password'] }
  const $defs = { port: { type: 'integer' } }
  test.each<[string, FreeForm]>([
    ['with the outer properties', { type: 'object', properties: { values, secrets }, $defs }],
    ['without them', { values, secrets, $defs }],
    [
      'of draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', properties: { values, secrets }, $defs },
    ],
  ])('%s', (_, schema) => {
    const parts = partsOf(schema)
    expect(problemOfPartedSchema(schema)).toBeUndefined()
    expect(pointersOf(parts.values ?? {}, { port: 'x' })).toEqual(['/port'])
    expect(pointersOf(parts.secrets ?? {}, {})).toEqual([''])
    expect(partsOf(schema)).toBe(parts)
  })

  test.each<[string, FreeForm, object]>([
    ['neither', {}, { values: undefined, secrets: undefined }],
    ['values alone', { properties: { values: text } }, { values: text, secrets: undefined }],
    ['no secrets at all', { properties: { secrets: false } }, { values: undefined, secrets: { not: {} } }],
  ])('%s', (_, schema, expected) => {
    expect(partsOf(schema)).toEqual(expected)
  })

  test.each<[string, FreeForm]>([
    ['whose values are no object', { properties: { values: text } }],
    ['with secrets that have a pattern with a lookahead', { secrets: withField({ pattern: '(?=a)' }) }],
    ['with a part that has a dangling reference', { values: withField({ $ref: '#/$defs/none' }) }],
  ])('%s cannot be used', (_, schema) => {
    expect(problemOfPartedSchema(schema)).toEqual(expect.any(String))
  })
})

const anySchema = fc.object({
  key: fc.constantFrom(
    'type',
    'properties',
    'items',
    '$ref',
    'anyOf',
    'enum',
    'pattern',
    '$defs',
    'required',
    'a',
  ),
  values: [
    fc.constantFrom('object', 'string', '#', '#/$defs/a', '#/toString', '(', 'a+'),
    fc.integer(),
    fc.boolean(),
  ],
})

test('for every schema and value, the result is the same each time', () => {
  fc.assert(
    fc.property(anySchema, fc.jsonValue(), fc.boolean(), (schema, value, lenient) => {
      const faults = schemaProblems(schema as FreeForm, value, { lenient }) // fc makes an object
      expect(schemaProblems(structuredClone(schema) as FreeForm, value, { lenient })).toEqual(faults)
    }),
  )
})

test('no message holds the value', () => {
  const schemas = [
    { type: 'integer' },
    { enum: ['a'] },
    { pattern: '^b$' },
    { format: 'ipv4' },
    { const: 'c' },
    { not: {} },
    { maxLength: 1 },
    { oneOf: [{ type: 'integer' }, { maxLength: 0 }] },
  ]
  fc.assert(
    fc.property(fc.constantFrom(...schemas), fc.uuid(), (schema, secret) => {
      const faults = schemaProblems(withField(schema), { field: secret })
      expect(faults).not.toEqual([])
      expect(JSON.stringify(faults)).not.toContain(secret)
    }),
  )
})

test('two patterns are two patterns', () => {
  expect(linearRegExp('a').toString()).toBe('a')
  const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } }
  expect(pointersOf(schema, { a: 'a', b: 'a' })).toEqual(['/b'])
})
