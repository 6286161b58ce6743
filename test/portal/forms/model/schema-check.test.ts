import { describe, expect, test } from '@jest/globals'
import { problemOfPartedSchema } from '../../../../operator/domain/schema/user-schema.ts'
import { formOf } from '../../../../portal/forms/model/form.ts'
import { checkSchemaText } from '../../../../portal/forms/model/schema-check.ts'
import { casesOf, fc } from '../../../support/properties.ts'

describe('the text of a schema', () => {
  test.each<[string, string, unknown, readonly RegExp[]]>([
    ['that is empty is the schema of anything', ' ', {}, []],
    ['that is no JSON has no schema', '{ "type": ', undefined, [/^is not JSON: /]],
    ['that is no object has no schema', '[]', undefined, [/^must be a JSON object$/]],
    ['without problems', '{ "properties": { "a": true } }', { properties: { a: true } }, []],
  ])('%s', (_, text, schema, problems) => {
    const checked = checkSchemaText(text)
    expect(checked.schema).toEqual(schema)
    expect(checked.problems).toEqual(problems.map((each) => expect.stringMatching(each)))
  })

  test.each<[string, object, string]>([
    ['an unknown type', { properties: { a: { type: 'text' } } }, '/properties/a/type'],
    ['a type that is no text', { type: ['string', 1] }, '/type'],
    ['properties that are no object', { properties: [] }, '/properties'],
    ['a property that is no schema', { properties: { 'a/b': 1 } }, '/properties/a~1b'],
    ['an unknown type in items', { items: { type: 'x' } }, '/items/type'],
    ['an unknown type in a list of schemas', { allOf: [{}, { type: 'x' }] }, '/allOf/1/type'],
    ['an empty list of alternatives', { oneOf: [] }, '/oneOf'],
    ['required names that are no list', { required: true }, '/required'],
    ['a limit that is a text', { properties: { a: { maximum: '1' } } }, '/properties/a/maximum'],
    ['a negative length', { $defs: { a: { minLength: -1 } } }, '/$defs/a/minLength'],
    ['a pattern that is no text', { properties: { x: { pattern: 1 } } }, '/properties/x/pattern'],
    ['a reference to another document', { $ref: 'https://example.com' }, '/$ref'],
    ['hints without a number', { properties: { a: { uiHints: { order: 'x' } } } }, '/properties/a/uiHints'],
    ['a group of an unknown type', { uiGroups: { a: { type: 'column' } } }, '/uiGroups'],
    ['a row of an unknown section', { uiGroups: { a: { type: 'row', section: 'b' } } }, '/uiGroups'],
    [
      'a part without an outer object',
      { values: { properties: { a: { type: 'x' } } } },
      '/values/properties/a/type',
    ],
    ['a part that is no schema', { secrets: 1 }, '/secrets'],
  ])('%s is a problem with its place', (_, schema, place) => {
    const { problems } = checkSchemaText(JSON.stringify(schema))
    expect(problems.map((each) => each.split(' ')[0])).toEqual([place])
  })

  test.each([
    ['properties of any name', { properties: { type: { type: 'string' }, pattern: {} } }],
    ['data that looks like a schema', { enum: [{ type: 'x' }], default: { type: 'x' }, const: { items: 1 } }],
    ['several types', { properties: { a: { type: ['string', 'null'] } } }],
    ['items as a list', { properties: { a: { items: [{ type: 'string' }] } } }],
  ])('%s are no problem', (_, schema) => {
    expect(checkSchemaText(JSON.stringify(schema)).problems).toEqual([])
  })

  test('of a schema that the gateway accepts has no problem, and any text has a form', () => {
    const word = fc.constantFrom(
      'type',
      'properties',
      'items',
      'required',
      'values',
      'uiHints',
      'a',
      'string',
    )
    const json = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        word,
        fc.constantFrom<unknown>(1, -1, true, null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(word, tie('any'), { maxKeys: 4 }),
      ),
    })).any
    fc.assert(
      fc.property(json, (schema) => {
        const { schema: read, problems } = checkSchemaText(JSON.stringify(schema))
        if (read === undefined) return
        formOf(read, 'parts')
        // The gateway does not check the hints.
        const others = problems.filter((each) => !each.includes('/ui'))
        if (problemOfPartedSchema(read) === undefined) expect(others).toEqual([])
      }),
      { numRuns: casesOf(1000) },
    )
  })
})
