import { endpoints } from '../../api-gateway/endpoints/index.ts'
import { type OpenApiDocument, type Operation, openApiDocument } from '../../api-gateway/openapi/document.ts'
import { productVersion } from '../../operator/api/names.ts'

type Json = Readonly<Record<string, unknown>>

const header = '// Generated from the OpenAPI document by `make generate`; do not edit.\n'

/** The types of the REST API for the portal: one interface per named schema, and one entry per operation and media type. */
export function portalTypes(document: OpenApiDocument = openApiDocument(endpoints, productVersion)): string {
  const schemas = Object.entries(document.components.schemas)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')}\n`)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationsOf(`${method.toUpperCase()} ${path}`, operation),
    ),
  )
  const table = `/** Path, query and body of each request, and the body of its answer. A media type after the path names an alternative answer. */\nexport interface Operations {\n${operations.join('')}}\n`
  return [header, ...schemas, table].join('\n')
}

function operationsOf(name: string, operation: Operation): string {
  const { parameters, requestBody, responses } = operation
  const fields = (place: string) =>
    parameters
      .filter((each) => each.in === place)
      .map(({ name, required, schema }) => `${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema, '')}`)
      .join('; ')
  const body = requestBody && schemaIn(requestBody.content)
  const success = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1]
  const answers = Object.entries((success && 'content' in success && success.content) || { '': undefined })
  const request = [
    `path: { ${fields('path')} }`,
    `query: { ${fields('query')} }`,
    `body: ${body ? typeOf(body, '    ') : 'undefined'}`,
  ]
  const entries = answers.map(([type, answer], index) => {
    const all = [...request, `answer: ${answer ? typeOf(answer.schema, '    ') : 'undefined'}`]
    const lines = all.map((field) => `    ${field.replace('{  }', '{}')}\n`).join('')
    return `  '${index === 0 ? name : `${name} ${type}`}': {\n${lines}  }\n`
  })
  return entries.join('')
}

function schemaIn(content: Readonly<Record<string, { readonly schema: unknown }>>): unknown {
  return Object.values(content)[0]?.schema
}

function typeOf(schema: unknown, indent: string): string {
  if (typeof schema !== 'object' || schema === null) return 'unknown'
  const { $ref, enum: words, const: constant, type, anyOf, oneOf, items } = schema as Json // JSON Schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? 'unknown'
  if (Array.isArray(words)) return union(words.map((word) => literal(word)))
  if (constant !== undefined) return literal(constant)
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) return union(choices.map((choice) => typeOf(choice, indent)))
  if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each }, indent)))
  if (type === 'array') return `readonly ${parenthesized(typeOf(items, indent))}[]`
  if (type === 'object') return objectOf(schema as Json, indent)
  return (typeof type === 'string' && simpleTypes[type]) || 'unknown'
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function objectOf({ properties = {}, required = [], additionalProperties }: Json, indent: string): string {
  const entries = Object.entries(properties as Json) // of an object schema
  if (entries.length === 0) {
    const isClosed = additionalProperties === undefined || typeof additionalProperties === 'boolean'
    return `{ readonly [key: string]: ${isClosed ? 'unknown' : typeOf(additionalProperties, indent)} }`
  }
  const names = new Set(required as readonly string[]) // of an object schema
  const inner = `${indent}  `
  const lines = entries.map(([name, schema]) => {
    const mark = names.has(name) ? '' : '?'
    return `${inner}readonly ${keyOf(name)}${mark}: ${typeOf(schema, inner)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function parenthesized(type: string): string {
  return /[| ]/.test(type) && !type.startsWith('{') ? `(${type})` : type
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`
    : JSON.stringify(value)
}

function keyOf(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`
}
