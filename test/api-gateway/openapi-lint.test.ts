import { beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { endpoints } from '../../api-gateway/endpoints/index.ts'
import { openApiDocument } from '../../api-gateway/openapi.ts'
import { isObject } from '../../operator/domain/json.ts'

const document = openApiDocument(endpoints, '1.2.3')
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    title: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
)
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
const text = { type: 'string', minLength: 1 }
const content = { type: 'object', minProperties: 1, additionalProperties: { required: ['schema'] } }

/** What OpenAPI 3.1 demands of a document, as far as ours has it. */
const structure = {
  type: 'object',
  required: ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'],
  additionalProperties: false,
  properties: {
    openapi: { pattern: '^3\\.1\\.\\d+$' },
    info: {
      required: ['title', 'version', 'summary', 'description', 'license'],
      properties: {
        license: { required: ['name', 'identifier'], not: { required: ['url'] } },
      },
    },
    servers: { type: 'array', minItems: 1, items: { required: ['url'] } },
    security: { type: 'array', minItems: 1 },
    tags: { type: 'array', items: { required: ['name', 'description'], properties: { description: text } } },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        propertyNames: { enum: ['get', 'put', 'post', 'delete', 'patch'] },
        additionalProperties: { $ref: '#/$defs/operation' },
      },
    },
    components: {
      additionalProperties: false,
      required: ['schemas', 'securitySchemes'],
      properties: {
        schemas: { type: 'object', propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' } },
        securitySchemes: { type: 'object' },
      },
    },
  },
  $defs: {
    operation: {
      type: 'object',
      required: ['operationId', 'summary', 'description', 'tags', 'parameters', 'responses'],
      additionalProperties: false,
      properties: {
        operationId: { type: 'string', pattern: '^[a-z]+(_[A-Za-z0-9]+)+$' },
        summary: { type: 'string', pattern: '^[A-Z].*[^.]$', maxLength: 110 },
        description: { type: 'string', pattern: '^[A-Z].*[.]$' },
        tags: { type: 'array', minItems: 1, maxItems: 1 },
        security: { type: 'array' },
        parameters: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'in', 'required', 'schema'],
            additionalProperties: false,
            properties: {
              name: text,
              in: { enum: ['path', 'query'] },
              required: { type: 'boolean' },
              schema: { required: ['description'] },
              example: {},
            },
            anyOf: [
              { properties: { in: { const: 'query' } } },
              { properties: { required: { const: true } } },
            ],
          },
        },
        requestBody: {
          required: ['required', 'content'],
          additionalProperties: false,
          properties: { required: { type: 'boolean' }, content },
        },
        responses: {
          type: 'object',
          propertyNames: { pattern: '^[2-5]\\d\\d$' },
          additionalProperties: {
            type: 'object',
            required: ['description'],
            additionalProperties: false,
            properties: { description: { type: 'string', pattern: '[.]$' }, headers: {}, content },
          },
        },
      },
    },
  },
}

/** What answers 409 with the list of what is in the way, as clients of these expect. */
const listsUses = new Set([
  'delete /orgs/{org_id}/env-types/{env_type_id}',
  ...['defs', 'dynamic'].flatMap((spelling) => [
    `delete /orgs/{org_id}/resources/${spelling}/{def_id}`,
    `delete /orgs/{org_id}/resources/${spelling}/{def_id}/criteria/{criterion_id}`,
  ]),
])

/** Everything in a document, depth first. */
function* nodesOf(value: unknown): Generator<Record<string, unknown>> {
  if (isObject(value)) yield value
  if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* nodesOf(each)
}

const references = [...nodesOf(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))

beforeAll(() => {
  ajv.addSchema(document, 'openapi.json')
})

describe('the OpenAPI document', () => {
  test('has the structure of OpenAPI 3.1', () => {
    const isValid = ajv.validate(structure, document)
    expect(ajv.errorsText(ajv.errors)).toBe('No errors')
    expect(isValid).toBe(true)
  })

  test('is the same each time it is made', () => {
    expect(JSON.stringify(openApiDocument(endpoints, '1.2.3'))).toBe(JSON.stringify(document))
  })

  test('has an id of its own for every operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('lists every tag that is used, and no other, with more than its name', () => {
    const used = new Set(operations.flatMap(({ operation }) => operation.tags))
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort())
    expect(document.tags.filter(({ name, description }) => description === `${name}.`)).toEqual([])
  })

  test('refers to nothing that is not there', () => {
    const known = new Set(
      Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
    )
    expect(references.filter((each) => !known.has(each))).toEqual([])
  })

  test('has no schema that nothing refers to', () => {
    const unused = Object.keys(document.components.schemas).filter(
      (name) => !references.includes(`#/components/schemas/${name}`),
    )
    expect(unused).toEqual([])
  })

  test('has one schema to a name', () => {
    const seen = new Map<string, string>()
    for (const { title, ...rest } of nodesOf(endpoints.map(({ body, responses }) => [body, responses]))) {
      if (typeof title !== 'string') continue
      const known = seen.get(title)
      seen.set(title, JSON.stringify(rest))
      expect([title, known ?? JSON.stringify(rest)]).toEqual([title, JSON.stringify(rest)])
    }
  })

  test('has JSON Schemas alone', () => {
    const inContent = [...nodesOf(document.paths)].flatMap(({ schema }) => (isObject(schema) ? [schema] : []))
    const faults = [...inContent, ...Object.values(document.components.schemas)].filter(
      (schema) => !ajv.validateSchema(schema as object),
    )
    expect(faults).toEqual([])
  })

  test('can be let in by an API token, a session, and the earlier form of a session', () => {
    expect(document).toMatchObject({
      security: [{ token: [] }, { session: [] }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'header', name: 'Authorization' },
        },
      },
    })
  })
})

describe('every operation', () => {
  test.each(operations)('$title is complete', ({ path, method, operation }) => {
    const inPath = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name)
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(new Set(operation.parameters.map(({ name }) => name)).size).toBe(operation.parameters.length)

    const isUsed = listsUses.has(`${method} ${path}`)
    const isPlain = /\/(deltas|sets)(\/|$)/.test(path)
    const refusals = Object.entries(operation.responses).filter(([status]) => status >= '400')
    expect(refusals.map(([status]) => status)).toContain('500')
    for (const [status, { content: body }] of refusals) {
      const { schema } = body?.['application/json'] ?? {}
      if (isUsed && status === '409') expect(schema).toMatchObject({ type: 'array' })
      else if (isPlain && status === '404') expect(schema).toMatchObject({ type: 'string' })
      else expect(schema).toEqual({ $ref: '#/components/schemas/Error' })
    }
    expect(Object.keys(operation.responses).some((status) => status < '300')).toBe(true)
  })

  test.each(operations)('$title has examples that fit', ({ path, method, operation }) => {
    for (const { schema, example } of operation.parameters) {
      if (example !== undefined)
        expect([example, ajv.validate(schema as object, example)]).toEqual([example, true])
    }
    if (!operation.requestBody) return
    const tokens = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
    const pointer = tokens.map((token) => encodeURIComponent(token.replaceAll('/', '~1'))).join('/')
    const { example } = operation.requestBody.content['application/json'] ?? {}
    expect(example).toBeDefined()
    ajv.validate({ $ref: `openapi.json#/${pointer}` }, example)
    expect([example, ajv.errorsText(ajv.errors)]).toEqual([example, 'No errors'])
  })
})
