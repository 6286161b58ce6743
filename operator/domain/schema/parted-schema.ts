import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue } from '../base/json.ts'
import { appliedSchemas, type Reach } from './applied-schemas.ts'

const partNames = ['values', 'secrets'] as const
type PartName = (typeof partNames)[number]

/**
 * The schemas of `values` and `secrets` in a schema of outputs or driver inputs, with or without the outer `properties`.
 * Each can be used alone.
 */
export function partsOf(schema: FreeForm): {
  readonly values: FreeForm | undefined
  readonly secrets: FreeForm | undefined
} {
  const known = partsCache.get(schema)
  if (known) return known
  const parts = { values: partOf(schema, 'values'), secrets: partOf(schema, 'secrets') }
  partsCache.set(schema, parts)
  return parts
}

const partsCache = new WeakMap<FreeForm, ReturnType<typeof partsOf>>()

/** The schemas of a part that the root and the schemas that apply with it declare. */
export function schemasOfPart(root: FreeForm, name: PartName, reach: Reach): unknown[] {
  return appliedSchemas(root, [root], reach)
    .map((schema) => ownValue(holderOf(schema), name))
    .filter((part) => part !== undefined)
}

/** The schema of `values` and `secrets` together: the given one, with the outer `properties` if it omits them. */
export function wholeOf(schema: FreeForm): FreeForm {
  if (Object.hasOwn(schema, 'properties')) return schema
  const known = wholeCache.get(schema)
  if (known) return known
  const { values, secrets, ...rest } = schema
  const parts = Object.entries({ values, secrets }).filter(([, part]) => isSchema(part))
  const whole = { ...rest, properties: Object.fromEntries(parts) }
  wholeCache.set(schema, whole)
  return whole
}

/** Whether a schema, or one that may apply with it, declares `values` or `secrets`. */
export function declaresParts(schema: FreeForm): boolean {
  return partNames.some((name) => schemasOfPart(schema, name, 'perhaps').some(isSchema))
}

/** The parts that a schema speaks of, and those that have members: an empty part that it omits or forbids is no violation. */
export function partsToCheck(schema: FreeForm, parts: Readonly<Record<PartName, FreeForm>>): FreeForm {
  const required = new Set(appliedSchemas(schema, [schema], 'always').flatMap((each) => each['required']))
  const given = partNames.filter((name) => {
    if (Object.keys(parts[name]).length > 0 || required.has(name)) return true
    return schemasOfPart(schema, name, 'perhaps').some((each) => each !== false)
  })
  return Object.fromEntries(given.map((name) => [name, parts[name]]))
}

const wholeCache = new WeakMap<FreeForm, FreeForm>()

function holderOf(schema: FreeForm): FreeForm {
  const properties = ownValue(schema, 'properties')
  return isObject(properties) ? properties : schema
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean'
}

/** The schema of a part with the definitions of the root, because references such as `#/$defs/port` start at the root. */
function partOf(root: FreeForm, name: PartName): FreeForm | undefined {
  const declared = schemasOfPart(root, name, 'always').filter((each) => each !== true && isSchema(each))
  if (declared.includes(false)) return { not: {} }
  const parts = declared.filter(isObject)
  const [part, ...more] = parts
  if (!part) return undefined
  return withDefinitions(more.length === 0 ? part : { allOf: parts }, root)
}

function withDefinitions(part: FreeForm, root: FreeForm): FreeForm {
  const definitions = ['$defs', 'definitions'].flatMap((key) => {
    const [ofPart, ofRoot] = [ownValue(part, key), ownValue(root, key)]
    return isObject(ofRoot) ? [[key, { ...(isObject(ofPart) ? ofPart : {}), ...ofRoot }] as const] : []
  })
  const dialect = ownValue(root, '$schema')
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...part,
    ...Object.fromEntries(definitions),
  }
}
