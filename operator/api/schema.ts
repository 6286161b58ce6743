/** A JSON Schema. */
export type TSchema = object

/** A JSON Schema of values of this type, which exists only at compile time. */
export interface TUnsafe<T> {
  readonly '~unsafe': T
}

/** The type of the values of a schema. */
export type Static<S extends TSchema> = S extends TUnsafe<infer T> ? T : unknown

/** Declares the type of the values of a schema. */
export function unsafe<T>(schema: object): TUnsafe<T> {
  return schema as TUnsafe<T> // the type exists only at compile time
}

/** Properties of an object schema, by field name. */
export type Fields = Record<string, TSchema>

type Flat<T> = { [K in keyof T]: T[K] } & {}
type ObjectOf<R extends Fields, O extends Fields> = Flat<
  { [K in keyof R]: Static<R[K]> } & { [K in keyof O]?: Static<O[K]> }
>

interface StringOptions {
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: string
}

/** Data with user-defined keys: stored as written, checked elsewhere. */
export type FreeForm = Record<string, unknown>

/** A name of a resource class. */
export const classPattern = '^[A-Za-z0-9][A-Za-z0-9_-]*$'

/** Ids: lower-case words joined by single hyphens. */
export const idPattern = '^[a-z0-9]+(-[a-z0-9]+)*$'

/** Text of at most `maxLength` characters (1,024 when not given). */
export function string(description: string, options: StringOptions = {}) {
  return unsafe<string>({ type: 'string', description, maxLength: 1024, ...options })
}

/** An id, valid as an object name and in a REST path. */
export function id(description: string) {
  return string(description, { pattern: idPattern, minLength: 2, maxLength: 63 })
}

/** A point in time, RFC 3339 in UTC. */
export function time(description: string) {
  return string(description, { format: 'date-time', maxLength: 40 })
}

export function boolean(description: string) {
  return unsafe<boolean>({ type: 'boolean', description })
}

/** A whole number. The API has no floats. */
export function integer(
  description: string,
  options: { readonly minimum?: number; readonly maximum?: number } = {},
) {
  return unsafe<number>({ type: 'integer', format: 'int64', description, ...options })
}

/** An enumeration. */
export function oneOf<const T extends readonly string[]>(values: T, description: string) {
  return unsafe<T[number]>({ type: 'string', enum: [...values], description })
}

/** A list; `key` names the field that identifies an item, so that two writers can own different items. */
export function list<T extends TSchema>(
  items: T,
  description: string,
  options: { readonly key?: string; readonly maxItems?: number } = {},
) {
  const { key, maxItems = 10_000 } = options
  const identity = key ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] } : {}
  return unsafe<Static<T>[]>({ type: 'array', description, maxItems, ...identity, items })
}

/** A map with user-defined keys. Server-side apply treats it as one value. */
export function map<T extends TSchema>(
  values: T,
  description: string,
  options: { readonly maxProperties?: number } = {},
) {
  const { maxProperties = 10_000 } = options
  const schema = { type: 'object', description, maxProperties, additionalProperties: values }
  return unsafe<Record<string, Static<T>>>(atomic(schema))
}

/** An object with declared fields, the required ones first. */
export function object<R extends Fields, O extends Fields>(required: R, optional: O, description: string) {
  const names = Object.keys(required)
  return unsafe<ObjectOf<R, O>>({
    type: 'object',
    description,
    ...(names.length > 0 ? { required: names } : {}),
    properties: { ...required, ...optional },
  })
}

/** The same object as one value for server-side apply: the API server records which client wrote it, and none of its fields. */
export function atomic<T extends TSchema>(schema: T): T {
  return { ...schema, 'x-kubernetes-map-type': 'atomic' }
}

/** Whether a schema is `atomic`. */
export function isAtomic(schema: TSchema): boolean {
  return 'x-kubernetes-map-type' in schema && schema['x-kubernetes-map-type'] === 'atomic'
}

/** An object that keeps all keys. Server-side apply treats it as one value and drops keys that another client added. */
export function freeForm(description: string) {
  const schema = { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true }
  return unsafe<FreeForm>(atomic(schema))
}

/** A free-form object, or null. */
export function nullableFreeForm(description: string) {
  return unsafe<FreeForm | null>({ ...freeForm(description), nullable: true })
}

/** Any JSON value, null included. Without a type the schema cannot be atomic: server-side apply merges keys of objects. */
export function anyValue(description: string) {
  return unsafe<unknown>({ description, nullable: true, 'x-kubernetes-preserve-unknown-fields': true })
}

/** Status field of the kinds that own Secrets. */
export const ownedSecretNames = list(
  string('Name of a Secret.', { maxLength: 253 }),
  'Secrets that the spec names or named before. Secrets that this object owns are deleted when the spec no longer names them.',
)
