import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject, ownValue } from '../../../operator/domain/base/json.ts'

/** A value that can be chosen, and its text. */
export interface Choice {
  readonly label: string
  readonly value: unknown
}

/** What a field is edited with, as far as its schema says it alone. */
export type ControlKind = 'text' | 'number' | 'choice' | 'object' | 'list' | 'map' | 'json'

const scalarTypes = new Set(['string', 'number', 'integer', 'boolean'])

/** The kind of control for a schema without references at its top. Free text (JSON) for all that has no other control. */
export function controlKindOf(schema: FreeForm): ControlKind {
  if (choicesOf(schema)) return 'choice'
  const type = typeOf(schema)
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'array') return isObject(ownValue(schema, 'items')) ? 'list' : 'json'
  if (type !== 'object') return 'json'
  if (hasProperties(schema)) return 'object'
  return isScalar(ownValue(schema, 'additionalProperties')) ? 'map' : 'json'
}

/** The single type of a schema, apart from null; undefined when it has none or several. */
export function typeOf(schema: FreeForm): string | undefined {
  const given = ownValue(schema, 'type')
  const types = (Array.isArray(given) ? given : [given]).filter((each) => each !== 'null')
  const [type] = types
  if (types.length === 1 && typeof type === 'string') return type
  return given === undefined && hasProperties(schema) ? 'object' : undefined
}

/** The values that a schema allows, if it lists them. */
export function choicesOf(schema: FreeForm): readonly Choice[] | undefined {
  const values = ownValue(schema, 'enum')
  if (Array.isArray(values) && values.length > 0) return values.map(choiceOf)
  if (Object.hasOwn(schema, 'const')) return [choiceOf(schema['const'])]
  const alternatives = ownValue(schema, 'oneOf') ?? ownValue(schema, 'anyOf')
  if (Array.isArray(alternatives) && alternatives.length > 0 && alternatives.every(isConstant))
    return alternatives.map((each) => ({ ...choiceOf(each['const']), ...titleOf(each) }))
  return typeOf(schema) === 'boolean' ? [true, false].map(choiceOf) : undefined
}

function isConstant(schema: unknown): schema is FreeForm {
  return isObject(schema) && Object.hasOwn(schema, 'const')
}

function titleOf({ title }: FreeForm): { label?: string } {
  return typeof title === 'string' ? { label: title } : {}
}

function choiceOf(value: unknown): Choice {
  return { label: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), value }
}

function hasProperties(schema: FreeForm): boolean {
  const properties = ownValue(schema, 'properties')
  return isObject(properties) && Object.keys(properties).length > 0
}

function isScalar(schema: unknown): boolean {
  return isObject(schema) && scalarTypes.has(typeOf(schema) ?? '')
}
