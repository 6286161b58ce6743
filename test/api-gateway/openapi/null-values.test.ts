import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { openApiDocument } from '../../../api-gateway/openapi/document.ts'
import { createValidators } from '../../../api-gateway/request/validate.ts'
import { plainSchema, withNulls } from '../../../api-gateway/request/wire.ts'
import { nullable } from '../../../api-gateway/response/shapes.ts'
import { anyValue, freeForm, list, map, object, oneOf, string } from '../../../operator/api/schema.ts'
import { fc } from '../../support/properties.ts'
import { mutated, valuesOf } from '../support/arbitraries.ts'

const document = openApiDocument(endpoints, 'test')
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema(document, 'openapi.json')
const validators = createValidators()
const valueOf = valuesOf(document, {})

/** Operations with a body: its documented schema, and the values that the gateway accepts. */
const bodies = endpoints.flatMap(({ method, path, body }) => {
  const { requestBody } = document.paths[path]?.[method] ?? {}
  const schema = requestBody?.content['application/json']?.schema as object // of every body
  return body ? [{ title: `${method.toUpperCase()} ${path}`, method, path, body, schema }] : []
})

const name = string('A name.')

describe('null in the document of a request', () => {
  const fit = (schema: Parameters<typeof withNulls>[0]) => ajv.compile(withNulls(plainSchema(schema)))

  test.each<[rule: string, schema: Parameters<typeof withNulls>[0], value: unknown, isFit: boolean]>([
    ['fits an optional field', object({}, { name }, 'One.'), { name: null }, true],
    ['does not fit a required field', object({ name }, {}, 'One.'), { name: null }, false],
    ['does not fit the whole', object({}, { name }, 'One.'), null, false],
    ['fits an optional word', object({}, { word: oneOf(['a'], 'A word.') }, 'One.'), { word: null }, true],
    ['is valid where null is allowed', object({}, { name: nullable(name) }, 'One.'), { name: null }, true],
    [
      'is valid where any value is allowed',
      object({}, { any: anyValue('Any.') }, 'One.'),
      { any: null },
      true,
    ],
    ['fits an optional list', object({}, { all: list(name, 'All.') }, 'One.'), { all: null }, true],
    [
      'does not fit an item of a list',
      object({}, { all: list(name, 'All.') }, 'One.'),
      { all: [null] },
      false,
    ],
    [
      'does not fit a value of a map',
      object({}, { all: map(name, 'All.') }, 'One.'),
      { all: { a: null } },
      false,
    ],
    [
      'is valid within free-form data of users',
      object({}, { free: freeForm('Any.') }, 'One.'),
      { free: { a: null } },
      true,
    ],
    ['fits in an object of a list', list(object({}, { name }, 'One.'), 'All.'), [{ name: null }], true],
    ['fits in an object of a map', map(object({}, { name }, 'One.'), 'All.'), { a: { name: null } }, true],
  ])('%s', (_, schema, value, isFit) => {
    expect(fit(schema)(value)).toBe(isFit)
  })

  test('adds a variant of a named schema, under another name', () => {
    const named = { ...object({}, { name }, 'One.'), title: 'Thing' }
    expect(withNulls(named)).toMatchObject({ title: 'ThingRequest' })
    expect(withNulls({ ...named, title: 'ThingRequest' })).toMatchObject({ title: 'ThingRequest' })
    expect(withNulls({ ...object({ name }, {}, 'One.'), title: 'Thing' })).toMatchObject({ title: 'Thing' })
  })
})

describe('the gateway accepts all documented values, null included', () => {
  test.each(bodies)('$title', ({ method, path, body, schema }) => {
    const check = validators.body(body)
    const tokens = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
    const pointer = tokens.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')))
    const documented = ajv.getSchema(`openapi.json#/${pointer.join('/')}`)
    const isTaken = (value: unknown) => {
      try {
        check(value)
        return true
      } catch {
        return false
      }
    }
    const places = fc.array(fc.nat(40), { maxLength: 3 })
    fc.assert(
      fc.property(valueOf(schema), places, (made, nulls) => {
        const value = nulls.reduce((root, at) => mutated(root, { at, how: 'replace', value: null }), made)
        const isDocumented = documented?.(value)
        // An empty text for an id is accepted too.
        if (isDocumented || !JSON.stringify(value).includes('""'))
          expect([value, isTaken(value)]).toEqual([value, isDocumented])
      }),
      { numRuns: 60 },
    )
  })
})
