import { beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import {
  openApiDocument,
  type ReferenceObject,
  type ResponseObject,
} from '../../../api-gateway/openapi/document.ts'
import { withNulls } from '../../../api-gateway/request/wire.ts'
import { isObject } from '../../../operator/domain/base/json.ts'
import { structure } from '../support/openapi-structure.ts'

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
const json = 'application/json'
/** Operations that answer 409 with the list of users of the object, as clients of these expect. */
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

const { securitySchemes: _, ...components } = document.components
const shared = Object.entries(components).flatMap(([kind, all]) =>
  Object.keys(all).map((name) => `#/components/${kind}/${name}`),
)

/** The documented response of an operation for a status. */
function answersOf(answers: ResponseObject | ReferenceObject): ResponseObject {
  if (!('$ref' in answers)) return answers
  const found = document.components.responses[answers.$ref.split('/').at(-1) ?? '']
  if (found) return found
  throw new Error(`'${answers.$ref}' is missing`)
}

/** The reason why a value does not match its schema in the document. */
function faultsOf(place: readonly string[], value: unknown): string {
  const pointer = place
    .map((token) => encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const validate = ajv.getSchema(`openapi.json#/${pointer}`)
  if (!validate) return 'the schema is missing'
  return validate(value) ? 'No errors' : ajv.errorsText(validate.errors)
}

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

  test('has a unique id for every operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('lists every tag that is used, and no other, with more than its name', () => {
    const used = new Set(operations.flatMap(({ operation }) => operation.tags))
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort())
    expect(document.tags.filter(({ name, description }) => description === `${name}.`)).toEqual([])
  })

  test('refers to nothing that is not there', () => {
    const known = new Set(shared)
    expect(references.filter((each) => !known.has(each))).toEqual([])
  })

  test('shares nothing that nothing refers to', () => {
    expect(shared.filter((each) => !references.includes(each))).toEqual([])
  })

  test('has one schema to a name', () => {
    const seen = new Map<string, string>()
    const schemas = endpoints.map(({ body, responses }) => [body && withNulls(body), responses])
    for (const { title, ...rest } of nodesOf(schemas)) {
      if (typeof title !== 'string') continue
      const known = seen.get(title)
      seen.set(title, JSON.stringify(rest))
      expect([title, known ?? JSON.stringify(rest)]).toEqual([title, JSON.stringify(rest)])
    }
  })

  test('has no shared schema that is null: generators of clients lose such a schema', () => {
    expect(Object.entries(document.components.schemas)).not.toContainEqual([
      expect.any(String),
      expect.objectContaining({ type: expect.arrayContaining(['null']) }),
    ])
    expect(
      operations.find(({ title }) => title.endsWith('/deploys') && title.startsWith('POST')),
    ).toMatchObject({
      operation: {
        requestBody: {
          content: {
            [json]: {
              schema: {
                properties: {
                  delta: {
                    anyOf: [{ $ref: '#/components/schemas/DeltaToDeployRequest' }, { type: 'null' }],
                  },
                },
              },
            },
          },
        },
      },
    })
  })

  test('has no maximum length of an event stream, which has no end', () => {
    const path = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/changes'
    expect(answersOf(document.paths[path]?.['get']?.responses['200'] ?? { $ref: '' })).toMatchObject({
      content: {
        'text/event-stream': { schema: expect.not.objectContaining({ maxLength: expect.anything() }) },
      },
    })
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
    for (const [status, answers] of refusals) {
      const { schema } = answersOf(answers).content?.['application/json'] ?? {}
      if (isUsed && status === '409') expect(schema).toMatchObject({ type: 'array' })
      else if (isPlain && status === '404') expect(schema).toMatchObject({ type: 'string' })
      else expect(schema).toEqual({ $ref: '#/components/schemas/Error' })
    }
    expect(Object.keys(operation.responses).some((status) => status < '400')).toBe(true)
  })

  test.each(operations)('$title has examples that fit', ({ path, method, operation }) => {
    for (const { schema, example } of operation.parameters) {
      if (example !== undefined)
        expect([example, ajv.validate(schema as object, example)]).toEqual([example, true])
    }
    const place = ['paths', path, method]
    if (operation.requestBody) {
      const { example } = operation.requestBody.content[json] ?? {}
      expect(example).toBeDefined()
      expect([example, faultsOf([...place, 'requestBody', 'content', json, 'schema'], example)]).toEqual([
        example,
        'No errors',
      ])
    }
    for (const [status, answers] of Object.entries(operation.responses)) {
      if ('$ref' in answers || !answers.content?.[json]) continue
      const { example } = answers.content[json]
      expect(example).toBeDefined()
      const faults = faultsOf([...place, 'responses', status, 'content', json, 'schema'], example)
      expect([status, example, faults]).toEqual([status, example, 'No errors'])
    }
  })
})

test('every integer in a body has bounds, because not every number that is whole can be stored', () => {
  const integers = endpoints.flatMap(({ path, body }) =>
    [...nodesOf(body)].flatMap((each) =>
      [each['type']].flat().includes('integer') ? [{ path, ...each }] : [],
    ),
  )
  const bounds = { minimum: expect.any(Number), maximum: expect.any(Number) }
  expect(integers).toEqual(integers.map((each) => ({ ...each, ...bounds })))
  expect(integers).not.toEqual([])
})

describe('every refusal', () => {
  test.each(Object.entries(document.components.responses))('%s has an example that fits', (name, answers) => {
    const { example } = answers.content?.[json] ?? {}
    expect(example).toBeDefined()
    expect(faultsOf(['components', 'responses', name, 'content', json, 'schema'], example)).toBe('No errors')
  })

  test.each([
    ['Unauthorized', 'WWW-Authenticate', true],
    ['TooManyRequests', 'Retry-After', true],
    ['Internal', 'Retry-After', undefined],
  ])('%s has the header %s', (name, header, required) => {
    expect(document.components.responses[name]?.headers).toMatchObject({
      [header]: { schema: expect.anything(), ...(required ? { required } : {}) },
    })
  })
})

describe('a parameter of the query', () => {
  const inQuery = operations.flatMap(({ title, operation }) =>
    operation.parameters.filter((each) => each.in === 'query').map((each) => ({ title, ...each })),
  )

  test('is required where the operation cannot do without', () => {
    expect(inQuery.filter(({ required }) => required).map(({ title, name }) => [title, name])).toEqual([
      ['GET /orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/explain', 'type'],
    ])
  })

  test('documents its default once', () => {
    for (const { description = '' } of inQuery) expect(description).not.toMatch(/absent.* absent/)
  })
})

describe('a header', () => {
  test.each([
    ['get', '/docs/{file}', 'If-None-Match'],
    ['get', '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources', 'Humanitec-User-Agent'],
    ['post', '/orgs/{org_id}/apps/{app_id}/pipeline-runs', 'Idempotency-Key'],
    ['post', '/auth/session', 'Host'],
  ])('that %s %s reads is a parameter: %s', (method, path, name) => {
    const { parameters = [] } = document.paths[path]?.[method] ?? {}
    expect(parameters).toContainEqual(expect.objectContaining({ name, in: 'header', required: false }))
  })

  test.each([
    ['get', '/docs/{file}', 'ETag'],
    ['get', '/orgs/{org_id}/audit-logs', 'Link'],
    ['post', '/auth/session', 'Set-Cookie'],
  ])('that %s %s answers is declared: %s', (method, path, name) => {
    expect(document.paths[path]?.[method]?.responses['200']).toHaveProperty(['headers', name])
  })
})
