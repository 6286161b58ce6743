import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject, ownValue } from '../../../operator/domain/base/json.ts'
import { memberPointer } from './pointer.ts'

/** The schema of a text, and what is wrong with the text. `schema` is undefined for a text that is no JSON object. */
export interface CheckedSchema {
  readonly schema: FreeForm | undefined
  /** Each begins with the JSON pointer of the place, if it is not the whole schema. */
  readonly problems: readonly string[]
}

const maxDepth = 64
const maxProblems = 20
const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** Checks the text of a JSON Schema for what an editor can point at. The server checks the rest. */
export function checkSchemaText(text: string): CheckedSchema {
  if (text.trim() === '') return { schema: {}, problems: [] }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { schema: undefined, problems: [`is not JSON: ${reason}`] }
  }
  if (!isObject(parsed)) return { schema: undefined, problems: ['must be a JSON object'] }
  const problems: string[] = []
  for (const problem of problemsWithin(parsed, '', 0)) {
    problems.push(problem)
    if (problems.length >= maxProblems) break
  }
  return { schema: parsed, problems }
}

function* problemsWithin(schema: unknown, at: string, depth: number): Generator<string> {
  if (typeof schema === 'boolean') return
  if (!isObject(schema)) {
    yield at === '' ? 'must be a schema' : `${at} must be a schema: an object, true or false`
    return
  }
  if (depth > maxDepth) {
    yield `${at} is nested too deep`
    return
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const place = memberPointer(at, keyword)
    const problem = ownValue(checks, keyword)?.(value)
    if (problem !== undefined) yield `${place} ${problem}`
    else yield* nestedProblems(keyword, value, place, depth + 1)
  }
  // Values and secrets can be written without an outer `properties`.
  for (const part of depth === 0 && !Object.hasOwn(schema, 'properties') ? ['values', 'secrets'] : [])
    if (Object.hasOwn(schema, part)) yield* problemsWithin(schema[part], `/${part}`, 1)
}

const mapKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const listKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemaKeywords = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'])

function* nestedProblems(keyword: string, value: unknown, at: string, depth: number): Generator<string> {
  if (mapKeywords.has(keyword) && isObject(value))
    for (const [key, each] of Object.entries(value))
      yield* problemsWithin(each, memberPointer(at, key), depth)
  const isList = listKeywords.has(keyword) || (keyword === 'items' && Array.isArray(value))
  if (isList && Array.isArray(value))
    for (const [index, each] of value.entries()) yield* problemsWithin(each, `${at}/${index}`, depth)
  else if (schemaKeywords.has(keyword)) yield* problemsWithin(value, at, depth)
}

/** What is wrong with the value of a keyword. */
const checks: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  type: problemOfType,
  properties: isMap,
  patternProperties: isMap,
  $defs: isMap,
  definitions: isMap,
  allOf: isFilledList,
  anyOf: isFilledList,
  oneOf: isFilledList,
  enum: isFilledList,
  required: (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string')
      ? undefined
      : 'must be a list of names',
  title: isText,
  description: isText,
  $ref: (value) =>
    typeof value === 'string' && value.startsWith('#')
      ? undefined
      : "must be a reference that begins with '#'",
  pattern: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  uiHints: problemOfHints,
  uiGroups: problemOfGroups,
}

function problemOfType(value: unknown): string | undefined {
  const given = Array.isArray(value) ? value : [value]
  if (given.length > 0 && given.every((each) => types.has(String(each)))) return undefined
  return `must be one of ${[...types].join(', ')}, or a list of them`
}

function isMap(value: unknown): string | undefined {
  return isObject(value) ? undefined : 'must be an object'
}

function isFilledList(value: unknown): string | undefined {
  return Array.isArray(value) && value.length > 0 ? undefined : 'must be a list with at least one member'
}

function isText(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'must be a text'
}

function isNumber(value: unknown): string | undefined {
  return typeof value === 'number' ? undefined : 'must be a number'
}

function isCount(value: unknown): string | undefined {
  return Number.isInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number of at least 0'
}

function problemOfHints(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object'
  const { order, group, width } = value
  if (order !== undefined && typeof order !== 'number') return "must have a number as 'order'"
  if (group !== undefined && typeof group !== 'string') return "must have a text as 'group'"
  if (width === undefined || (typeof width === 'number' && width > 0)) return undefined
  return "must have a number above 0 as 'width'"
}

function problemOfGroups(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object'
  for (const [name, group] of Object.entries(value)) {
    if (!isObject(group)) return `must have an object as '${name}'`
    if (group['type'] !== 'row' && group['type'] !== 'section')
      return `must have the type 'row' or 'section' for '${name}'`
    const { section } = group
    const isKnown = typeof section === 'string' && Object.hasOwn(value, section)
    if (section !== undefined && !isKnown) return `must have the section of '${name}' as a group`
  }
  return undefined
}
