import type { FreeForm, TSchema } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { isObject, ownValue } from '../../operator/domain/base/json.ts'

type Properties = Readonly<Record<string, TSchema & { readonly readOnly?: boolean }>>

/** The JSON Schema keywords that say which fields a body has. */
interface SchemaParts {
  readonly properties?: Properties
  readonly items?: TSchema
  readonly additionalProperties?: TSchema | boolean
}

const maxShown = 5
const maxShownLength = 63

/**
 * Throws Unprocessable for an object, or an object within it, that has only unknown fields: it is not the object that is
 * expected, and without those fields it would mean something else. Null counts as absent, and so does a read-only field,
 * which clients send back. `path` leads to the value within the body.
 */
export function refuseUnknownFields(
  schema: TSchema,
  value: unknown,
  what = 'the body',
  path: readonly string[] = [],
): void {
  const { properties, items, additionalProperties } = schema as SchemaParts
  if (items && Array.isArray(value)) {
    for (const item of value) refuseUnknownFields(items, item, `an item of ${what}`, path)
    return
  }
  if (!isObject(value)) return
  if (properties) refuseOnlyUnknown(properties, value, what)
  for (const [name, member] of Object.entries(value)) {
    const below = ownValue(properties ?? {}, name) ?? additionalProperties
    if (!isObject(below) || below['readOnly']) continue
    const place = [...path, name]
    refuseUnknownFields(below as TSchema, member, `'${shown(place.join('.'))}'`, place)
  }
}

function refuseOnlyUnknown(properties: Properties, value: FreeForm, what: string): void {
  const known = Object.keys(properties).filter((name) => !properties[name]?.readOnly)
  const given = Object.keys(value).filter((name) => value[name] !== null || known.includes(name))
  if (given.some((name) => known.includes(name))) return
  const unknown = given.filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return
  const names = unknown.slice(0, maxShown).map((name) => `'${shown(name)}'`)
  throw new Problem(
    'Unprocessable',
    `${what} has only unknown fields: ${names.join(', ')}; known fields are ${known.join(', ')}`,
  )
}

function shown(name: string): string {
  return name.slice(0, maxShownLength)
}
