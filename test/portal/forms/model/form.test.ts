import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { type Field, type Form, formOf } from '../../../../portal/forms/model/form.ts'
import type { Section } from '../../../../portal/forms/model/layout.ts'

const text = { type: 'string' }

/** The schema of outputs with these values. */
function outputs(values: FreeForm, rest: FreeForm = {}): FreeForm {
  return { type: 'object', properties: { values: { type: 'object', properties: values } }, ...rest }
}

function withHints(hints: FreeForm, rest: FreeForm = text): FreeForm {
  return { ...rest, uiHints: hints }
}

/** Names by section and row, such as `[['a'], ['b', 'c']]`, with the title of the section in front if it has one. */
function shapeOf({ sections }: Form): unknown[] {
  return sections.map(({ title, rows }: Section<Field>) => [
    ...(title === undefined ? [] : [title]),
    ...rows.map(({ fields }) => fields.map(({ name }) => name)),
  ])
}

function allFields(form: Form): Field[] {
  return form.sections.flatMap(({ rows }) => rows.flatMap(({ fields }) => fields))
}

function onlyField(schema: unknown): Field {
  const [field, ...more] = allFields(formOf(outputs({ field: schema }), 'parts'))
  if (!field || more.length > 0) throw new Error('not one field')
  return field
}

describe('the web portal shows a form field for each output', () => {
  test.each<[string, FreeForm, string[]]>([
    ['without hints in the order of the schema', outputs({ b: text, a: text }), ['/values/b', '/values/a']],
    [
      'values before secrets',
      { properties: { secrets: { properties: { key: text } }, values: { properties: { host: text } } } },
      ['/values/host', '/secrets/key'],
    ],
    [
      'without the outer properties',
      { values: { properties: { host: text } }, secrets: { properties: { key: text } } },
      ['/values/host', '/secrets/key'],
    ],
    [
      'also those that are only required',
      { properties: { values: { required: ['host'], properties: { port: text } } } },
      ['/values/port', '/values/host'],
    ],
    ['with a name that needs escapes', outputs({ 'a/b~c': text }), ['/values/a~1b~0c']],
    ['named like a member of every object', outputs({ constructor: text }), ['/values/constructor']],
    [
      'of a referenced schema',
      outputs({ a: { $ref: '#/$defs/host' } }, { $defs: { host: text } }),
      ['/values/a'],
    ],
    [
      'of all parts of a schema',
      { properties: { values: { allOf: [{ properties: { a: text } }], properties: { b: text } } } },
      ['/values/a', '/values/b'],
    ],
    ['none for a type without outputs', {}, []],
    ['none for a part that is not allowed', { properties: { values: false } }, []],
  ])('%s', (_, schema, pointers) => {
    expect(allFields(formOf(schema, 'parts')).map(({ pointer }) => pointer)).toEqual(pointers)
  })
})

describe('uiHints.order is the position in the form or in its group', () => {
  test.each<[string, FreeForm, unknown]>([
    ['lower first', outputs({ a: withHints({ order: 2 }), b: withHints({ order: 1 }) }), [[['b'], ['a']]]],
    [
      'negative and fractional orders count',
      outputs({ a: withHints({ order: 0.5 }), b: withHints({ order: -1 }), c: withHints({ order: 0 }) }),
      [[['b'], ['c'], ['a']]],
    ],
    ['without an order last', outputs({ a: text, b: withHints({ order: 9 }) }), [[['b'], ['a']]]],
    [
      'equal orders as in the schema',
      outputs({ b: withHints({ order: 1 }), a: withHints({ order: 1 }) }),
      [[['b'], ['a']]],
    ],
    [
      'an order that is not a number counts as absent',
      outputs({ a: withHints({ order: '1' }), b: withHints({ order: 1 }) }),
      [[['b'], ['a']]],
    ],
    [
      'in a row',
      outputs(
        { a: withHints({ order: 2, group: 'r' }), b: withHints({ order: 1, group: 'r' }) },
        { uiGroups: { r: { type: 'row' } } },
      ),
      [[['b', 'a']]],
    ],
  ])('%s', (_, schema, expected) => {
    expect(shapeOf(formOf(schema, 'parts'))).toEqual(expected)
  })
})

describe('uiHints.group is the name of the uiGroup', () => {
  const inGroup = (group: string) => withHints({ group })
  test.each<[string, FreeForm, unknown]>([
    [
      'a row has its fields beside each other',
      outputs({ host: inGroup('r'), port: inGroup('r'), name: text }, { uiGroups: { r: { type: 'row' } } }),
      [[['host', 'port'], ['name']]],
    ],
    [
      'a section is a collection of rows, with a title',
      outputs(
        { host: inGroup('r'), port: inGroup('r'), name: inGroup('s') },
        { uiGroups: { s: { type: 'section', title: 'Server' }, r: { type: 'row', section: 's' } } },
      ),
      [['Server', ['host', 'port'], ['name']]],
    ],
    [
      'uiGroups.<group>.order is the position of the group in the form',
      outputs(
        { a: inGroup('late'), b: withHints({ order: 2 }), c: inGroup('early') },
        {
          uiGroups: {
            late: { type: 'section', order: 3, title: 'Late' },
            early: { type: 'section', order: 1, title: 'Early' },
          },
        },
      ),
      [['Early', ['c']], [['b']], ['Late', ['a']]],
    ],
    [
      'rows are ordered within their section',
      outputs(
        { a: inGroup('r2'), b: inGroup('r1') },
        {
          uiGroups: {
            s: { type: 'section', title: 'S' },
            r1: { type: 'row', section: 's', order: 1 },
            r2: { type: 'row', section: 's', order: 2 },
          },
        },
      ),
      [['S', ['b'], ['a']]],
    ],
    [
      'values and secrets can share a group',
      {
        properties: {
          values: { properties: { host: inGroup('r') } },
          secrets: { properties: { key: inGroup('r') } },
        },
        uiGroups: { r: { type: 'row' } },
      },
      [[['host', 'key']]],
    ],
    ['a field of an unknown group has a row to itself', outputs({ a: inGroup('none') }), [[['a']]]],
    [
      'a row of an unknown section is outside of all sections',
      outputs({ a: inGroup('r') }, { uiGroups: { r: { type: 'row', section: 'none' } } }),
      [[['a']]],
    ],
    [
      'a row cannot be in a row',
      outputs({ a: inGroup('r') }, { uiGroups: { r: { type: 'row', section: 'r' } } }),
      [[['a']]],
    ],
    [
      'a group without fields is not shown',
      outputs({ a: text }, { uiGroups: { s: { type: 'section', title: 'Empty' } } }),
      [[['a']]],
    ],
    [
      'groups that are no objects are ignored',
      outputs({ a: inGroup('r'), b: inGroup('length') }, { uiGroups: ['r'] }),
      [[['a'], ['b']]],
    ],
    [
      'a group named like a member of every object is unknown',
      outputs({ a: inGroup('constructor') }, { uiGroups: {} }),
      [[['a']]],
    ],
  ])('%s', (_, schema, expected) => {
    expect(shapeOf(formOf(schema, 'parts'))).toEqual(expected)
  })
})

test.each<[unknown, number]>([
  [undefined, 1],
  [2, 2],
  [0.5, 0.5],
  [0, 1],
  [-1, 1],
  ['2', 1],
  [1e9, 100],
  [1e-9, 0.1],
])('uiHints.width %j is the relative width %j; the default is 1', (width, expected) => {
  expect(onlyField(withHints({ width })).hints.width).toBe(expected)
})

describe('title and description label the field', () => {
  test.each<[string, FreeForm, string, string | undefined]>([
    ['both', { title: 'Host', description: 'Name of the server.' }, 'Host', 'Name of the server.'],
    ['neither: the label is the name', {}, 'field', undefined],
    ['empty: the label is the name', { title: ' ', description: '' }, 'field', undefined],
    ['no texts: the label is the name', { title: 1, description: {} }, 'field', undefined],
  ])('%s', (_, schema, label, help) => {
    expect(onlyField(schema)).toMatchObject({ label })
    expect(onlyField(schema).help).toBe(help)
  })
})

test.each<[string, FreeForm]>([
  ['', {}],
  [' by a part of its schema', { allOf: [{ required: ['a'] }], required: [] }],
])('a required output is marked%s', (_, schema) => {
  const values = { required: ['a', 1], properties: { a: text, b: text }, ...schema }
  const fields = allFields(formOf({ properties: { values } }, 'parts'))
  expect(fields.map(({ isRequired }) => isRequired)).toEqual([true, false])
})

describe('a secret output is marked', () => {
  const credentials = { type: 'object', properties: { user: text, password: text } }
  test.each<[string, FreeForm, boolean[]]>([
    ['under secrets', { secrets: { properties: { key: text } } }, [true]],
    ['not under values', { values: { properties: { key: text } } }, [false]],
    ['that is write-only', { values: { properties: { key: { ...text, writeOnly: true } } } }, [true]],
    ['with the format password', { values: { properties: { key: { format: 'password' } } } }, [true]],
    ['with all in it', { secrets: { properties: { login: credentials } } }, [true, true, true]],
  ])('%s', (_, schema, expected) => {
    const found = allFields(formOf(schema, 'parts')).flatMap((field) => [
      field,
      ...(field.control.kind === 'object' ? allFields(field.control.form) : []),
    ])
    expect(found.map(({ isSecret }) => isSecret)).toEqual(expected)
  })

  test('in a form of credentials', () => {
    expect(allFields(formOf({ properties: { token: text } }, 'secrets'))[0]?.isSecret).toBe(true)
  })
})

describe('every JSON Schema type has a control', () => {
  const some = { properties: { a: text } }
  test.each<[string, unknown, string]>([
    ['string', text, 'text'],
    ['string or null', { type: ['string', 'null'] }, 'text'],
    ['number', { type: 'number' }, 'number'],
    ['integer', { type: 'integer' }, 'number'],
    ['boolean', { type: 'boolean' }, 'choice'],
    ['enum', { enum: ['a', 1, null] }, 'choice'],
    ['enum of a type', { ...text, enum: ['a'] }, 'choice'],
    ['const', { const: 1 }, 'choice'],
    ['constants with titles', { oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 'choice'],
    ['object with properties', { type: 'object', ...some }, 'object'],
    ['object by its properties', some, 'object'],
    ['object of texts', { type: 'object', additionalProperties: text }, 'map'],
    ['array of texts', { type: 'array', items: text }, 'list'],
    ['array of objects', { type: 'array', items: some }, 'list'],
    ['free text (JSON) for an array without items', { type: 'array' }, 'json'],
    ['free text (JSON) for a tuple', { type: 'array', items: [text] }, 'json'],
    ['free text (JSON) for an object without properties', { type: 'object' }, 'json'],
    ['free text (JSON) for a map of objects', { type: 'object', additionalProperties: some }, 'json'],
    ['free text (JSON) for several types', { type: ['string', 'integer'] }, 'json'],
    ['free text (JSON) for null', { type: 'null' }, 'json'],
    ['free text (JSON) for alternatives', { anyOf: [text, { type: 'integer' }] }, 'json'],
    ['free text (JSON) without a type', {}, 'json'],
    ['free text (JSON) for true', true, 'json'],
    ['free text (JSON) for false', false, 'json'],
    ['free text (JSON) for an empty enum', { enum: [] }, 'json'],
  ])('%s', (_, schema, kind) => {
    expect(onlyField(schema).control.kind).toBe(kind)
  })

  test.each<[string, FreeForm, [label: string, value: unknown][]]>([
    [
      'an enum',
      { enum: ['a', 1, null] },
      [
        ['a', 'a'],
        ['1', 1],
        ['null', null],
      ],
    ],
    [
      'a boolean',
      { type: 'boolean' },
      [
        ['true', true],
        ['false', false],
      ],
    ],
    [
      'constants with titles',
      { oneOf: [{ const: 1, title: 'One' }, { const: 2 }] },
      [
        ['One', 1],
        ['2', 2],
      ],
    ],
    [
      'constants of which any may fit',
      { anyOf: [{ const: 'a' }, { const: 'b', title: 'B' }] },
      [
        ['a', 'a'],
        ['B', 'b'],
      ],
    ],
  ])('%s has these choices', (_, schema, expected) => {
    const { control } = onlyField(schema)
    const choices = control.kind === 'choice' ? control.choices : []
    expect(choices.map(({ label, value }) => [label, value])).toEqual(expected)
  })
})

describe('nested objects', () => {
  test('have fields with labels, order and pointers', () => {
    const inner = { a: withHints({ order: 2 }), b: withHints({ order: 1 }, { ...text, title: 'B' }) }
    const { control } = onlyField({ type: 'object', required: ['a'], properties: inner })
    const fields = control.kind === 'object' ? allFields(control.form) : []
    expect(fields).toMatchObject([
      { pointer: '/values/field/b', label: 'B', isRequired: false },
      { pointer: '/values/field/a', label: 'a', isRequired: true },
    ])
  })

  test('that contain themselves end in free text (JSON)', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
    const schema = outputs({ first: { $ref: '#/$defs/node' } }, { $defs: { node } })
    const [first] = allFields(formOf(schema, 'parts'))
    const inner = first?.control.kind === 'object' ? allFields(first.control.form) : []
    expect(inner).toMatchObject([{ name: 'next', control: { kind: 'json' } }])
  })

  test('that multiply end in free text (JSON), but every output has its field', () => {
    const names = Array.from({ length: 100 }, (_, i) => `p${i}`)
    const levels = Array.from({ length: 6 }, (_, i) => [
      `d${i}`,
      { properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/d${i + 1}` }])) },
    ])
    const schema = { values: { $ref: '#/$defs/d0' }, $defs: Object.fromEntries(levels) }
    expect(allFields(formOf(schema, 'parts'))).toHaveLength(100)
  })

  test.each<[string, FreeForm, string | number, string]>([
    ['an item of a list', { type: 'array', items: { type: 'integer' } }, 2, '/values/field/2'],
    [
      'a value of a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      'a/b',
      '/values/field/a~1b',
    ],
  ])('%s is a field', (_, schema, key, pointer) => {
    const { control } = onlyField(schema)
    const member = control.kind === 'list' || control.kind === 'map' ? control.member(key) : undefined
    expect(member).toMatchObject({ pointer, control: { kind: 'number' } })
  })
})

describe('members that the schema does not name', () => {
  test.each<[string, FreeForm, boolean]>([
    ['are allowed by default', { properties: { values: { properties: { a: text } } } }, true],
    ['can be refused', { properties: { values: { additionalProperties: false } } }, false],
    ['are refused in a part that is not allowed', { properties: { values: false } }, false],
  ])('%s', (_, schema, isOpen) => {
    expect(formOf(schema, 'parts').others[0]).toMatchObject({ pointer: '/values', isSecret: false, isOpen })
  })

  test('are secret under secrets', () => {
    expect(formOf({}, 'parts').others[1]).toMatchObject({ pointer: '/secrets', isSecret: true, isOpen: true })
  })
})
