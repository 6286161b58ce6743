import { STATUS_CODES } from 'node:http'
import type { TSchema } from '../operator/api/schema.ts'
import type { Endpoint } from './endpoint.ts'
import { parameters } from './parameters.ts'
import { errorShape as declaredErrorShape, plainErrorShape } from './shapes.ts'
import { plainSchema } from './wire.ts'

const errorShape = plainSchema(declaredErrorShape)

type Json = Record<string, unknown>

/** Names of the parameters of a path template. */
export function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** Schema of every status that an operation may answer, the common refusals included. */
function responsesOf(endpoint: Endpoint): Record<number, TSchema | undefined> {
  const { access, path, body, query, responses, plainNotFound } = endpoint
  const isPublic = access === 'public'
  const hasParameters = parameterNames(path).length > 0
  return {
    ...(body || query || hasParameters ? { 400: errorShape } : {}),
    ...(isPublic ? {} : { 401: errorShape, 403: errorShape, 429: errorShape }),
    ...(hasParameters ? { 404: plainNotFound ? plainErrorShape : errorShape } : {}),
    ...(body ? { 422: errorShape } : {}),
    500: errorShape,
    ...responses,
  }
}

/** The OpenAPI 3.1 document of all operations. */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const operations = paths[endpoint.path] ?? {}
    paths[endpoint.path] = { ...operations, [endpoint.method]: operationOf(endpoint, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Quartermaster', version, description: 'Provisions the resources that workloads need.' },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token or a session token, sent as `Authorization: Bearer <token>`.',
        },
      },
      schemas,
    },
  }
}

function operationOf(endpoint: Endpoint, schemas: Json): Json {
  const { method, path, summary, tag, access, query = {}, body } = endpoint
  const inPath = parameterNames(path).map((name) => parameterOf('path', name, parameters[name], true))
  const inQuery = Object.entries(query).map(([name, schema]) => parameterOf('query', name, schema, false))
  const responses = Object.entries(responsesOf(endpoint)).map(([status, schema]) => [
    status,
    {
      description: STATUS_CODES[status] ?? status,
      ...(schema ? { content: contentOf(schema, schemas) } : {}),
    },
  ])
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tag],
    ...(access === 'public' ? { security: [] } : {}),
    parameters: [...inPath, ...inQuery],
    ...(body ? { requestBody: { required: true, content: contentOf(body, schemas) } } : {}),
    responses: Object.fromEntries(responses),
  }
}

function operationId(method: string, path: string): string {
  return [method, ...path.split(/[^A-Za-z0-9]+/).filter(Boolean)].join('_')
}

function parameterOf(place: string, name: string, schema: TSchema | undefined, required: boolean): Json {
  return { name, in: place, required, schema: schema ?? {} }
}

function contentOf(schema: TSchema, schemas: Json): Json {
  return { 'application/json': { schema: hoist(schema, schemas) } }
}

/** Replaces named schemas by references to the list of components. */
function hoist(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...rest } = schema as Json // an object, checked above
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoist(value, schemas)]))
  if (typeof title !== 'string')
    return title === undefined ? inner : { ...inner, title: hoist(title, schemas) }
  schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}
