import type { Static, TSchema, TUnsafe } from '../../operator/api/schema.ts'
import { isObject } from '../../operator/domain/base/json.ts'
import { nullable } from '../response/shapes.ts'

type SnakeKey<S extends string> = S extends `${infer H}${infer T}`
  ? `${H extends Lowercase<H> ? H : `_${Lowercase<H>}`}${SnakeKey<T>}`
  : S

/** A type with field names in snake_case; user-defined keys are kept. */
export type Wire<T> = T extends readonly (infer U)[]
  ? Wire<U>[]
  : T extends object
    ? { [K in keyof T as K extends string ? SnakeKey<K> : K]: Wire<T[K]> }
    : T

/** The JSON Schema keywords with nested schemas that our schema builders produce. */
interface SchemaParts {
  readonly title?: string
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly additionalProperties?: TSchema
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** Converts `driverInputs` to `driver_inputs`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Removes Kubernetes extensions from a schema and keeps its field names. */
export function plainSchema<T extends TSchema>(schema: T): T {
  return mapSchema(schema, (name) => name) as T // the removed keywords do not affect the type
}

/** Converts a schema of a kind to snake_case field names. */
export function wireSchema<T extends TSchema>(schema: T): TUnsafe<Wire<Static<T>>> {
  return mapSchema(schema, snakeCase) as TUnsafe<Wire<Static<T>>> // the type exists only at compile time
}

function mapSchema(schema: TSchema, rename: (name: string) => string): TSchema {
  const { required, properties, additionalProperties, items, anyOf } = schema as SchemaParts
  const kept = Object.entries(schema).filter(
    ([key]) => key !== 'nullable' && !key.startsWith('x-kubernetes-'),
  )
  const renamed = Object.entries(properties ?? {}).map(([name, each]) => [
    rename(name),
    mapSchema(each, rename),
  ])
  return {
    ...Object.fromEntries(kept),
    ...(required ? { required: required.map(rename) } : {}),
    ...(properties ? { properties: Object.fromEntries(renamed) } : {}),
    ...(additionalProperties ? { additionalProperties: mapSchema(additionalProperties, rename) } : {}),
    ...(items ? { items: mapSchema(items, rename) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((each) => mapSchema(each, rename)) } : {}),
  }
}

/** Copies one declared field from `source` to `target` if it is present. */
type ConvertField = (
  part: TSchema,
  name: string,
  target: Record<string, unknown>,
  source: Record<string, unknown>,
) => void

/** Converts a value of a kind to snake_case field names. */
export function toWire<T>(schema: TSchema, value: T): Wire<T> {
  const convert: ConvertField = (part, name, target, source) => {
    if (source[name] !== undefined) target[snakeCase(name)] = toWire(part, source[name])
  }
  return convertValue(schema, value, toWire, convert) as Wire<T> // the schema is the one that T comes from
}

/** Converts a validated value to the field names of the kind and drops undeclared fields. */
export function fromWire<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const convert: ConvertField = (part, name, target, source) => {
    const spelled = snakeCase(name)
    if (Object.hasOwn(source, spelled)) target[name] = fromWire(part, source[spelled])
  }
  return convertValue(schema, value, fromWire, convert) as Static<T> // the value was validated against this schema
}

function convertValue(
  schema: TSchema,
  value: unknown,
  each: (schema: TSchema, value: unknown) => unknown,
  convertField: ConvertField,
): unknown {
  const { properties, additionalProperties, items } = schema as SchemaParts
  if (items && Array.isArray(value)) return value.map((item) => each(items, item))
  if (!isObject(value)) return value
  if (additionalProperties) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, each(additionalProperties, item)]),
    )
  }
  if (!properties) return value
  const target: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(properties)) convertField(part, name, target, value)
  return target
}

/**
 * Drops optional fields that are null, or that are empty strings where these are not valid, because many clients
 * send them for absent values.
 */
export function withoutBlanks(schema: TSchema, value: unknown): unknown {
  const { properties, required = [], additionalProperties, items } = schema as SchemaParts
  if (items && Array.isArray(value)) return value.map((item) => withoutBlanks(items, item))
  if (!isObject(value)) return value
  if (additionalProperties) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutBlanks(additionalProperties, item)]),
    )
  }
  if (!properties) return value
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const part = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!part) return [[key, item]]
    const isBlank = (item === null && !acceptsNull(part)) || (item === '' && !acceptsEmpty(part))
    if (isBlank && !required.includes(key)) return []
    return [[key, withoutBlanks(part, item)]]
  })
  return Object.fromEntries(entries)
}

/** Returns the schema of the input of `withoutBlanks`. A named schema that changes gets a new name. */
export function withNulls(schema: TSchema): TSchema {
  const { title, properties, required = [], additionalProperties, items } = schema as SchemaParts
  const fields = Object.entries(properties ?? {}).map(([name, part]) => {
    const inner = withNulls(part)
    return [name, required.includes(name) || acceptsNull(part) ? inner : nullable(inner)]
  })
  const changed = {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(fields) } : {}),
    ...(additionalProperties ? { additionalProperties: withNulls(additionalProperties) } : {}),
    ...(items ? { items: withNulls(items) } : {}),
  }
  if (title === undefined || JSON.stringify(changed) === JSON.stringify(schema)) return changed
  return { ...changed, title: `${title.replace(/Request$/, '')}Request` }
}

function acceptsNull(schema: TSchema): boolean {
  const { type } = schema as { type?: string | readonly string[] }
  return type === undefined || (Array.isArray(type) && type.includes('null'))
}

/** Whether a schema with an enum or a pattern accepts the empty string. */
function acceptsEmpty(schema: TSchema): boolean {
  const { enum: words, pattern } = schema as { enum?: readonly unknown[]; pattern?: string }
  return (words?.includes('') ?? true) && (pattern === undefined || new RegExp(pattern).test(''))
}
