import type { TUnsafe } from 'typebox'
import type { Static, TSchema } from '../../operator/api/schema.ts'
import { isObject } from '../../operator/domain/base/json.ts'
import { nullable } from '../response/shapes.ts'

type SnakeKey<S extends string> = S extends `${infer H}${infer T}`
  ? `${H extends Lowercase<H> ? H : `_${Lowercase<H>}`}${SnakeKey<T>}`
  : S

/** A type as REST spells it: field names in snake_case, the user's keys as they are. */
export type Wire<T> = T extends readonly (infer U)[]
  ? Wire<U>[]
  : T extends object
    ? { [K in keyof T as K extends string ? SnakeKey<K> : K]: Wire<T[K]> }
    : T

/** The parts of a JSON Schema that carry structure; our builders make nothing else. */
interface SchemaParts {
  readonly title?: string
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly additionalProperties?: TSchema
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** `driverInputs` as REST spells it: `driver_inputs`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The schema of a part of a kind as plain JSON Schema: Kubernetes extensions taken out, names kept. */
export function plainSchema<T extends TSchema>(schema: T): T {
  return mapSchema(schema, (name) => name) as T // only keywords that say nothing about the type are gone
}

/** The schema of a part of a kind as REST spells it. */
export function wireSchema<T extends TSchema>(schema: T): TUnsafe<Wire<Static<T>>> {
  return mapSchema(schema, snakeCase) as TUnsafe<Wire<Static<T>>> // the type exists for the compiler alone
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

/** Puts one declared field of `source` into `target`, where it is there. */
type ConvertField = (
  part: TSchema,
  name: string,
  target: Record<string, unknown>,
  source: Record<string, unknown>,
) => void

/** A value of a kind as REST spells it. */
export function toWire<T>(schema: TSchema, value: T): Wire<T> {
  const convert: ConvertField = (part, name, target, source) => {
    if (source[name] !== undefined) target[snakeCase(name)] = toWire(part, source[name])
  }
  return convertValue(schema, value, toWire, convert) as Wire<T> // the schema is the one that T comes from
}

/** A validated value of a request in the spelling of the kind; what the schema does not declare is left out. */
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
 * The value without declared optional fields that are null, or are empty where that cannot be one of them: many clients
 * send null or empty ids for what they leave out.
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

/** The schema of what `withoutBlanks` is given; a named one that is not as it was has a name of its own. */
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

/** Whether the empty text can be one of the ids or words that a schema allows; any text may be empty. */
function acceptsEmpty(schema: TSchema): boolean {
  const { enum: words, pattern } = schema as { enum?: readonly unknown[]; pattern?: string }
  return (words?.includes('') ?? true) && (pattern === undefined || new RegExp(pattern).test(''))
}
