import type { TSchema } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { isObject } from '../../operator/domain/base/json.ts'

/** The JSON Schema keywords that say which fields a body has. */
interface SchemaParts {
  readonly properties?: Readonly<Record<string, TSchema & { readonly readOnly?: boolean }>>
  readonly items?: TSchema
}

const maxShown = 5
const maxShownLength = 63

/**
 * Throws Unprocessable for an object, or an item of a list, that has only unknown fields: it is not the object that is
 * expected, and without those fields it would mean something else. Null counts as absent, and so does a read-only field,
 * which clients send back.
 */
export function refuseUnknownFields(schema: TSchema, value: unknown, what = 'the body'): void {
  const { properties, items } = schema as SchemaParts
  if (items && Array.isArray(value)) {
    for (const item of value) refuseUnknownFields(items, item, `an item of ${what}`)
    return
  }
  if (!properties || !isObject(value)) return
  const known = Object.keys(properties).filter((name) => !properties[name]?.readOnly)
  const given = Object.keys(value).filter((name) => value[name] !== null || known.includes(name))
  if (given.some((name) => known.includes(name))) return
  const unknown = given.filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return
  const shown = unknown.slice(0, maxShown).map((name) => `'${name.slice(0, maxShownLength)}'`)
  throw new Problem(
    'Unprocessable',
    `${what} has only unknown fields: ${shown.join(', ')}; known fields are ${known.join(', ')}`,
  )
}
