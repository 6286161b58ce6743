import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { placeProblems, problemsOf } from '../../../../portal/forms/model/check.ts'
import { formOf } from '../../../../portal/forms/model/form.ts'

const text = { type: 'string' }
const schema = {
  properties: {
    values: {
      required: ['host', 'size'],
      properties: {
        host: { ...text, minLength: 2, maxLength: 4 },
        port: { type: 'integer', minimum: 1, exclusiveMaximum: 10 },
        size: { enum: ['s', 'm'] },
        note: { type: ['string', 'null'] },
        tls: { type: 'object', required: ['cert'], properties: { cert: text } },
        names: { type: 'array', maxItems: 2, items: text },
        labels: { type: 'object', additionalProperties: text },
        free: {},
      },
    },
    secrets: { required: ['key'], properties: { key: text } },
  },
}
const form = formOf(schema, 'parts')
const valid = { values: { host: 'db', size: 's' }, secrets: { key: 'x' } }

function withValues(values: FreeForm): FreeForm {
  return { ...valid, values: { ...valid.values, ...values } }
}

describe('the form sees a problem of', () => {
  test.each<[string, unknown, string[]]>([
    ['nothing in a valid value', valid, []],
    ['missing values', undefined, ['/values/host', '/values/size', '/secrets/key']],
    ['a value of another type', withValues({ host: 1 }), ['/values/host']],
    ['a text that is too short', withValues({ host: 'a' }), ['/values/host']],
    ['a text that is too long', withValues({ host: 'abcde' }), ['/values/host']],
    ['no text of two characters in four code units', withValues({ host: '🙂🙂' }), []],
    ['a number that is too small', withValues({ port: 0 }), ['/values/port']],
    ['a number at its exclusive limit', withValues({ port: 10 }), ['/values/port']],
    ['a fraction', withValues({ port: 1.5 }), ['/values/port']],
    ['no placeholder', withValues({ port: '${values.PORT}', size: '${values.SIZE}' }), []],
    ['a value that cannot be chosen', withValues({ size: 'l' }), ['/values/size']],
    ['no null that is allowed', withValues({ note: null }), []],
    ['an empty object without what it requires', withValues({ tls: {} }), ['/values/tls/cert']],
    ['items of another type', withValues({ names: ['a', 1] }), ['/values/names/1']],
    ['too many items', withValues({ names: ['a', 'b', 'c'] }), ['/values/names']],
    ['a text for a list', withValues({ names: 'a' }), ['/values/names']],
    ['values of another type in a map', withValues({ labels: { 'a/b': 1 } }), ['/values/labels/a~1b']],
  ])('%s', (_, value, pointers) => {
    expect(problemsOf(form, value).map(({ pointer }) => pointer)).toEqual(pointers)
  })

  test('no missing secret that is stored', () => {
    expect(problemsOf(form, { values: valid.values }, new Set(['/secrets/key']))).toEqual([])
  })
})

describe('a problem is shown at the field', () => {
  const value = withValues({ names: ['a'], free: { a: { b: 1 } }, labels: { x: 'y' } })
  test.each<[string, string, string, string]>([
    ['that it is about', '/values/host', 'is bad', '/values/host'],
    ['of an item', '/values/names/0', 'is bad', '/values/names/0'],
    ['of the list, if the item does not exist', '/values/names/7', 'is bad', '/values/names'],
    ['of a value in a map', '/values/labels/x', 'is bad', '/values/labels/x'],
    ['that contains the place', '/values/free/a/b', 'is bad', '/values/free'],
    ['that is missing', '/values', "must have required property 'host'", '/values/host'],
    ['that is missing in an object', '/values/tls', "must have required property 'cert'", '/values/tls/cert'],
  ])('%s', (_, pointer, message, field) => {
    const placed = placeProblems(form, value, [{ pointer, message }])
    expect([...placed.byPointer.keys()]).toEqual([field])
    expect(placed.others).toEqual([])
  })

  test('or above the form, if no field is about it', () => {
    const problems = [
      { pointer: '', message: 'is bad' },
      { pointer: '/values', message: 'is bad' },
      { pointer: '/elsewhere', message: 'is bad' },
    ]
    const placed = placeProblems(form, value, problems)
    expect(placed).toEqual({
      byPointer: new Map(),
      others: ['is bad', '/values: is bad', '/elsewhere: is bad'],
    })
  })

  test('with other problems of the same field', () => {
    const problems = ['is bad', 'is worse'].map((message) => ({ pointer: '/values/host', message }))
    expect(placeProblems(form, value, problems).byPointer.get('/values/host')).toBe('is bad; is worse')
  })
})
