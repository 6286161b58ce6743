import type { TUnsafe } from 'typebox'
import type { Static, TSchema } from '../operator/api/schema.ts'
import { isObject } from '../operator/domain/json.ts'

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

/** The value without declared optional fields that are null: many clients send null for what they leave out. */
export function withoutNulls(schema: TSchema, value: unknown): unknown {
  const { properties, required = [], additionalProperties, items } = schema as SchemaParts
  if (items && Array.isArray(value)) return value.map((item) => withoutNulls(items, item))
  if (!isObject(value)) return value
  if (additionalProperties) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutNulls(additionalProperties, item)]),
    )
  }
  if (!properties) return value
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const part = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!part) return [[key, item]]
    if (item === null && !required.includes(key) && !acceptsNull(part)) return []
    return [[key, withoutNulls(part, item)]]
  })
  return Object.fromEntries(entries)
}

function acceptsNull(schema: TSchema): boolean {
  const { type } = schema as { type?: string | readonly string[] }
  return type === undefined || (Array.isArray(type) && type.includes('null'))
}
