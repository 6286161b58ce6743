import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { propertiesOf } from '../../../../operator/domain/schema/declared-secrets.ts'
import { partsOf } from '../../../../operator/domain/schema/parted-schema.ts'
import { problemOfPartedSchema } from '../../../../operator/domain/schema/user-schema.ts'
import { fieldsOf, placeProblems, problemsOf } from '../../../../portal/forms/model/check.ts'
import { type Form, formOf } from '../../../../portal/forms/model/form.ts'
import { memberPointer, readAt, writeAt } from '../../../../portal/forms/model/pointer.ts'
import { parseText, textOf } from '../../../../portal/forms/model/text.ts'
import { casesOf, fc } from '../../../support/properties.ts'

const name = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'host',
    'a/b',
    'c~d',
    '__proto__',
    'constructor',
    'length',
    'values',
    'ä b',
    '-',
    '_',
  ),
  fc.string({ maxLength: 3 }),
)
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const anything = fc.oneof({ maxDepth: 2 }, json, fc.constantFrom('row', 'section', 'g', 1, -2, 0.5))

function recordOf<T>(values: fc.Arbitrary<T>): fc.Arbitrary<FreeForm> {
  return fc
    .array(fc.tuple(name, values), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries) as FreeForm)
}

const hints = fc.record(
  { order: anything, group: fc.oneof(name, anything), width: anything },
  { requiredKeys: [] },
)
const groups = recordOf(
  fc.oneof(
    fc.record(
      { order: anything, type: fc.constantFrom('row', 'section', 1), title: anything, section: name },
      { requiredKeys: [] },
    ),
    anything,
  ),
)

const schema = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<unknown[]>(true, false, {}, { $ref: '#/$defs/x' }, { $ref: '#' }),
    fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', ['string', 'null']),
        title: fc.string(),
        description: fc.string(),
        enum: fc.uniqueArray(json, { maxLength: 3 }),
        uiHints: fc.oneof(hints, anything),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constantFrom('object'),
        properties: recordOf(tie('node')),
        required: fc.uniqueArray(name, { maxLength: 3 }),
        additionalProperties: tie('node'),
        allOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
        uiHints: hints,
        uiGroups: groups,
      },
      { requiredKeys: [] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('node'), uiHints: hints }, { requiredKeys: ['type'] }),
  ),
})).node

const part = fc.oneof(
  fc.record({ properties: recordOf(schema), required: fc.uniqueArray(name, { maxLength: 2 }) }),
  schema,
)

/** Schemas of outputs that the product accepts. */
const accepted: fc.Arbitrary<FreeForm> = fc
  .record(
    {
      properties: fc.record({ values: part, secrets: part }, { requiredKeys: [] }),
      $defs: fc.record({ x: schema }),
      uiGroups: fc.oneof(groups, anything),
    },
    { requiredKeys: ['properties', '$defs'] },
  )
  .map((each) => each as FreeForm) // an object
  .filter((each) => problemOfPartedSchema(each) === undefined)

function pointersOf(form: Form): string[] {
  return form.sections.flatMap(({ rows }) =>
    rows.flatMap(({ fields }) => fields.map(({ pointer }) => pointer)),
  )
}

describe('for any schema that the product accepts', () => {
  test('every output appears exactly once in the form', () => {
    fc.assert(
      fc.property(accepted, (given) => {
        const { values, secrets } = partsOf(given)
        const pointers = pointersOf(formOf(given, 'parts'))
        expect(new Set(pointers).size).toBe(pointers.length)
        const wanted = [
          ...Object.keys(propertiesOf(values)).map((key) => memberPointer('/values', key)),
          ...Object.keys(propertiesOf(secrets)).map((key) => memberPointer('/secrets', key)),
        ]
        expect(pointers).toEqual(expect.arrayContaining(wanted))
      }),
      { numRuns: casesOf(1000) },
    )
  })

  test('every field of any value has an ID of its form alone', () => {
    fc.assert(
      fc.property(accepted, json, (given, value) => {
        const ids = [...fieldsOf(formOf(given, 'parts'), { values: value, secrets: value })].map(
          ({ id }) => id,
        )
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.filter((id) => !/^[A-Za-z0-9_-]+$/.test(id))).toEqual([])
      }),
      { numRuns: casesOf(1000) },
    )
  })

  test('reading a field after writing it gives the value', () => {
    fc.assert(
      fc.property(accepted, json, json, (given, before, value) => {
        for (const { pointer } of fieldsOf(formOf(given, 'parts'), before)) {
          expect(readAt(writeAt(before, pointer, value), pointer)).toEqual(readAt({ value }, '/value'))
          expect(readAt(writeAt({}, pointer, undefined), pointer)).toBeUndefined()
        }
      }),
      { numRuns: casesOf(1000) },
    )
  })

  test('problems of any value are found and shown', () => {
    fc.assert(
      fc.property(accepted, json, (given, value) => {
        const form = formOf(given, 'parts')
        const problems = problemsOf(form, value)
        const { byPointer, others } = placeProblems(form, value, problems)
        expect([...byPointer.keys()].sort()).toEqual(
          [...new Set(problems.map(({ pointer }) => pointer))].sort(),
        )
        expect(others).toEqual([])
      }),
      { numRuns: casesOf(1000) },
    )
  })
})

test('the text of a value in a field of free text means the value', () => {
  const [field] = formOf({ properties: { a: {} } }).sections[0]?.rows[0]?.fields ?? []
  fc.assert(
    fc.property(fc.oneof(json, fc.string()), (value) => {
      if (!field) throw new Error('no field')
      expect(parseText(field, textOf(field, value))).toEqual({ value })
    }),
    { numRuns: casesOf(2000) },
  )
})
