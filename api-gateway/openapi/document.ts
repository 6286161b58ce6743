import type { Fields, TSchema } from '../../operator/api/schema.ts'
import type { Endpoint } from '../endpoint.ts'
import { parameters } from '../request/parameters.ts'
import { plainSchema, withNulls } from '../request/wire.ts'
import { errorShape as declaredErrorShape, plainErrorShape } from '../response/shapes.ts'
import { errorDescriptionOf } from './error-responses.ts'
import { bodyExampleOf, exampleOf, parameterExamples } from './examples.ts'
import { described, headersOf, sharedHeaders, withSharedHeaders } from './headers.ts'
import { accessText, statusText, tagText } from './texts.ts'

const errorShape = plainSchema(declaredErrorShape)
const json = 'application/json'

type Json = Record<string, unknown>

/** Bodies by media type. */
export type Content = Record<string, { readonly schema: unknown; readonly example?: unknown }>

/** Operation object. */
export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security?: readonly Json[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly required: boolean
    readonly schema: unknown
    readonly example?: string
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Record<string, ResponseObject | ReferenceObject>
}

/** Response object. */
export type ResponseObject = {
  readonly description: string
  readonly headers: Json
  readonly content?: Content
}

/** Reference object. */
export type ReferenceObject = { readonly $ref: string }

/** An OpenAPI document, as far as it is read. */
export type OpenApiDocument = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Json
    readonly responses: Record<string, ResponseObject>
    readonly headers: Json
    readonly securitySchemes: Json
  }
}

/** Returns the parameter names of a path template. */
export function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Returns the schema of every status, including the common errors. */
function responsesOf(endpoint: Endpoint): Record<number, TSchema | undefined> {
  const { method, access, isUnlimited, path, body, query, headers, responses, plainNotFound } = endpoint
  const isPublic = access === 'public'
  const hasParameters = parameterNames(path).length > 0
  return {
    ...(body || query || headers || hasParameters ? { 400: errorShape } : {}),
    ...(isPublic ? {} : { 401: errorShape, 403: errorShape }),
    ...(isUnlimited ? {} : { 429: errorShape }),
    ...(hasParameters ? { 404: plainNotFound ? plainErrorShape : errorShape } : {}),
    // What is written may be deleted or changed at the same time.
    ...(isPublic || method === 'get' ? {} : { 409: errorShape }),
    ...(body ? { 422: errorShape } : {}),
    500: errorShape,
    ...responses,
  }
}

/** Returns the OpenAPI 3.1 document of the operations. */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): OpenApiDocument {
  const schemas: Json = {}
  const errors: Record<string, ResponseObject> = {}
  const paths: Record<string, Record<string, Operation>> = {}
  for (const endpoint of endpoints) {
    const operations = paths[endpoint.path] ?? {}
    paths[endpoint.path] = { ...operations, [endpoint.method]: operationOf(endpoint, schemas, errors) }
  }
  const info = {
    title: 'Quartermaster',
    version,
    summary: 'Provisions the resources that workloads need.',
    description:
      'Workloads declare the resources they need, definitions declare how to provision them, and a deployment matches the two. ' +
      'Request and response bodies are JSON. Errors have the form `{"error", "message", "details"}`. Exception: ' +
      'a missing delta or deployment set is answered with a JSON string. An unknown path is answered with 404, ' +
      'an unsupported method with 405 and the header `Allow`; both count against the rate limit (429). ' +
      'HEAD works like GET without the body. Unknown fields of a body and unknown query parameters are ignored, unless they misspell a known one: ' +
      'then a field is answered with 422, and a parameter with 400. ' +
      '`null` for an optional field of a body is the same as omitting the field, so it changes nothing in a PATCH, ' +
      'except for fields whose description says that `null` removes them. ' +
      'An empty string is the same as omitting the field or query parameter if that takes an ID, a number or one of a list of words. ' +
      'A boolean query parameter without a value is the same as omitting it in a GET, and is answered with 400 in other operations.',
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/', description: 'This gateway.' }],
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name, description: tagText(name) })),
    paths,
    components: { securitySchemes, headers: sharedHeaders, responses: errors, schemas },
  } as OpenApiDocument // and fields that are never read
}

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token or a session token: `Authorization: Bearer <token>`.',
  },
  session: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'A session token in the legacy form: `Authorization: JWT <token>`.',
  },
}

function operationOf(endpoint: Endpoint, schemas: Json, errors: Record<string, ResponseObject>): Operation {
  const { method, path, summary, tag, access, query = {}, headers = {}, body } = endpoint
  const inPath = parameterNames(path).map((name) => ({
    ...parameterOf('path', name, parameters[name], true),
    example: parameterExamples[name],
  }))
  const inRequest = (place: string, fields: Fields, required: readonly string[] = []) =>
    Object.entries(fields).map(([name, schema]) => parameterOf(place, name, schema, required.includes(name)))
  const responses = Object.entries(responsesOf(endpoint)).map(([status, schema]) => [
    status,
    responseOf(endpoint, Number(status), schema, schemas, errors),
  ])
  return {
    operationId: operationId(method, path),
    summary: summary.replaceAll('`', "'"), // Summaries are plain text, other texts are Markdown.
    description: accessText(access),
    tags: [tag],
    security: access === 'public' ? [] : undefined,
    parameters: [
      ...inPath,
      ...inRequest('query', query, endpoint.requiredQuery),
      ...inRequest('header', headers),
    ],
    requestBody: body && { required: true, content: bodyOf(endpoint, body, schemas) },
    responses: Object.fromEntries(responses),
  }
}

function responseOf(
  { textType = json, responseHeaders = {}, alternatives = {} }: Endpoint,
  status: number,
  schema: TSchema | undefined,
  schemas: Json,
  errors: Record<string, ResponseObject>,
): ResponseObject | ReferenceObject {
  const error = errorDescriptionOf(status, schema)
  if (error && schema) {
    const { name, description, example, headers = {} } = error
    const content = { [json]: { schema: hoist(schema, schemas), example } }
    errors[name] = { description, headers: withSharedHeaders(headers), content }
    return { $ref: `#/components/responses/${name}` }
  }
  const type = status < 400 ? textType : json
  const exampleIn = (each: TSchema) => (type === json ? { example: exampleOf(each) } : {})
  const schemasByType = { [type]: schema, ...(status === 200 ? alternatives : {}) }
  const content = Object.entries(schemasByType).flatMap(([name, each]) =>
    each ? [[name, { schema: hoist(each, schemas), ...exampleIn(each) }]] : [],
  )
  return {
    description: statusText(status),
    headers: withSharedHeaders(status < 400 ? headersOf(responseHeaders) : {}),
    content: schema && Object.fromEntries(content),
  }
}

/** Derived from method and path, so it is unique and stable across versions. */
function operationId(method: string, path: string): string {
  return [method, ...path.split(/[^A-Za-z0-9]+/).filter(Boolean)].join('_')
}

function parameterOf(place: string, name: string, schema: TSchema | undefined, required: boolean) {
  return { name, in: place, required, ...described(schema) }
}

function bodyOf({ method, path }: Endpoint, schema: TSchema, schemas: Json): Content {
  const example = bodyExampleOf(method, path, schema)
  return { [json]: { schema: hoist(withNulls(schema), schemas), example } }
}

/** Replaces named schemas by references to the components. */
function hoist(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...rest } = schema as Json // an object, checked above
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoist(value, schemas)]))
  if (typeof title !== 'string')
    return title === undefined ? inner : { ...inner, title: hoist(title, schemas) }
  const reference = { $ref: `#/components/schemas/${title}` }
  const { type } = inner
  const isNullable = Array.isArray(type) && type.includes('null')
  // Null is beside the reference, because generators of clients lose a component that may be null.
  schemas[title] = isNullable ? { ...inner, type: type.find((each) => each !== 'null') } : inner
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference
}
