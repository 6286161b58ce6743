import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { type Field, formOf } from '../../../../portal/forms/model/form.ts'
import { readAt, writeAt } from '../../../../portal/forms/model/pointer.ts'
import { parseText, textOf } from '../../../../portal/forms/model/text.ts'

function fieldOf(schema: FreeForm): Field {
  const [field] = formOf({ properties: { a: schema } }).sections[0]?.rows[0]?.fields ?? []
  if (!field) throw new Error('no field')
  return field
}

describe('writing a field', () => {
  test.each<[string, unknown, string, unknown, unknown]>([
    ['replaces its value', { a: 1 }, '/a', 2, { a: 2 }],
    ['keeps the order of members', { a: 1, b: 2 }, '/a', 3, { a: 3, b: 2 }],
    ['makes the objects on its path', undefined, '/values/a/b', 1, { values: { a: { b: 1 } } }],
    ['replaces what is not an object', { a: 'text' }, '/a/b', 1, { a: { b: 1 } }],
    ['removes the value', { a: 1, b: 2 }, '/a', undefined, { b: 2 }],
    [
      'removes objects that are empty without it',
      { values: { a: { b: 1 } }, c: 1 },
      '/values/a/b',
      undefined,
      { c: 1 },
    ],
    ['keeps the object itself', { a: 1 }, '/a', undefined, {}],
    ['replaces an item', { a: [1, 2] }, '/a/1', 3, { a: [1, 3] }],
    ['adds an item', { a: [1] }, '/a/1', 2, { a: [1, 2] }],
    ['removes an item', { a: [1, 2] }, '/a/0', undefined, { a: [2] }],
    ['keeps an item that is empty without it', { a: [{ b: 1 }] }, '/a/0/b', undefined, { a: [{}] }],
    ['adds no empty item', { a: [] }, '/a/0/b', undefined, { a: [] }],
    ['replaces a list by an object for what is no index', { a: [1] }, '/a/b', 2, { a: { b: 2 } }],
    ['unescapes the pointer', {}, '/a~1b~0c', 1, { 'a/b~c': 1 }],
    ['replaces everything', { a: 1 }, '', { b: 2 }, { b: 2 }],
  ])('%s', (_, before, pointer, value, after) => {
    const written = writeAt(before, pointer, value)
    expect(written).toEqual(after)
    expect(Object.keys(written as object)).toEqual(Object.keys(after as object))
  })

  test('a member named __proto__ is a member', () => {
    const written = writeAt({}, '/__proto__/polluted', true)
    expect(readAt(written, '/__proto__/polluted')).toBe(true)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('does not change the value before', () => {
    const before = { a: { b: 1 } }
    writeAt(before, '/a/b', 2)
    expect(before).toEqual({ a: { b: 1 } })
  })
})

test.each<[string, unknown, string]>([
  ['inherited members', {}, '/constructor'],
  ['members of texts', 'text', '/length'],
  ['members of lists', [1], '/length'],
  ['nothing', undefined, '/a/b'],
])('reading finds no %s', (_, root, pointer) => {
  expect(readAt(root, pointer)).toBeUndefined()
})

describe('the text of a field means a value', () => {
  const integer = { type: 'integer' }
  const number = { type: 'number' }
  test.each<[string, FreeForm, string, unknown]>([
    ['a text', { type: 'string' }, ' a ', ' a '],
    ['a text that is a number', { type: 'string' }, '8080', '8080'],
    ['no text', { type: 'string' }, '', undefined],
    ['an integer', integer, ' 8080 ', 8080],
    ['a negative integer', integer, '-1', -1],
    ['an integer with an exponent', integer, '1e3', 1000],
    ['a number', number, '0.5', 0.5],
    ['no number', number, ' ', undefined],
    ['a placeholder for a number', number, '${resources.db.outputs.port}', '${resources.db.outputs.port}'],
    ['a placeholder for a list', { type: 'array' }, '${values.LIST}', '${values.LIST}'],
    ['a list', { type: 'array' }, '[1, "a"]', [1, 'a']],
    ['an object', { type: 'object' }, '{"a": null}', { a: null }],
    ['free text that is JSON', {}, '8080', 8080],
    ['free text that is not JSON', {}, 'http', 'http'],
    ['free text in quotes', {}, '"8080"', '8080'],
    ['a choice by its label', { enum: ['1', 2] }, '1', '1'],
    ['another choice by its label', { enum: ['1', 2] }, '2', 2],
  ])('%s', (_, schema, text, value) => {
    expect(parseText(fieldOf(schema), text)).toEqual({ value })
  })

  test.each<[string, FreeForm, string]>([
    ['a word for a number', number, 'many'],
    ['a fraction for an integer', integer, '0.5'],
    ['an integer that would be stored as another', integer, '9007199254740993'],
    ['a number that would be stored as infinite', number, '1e999'],
    ['an incomplete object', {}, '{"a":'],
    ['a word for an object', { type: 'object' }, 'word'],
    ['a word for an array', { type: 'array' }, 'word'],
  ])('%s is a problem', (_, schema, text) => {
    expect(parseText(fieldOf(schema), text)).toEqual({ problem: expect.any(String) })
  })
})

test.each<[string, FreeForm, unknown, string]>([
  ['no value', {}, undefined, ''],
  ['a text', { type: 'string' }, 'a', 'a'],
  ['a number in a field for texts', { type: 'string' }, 1, '1'],
  ['a placeholder in a field for numbers', { type: 'integer' }, '${a}', '${a}'],
  ['a word in a field for anything', {}, 'word', 'word'],
  ['a text like a number in a field for anything', {}, '1', '"1"'],
  ['an empty object', {}, {}, '{}'],
  ['an object', {}, { a: 1 }, '{\n  "a": 1\n}'],
])('the text of %s', (_, schema, value, text) => {
  expect(textOf(fieldOf(schema), value)).toBe(text)
})
