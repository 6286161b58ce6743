import { describe, expect, test } from '@jest/globals'
import { createValidators } from '../../../api-gateway/request/validate.ts'
import { fromWire, toWire, wireSchema, withoutBlanks } from '../../../api-gateway/request/wire.ts'
import { nullable } from '../../../api-gateway/response/shapes.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { criterionSchema, provisionSchema } from '../../../operator/api/resource-definition.ts'
import { anyValue, freeForm, list, map, object, oneOf, string } from '../../../operator/api/schema.ts'
import { fc } from '../../support/properties.ts'

const schema = object(
  { firstName: string('A name.') },
  {
    byKey: map(object({}, { innerName: string('A name.') }, 'An object.'), 'A map.'),
    freeForm: freeForm("The user's."),
    anyThing: anyValue('Anything.'),
    theList: list(object({}, { innerName: string('A name.') }, 'An object.'), 'A list.'),
  },
  'An object.',
)
const ours = {
  firstName: 'a',
  byKey: { camelKey: { innerName: 'b' }, snake_key: {} },
  freeForm: { camelKey: { snake_key: [{ camelKey: null }] } },
  anyThing: null,
  theList: [{ innerName: 'c' }],
}
const wired = {
  first_name: 'a',
  by_key: { camelKey: { inner_name: 'b' }, snake_key: {} },
  free_form: { camelKey: { snake_key: [{ camelKey: null }] } },
  any_thing: null,
  the_list: [{ inner_name: 'c' }],
}

describe('names', () => {
  test('of declared fields are renamed, keys of users are not', () => {
    expect(toWire(schema, ours)).toEqual(wired)
    expect(fromWire(schema, wired)).toEqual(ours)
  })

  test('that are not declared are left out', () => {
    expect(fromWire(schema, { first_name: 'a', firstName: 'b', more: 1 })).toEqual({ firstName: 'a' })
  })

  test('absent stays absent', () => {
    expect(toWire(schema, { firstName: 'a' })).toEqual({ first_name: 'a' })
  })

  test.each(kinds.map((kind) => [kind.kind, kind] as const))(
    'of kind %s are different on the wire too',
    (_, { spec }) => {
      const visit = (part: unknown): void => {
        if (typeof part !== 'object' || part === null) return
        const { properties = {} } = part as { properties?: object } // a schema
        const { properties: renamed = {} } = wireSchema(part as typeof spec) as { properties?: object } // as above
        expect(Object.keys(renamed)).toHaveLength(Object.keys(properties).length)
        Object.values(part).forEach(visit)
      }
      visit(spec)
    },
  )

  test('values of users are returned unchanged', () => {
    const key = fc.string().filter((text) => text !== '__proto__')
    const free = fc.dictionary(
      key,
      fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'x'))),
    )
    fc.assert(
      fc.property(fc.dictionary(key, fc.record({ params: free })), (provision) => {
        expect(toWire(provisionSchema, fromWire(provisionSchema, provision))).toEqual(provision)
      }),
    )
  })
})

describe('null', () => {
  const wire = wireSchema(schema)
  test.each([
    [
      'for an optional field is dropped',
      { first_name: 'a', by_key: null, the_list: null },
      { first_name: 'a' },
    ],
    ['for a required field stays, to be refused', { first_name: null }, { first_name: null }],
    [
      'stays where any value is allowed',
      { first_name: 'a', any_thing: null },
      { first_name: 'a', any_thing: null },
    ],
    [
      'stays within free-form data of users',
      { first_name: 'a', free_form: { x: null } },
      { first_name: 'a', free_form: { x: null } },
    ],
    [
      'in a list of objects is dropped',
      { first_name: 'a', the_list: [{ inner_name: null }] },
      { first_name: 'a', the_list: [{}] },
    ],
    ['in place of a whole stays', null, null],
  ])('%s', (_, value, expected) => {
    expect(withoutBlanks(wire, value)).toEqual(expected)
  })
})

describe('empty text', () => {
  const parts = object(
    { needed: string('Id.', { pattern: '^[a-z]+$' }) },
    {
      an_id: string('Id.', { pattern: '^[a-z]+$' }),
      maybe: nullable(string('Id.', { pattern: '^[a-z]+$' })),
      word: oneOf(['a', 'b'], 'Word.'),
      any_text: string('Text.'),
      some_text: string('Text.', { minLength: 1 }),
      loose: string('Id or nothing.', { pattern: '^[a-z]*$' }),
    },
    'Parts.',
  )
  test.each([
    ['for an optional id is dropped', { an_id: '', maybe: '' }, {}],
    ['for an optional word of a closed list is dropped', { word: '' }, {}],
    ['for a required id stays, to be refused', { needed: '' }, { needed: '' }],
    ['for text of any form stays', { any_text: '', some_text: '' }, { any_text: '', some_text: '' }],
    ['where the pattern knows it stays', { loose: '' }, { loose: '' }],
  ])('%s', (_, value, expected) => {
    expect(withoutBlanks(parts, value)).toEqual(expected)
  })
})

describe('validation', () => {
  test('keeps two patterns apart', () => {
    const { test: fits } = createValidators()
    const [letters, digits] = [
      fits(string('Letters.', { pattern: '^[a-z]+$' })),
      fits(string('Digits.', { pattern: '^[0-9]+$' })),
    ]
    expect([letters('a'), letters('1'), digits('a'), digits('1')]).toEqual([true, false, false, true])
  })

  test('of a hostile text against a hostile pattern ends', () => {
    const fits = createValidators().test(string('Text.', { pattern: '^(a+)+$', maxLength: 100_000 }))
    expect(fits(`${'a'.repeat(50_000)}!`)).toBe(false)
  })

  test('never quotes a value', () => {
    const { body } = createValidators()
    const check = body(wireSchema(criterionSchema))
    for (const value of ['canary', ['canary'], { class: { canary: 1 } }, { class: 'canary'.repeat(100) }]) {
      expect(() => check(value)).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('canary') }),
      )
    }
  })
})
