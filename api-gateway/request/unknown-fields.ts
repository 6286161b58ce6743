import type { FreeForm, TSchema } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { isObject, ownValue } from '../../operator/domain/base/json.ts'
import { firstMisspelt } from '../../operator/domain/base/nearest.ts'

type Properties = Readonly<Record<string, TSchema & { readonly readOnly?: boolean }>>

/** The JSON Schema keywords that say which fields a body has. */
interface SchemaParts {
  readonly properties?: Properties
  readonly items?: TSchema
  readonly additionalProperties?: TSchema | boolean
}

const maxShown = 5
const maxShownLength = 63

/** Describes a place in a body. Only a refusal calls it. */
type Describe = () => string

/** The names that lead to a value within the body, from the last to the first. */
interface Path {
  readonly name: string
  readonly parent: Path | undefined
}

/**
 * Throws Unprocessable for an object, or an object within it, that has only unknown fields, or a misspelt one: it is not
 * the object that is expected, and without those fields it would mean something else. Null counts as absent, and so does a
 * read-only field, which clients send back.
 */
export function refuseUnknownFields(schema: TSchema, value: unknown): void {
  visit(schema, value, () => 'the body', undefined)
}

function visit(schema: TSchema, value: unknown, what: Describe, path: Path | undefined): void {
  const { properties, items, additionalProperties } = schema as SchemaParts
  if (items && Array.isArray(value)) {
    const whatOfItem = () => `an item of ${what()}`
    for (const item of value) visit(items, item, whatOfItem, path)
    return
  }
  if (!isObject(value) || !(properties || isObject(additionalProperties))) return
  if (properties) refuseUnknown(properties, value, what)
  for (const [name, member] of Object.entries(value)) {
    const below = ownValue(properties ?? {}, name) ?? additionalProperties
    if (!isObject(below) || below['readOnly'] || typeof member !== 'object') continue
    const place: Path = { name, parent: path }
    visit(below as TSchema, member, () => `'${shown(textOf(place))}'`, place)
  }
}

function textOf({ name, parent }: Path): string {
  return parent === undefined ? name : `${textOf(parent)}.${name}`
}

/** Says which query parameter is misspelt. Any operation can be asked for a dry run, and must not write then. */
export function misspeltParameter(
  { query = {} }: { readonly query?: object },
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const known = [...Object.keys(query), 'dry_run']
  const absent = known.filter((name) => given[name] === undefined)
  const unknown = Object.keys(given).filter((each) => !known.includes(each))
  const found = firstMisspelt(unknown, absent)
  return found && `query: '${shown(found.wrong)}' is not known; did you mean '${found.meant}'?`
}

function refuseUnknown(properties: Properties, value: FreeForm, what: Describe): void {
  const names = Object.keys(value)
  if (names.every((name) => Object.hasOwn(properties, name))) return
  const known = Object.keys(properties).filter((name) => !properties[name]?.readOnly)
  const given = names.filter((name) => value[name] !== null || known.includes(name))
  const unknown = given.filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return
  if (given.some((name) => known.includes(name))) return refuseMisspelt(unknown, known, value, what)
  const first = unknown.slice(0, maxShown).map((name) => `'${shown(name)}'`)
  throw new Problem(
    'Unprocessable',
    `${what()} has only unknown fields: ${first.join(', ')}; known fields are ${known.join(', ')}`,
  )
}

/** A field that is there in its right spelling is not meant by another one. */
function refuseMisspelt(
  unknown: readonly string[],
  known: readonly string[],
  value: FreeForm,
  what: Describe,
): void {
  const absent = known.filter((name) => (value[name] ?? undefined) === undefined)
  const found = firstMisspelt(unknown, absent)
  if (!found) return
  const message = `${what()} has the unknown field '${shown(found.wrong)}'; did you mean '${found.meant}'?`
  throw new Problem('Unprocessable', message)
}

function shown(name: string): string {
  return name.slice(0, maxShownLength)
}
