import type { FreeForm } from '../api/schema.ts'
import { escapeToken, isObject } from './json.ts'
import { linearRegExp } from './linear-regexp.ts'

const maxBytes = 256 * 1024
const maxDepth = 64
const maxPatternLength = 1024
/** What these allow takes some tenths of a second to compile, in which the process does nothing else. */
const maxParts = 2000
const maxPatternSteps = 100_000

const dialects = new Set([
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema',
])

/** Keywords under which a schema has a map of schemas, its keys the user's. */
export const mapKeywords = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/** Keywords under which a schema has anything but schemas. */
export const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'uiHints', 'uiGroups'])

const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const

/** Why a schema is not even looked at by the compiler; undefined when it is. */
export function faultOfForm(schema: FreeForm): string | undefined {
  if (isTooDeep(schema, 1)) return `is nested more than ${maxDepth} deep`
  const size = Buffer.byteLength(JSON.stringify(schema))
  if (size > maxBytes) return `is ${size} bytes of JSON; at most ${maxBytes} are allowed`
  return faultOfType(schema) ?? faultOfDialect(schema) ?? faultOfCost(schema) ?? faultOfPart(schema, '')
}

function faultOfCost(schema: FreeForm): string | undefined {
  let parts = 0
  let steps = 0
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (isObject(value)) {
      parts += 1
      for (const pattern of patternsOf(value)) steps += stepsOf(pattern)
    }
    for (const member of Object.values(value)) visit(member)
  }
  visit(schema)
  if (parts > maxParts) return `has ${parts} parts; at most ${maxParts} are allowed`
  if (steps > maxPatternSteps)
    return `has patterns of about ${steps} steps in all, repetitions counted; at most ${maxPatternSteps} are allowed`
  return undefined
}

/** About how long a pattern is once each part is written as often as it may come; the engine allows 1,000 times. */
function stepsOf(pattern: string): number {
  const times = [...pattern.matchAll(/\{(?:\d{0,4},)?(\d{1,4})/g)].map((match) => Number(match[1]))
  const isNested = pattern.includes('){')
  if (!isNested) return times.reduce((sum, each) => sum + each, pattern.length)
  return (
    pattern.length *
    Math.min(
      1000,
      times.reduce((product, each) => product * Math.max(1, each), 1),
    )
  )
}

function isTooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth > maxDepth || Object.values(value).some((member) => isTooDeep(member, depth + 1))
}

function faultOfType({ type }: FreeForm): string | undefined {
  if (type === undefined || type === 'object') return undefined
  if (Array.isArray(type) && type.includes('object')) return undefined
  return "is not the schema of an object: 'type' must be 'object'"
}

function faultOfDialect({ $schema }: FreeForm): string | undefined {
  if ($schema === undefined) return undefined
  if (typeof $schema === 'string' && dialects.has($schema.replace(/#$/, ''))) return undefined
  return `has an unknown '$schema'; known are ${[...dialects].join(' and ')}`
}

/** What of one schema and those within it would reach outside, or take more than linear time. */
function faultOfPart(schema: FreeForm, at: string): string | undefined {
  for (const keyword of referenceKeywords) {
    const reference = schema[keyword]
    if (typeof reference === 'string' && !reference.startsWith('#'))
      return `has the reference '${reference}' at '${at}/${keyword}'; references must begin with '#'`
  }
  for (const pattern of patternsOf(schema)) {
    const fault = faultOfPattern(pattern)
    if (fault !== undefined) return `has the pattern '${pattern}' at '${at}', which ${fault}`
  }
  return firstFault(schema, at, (keyword, member, where) => {
    if (dataKeywords.has(keyword)) return undefined
    if (mapKeywords.has(keyword) && isObject(member))
      return firstFault(member, where, (_, each, inner) => faultWithin(each, inner))
    return faultWithin(member, where)
  })
}

function firstFault(
  map: FreeForm,
  at: string,
  judge: (key: string, member: unknown, where: string) => string | undefined,
): string | undefined {
  for (const [key, member] of Object.entries(map)) {
    const fault = judge(key, member, `${at}/${escapeToken(key)}`)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultWithin(value: unknown, at: string): string | undefined {
  if (isObject(value)) return faultOfPart(value, at)
  if (!Array.isArray(value)) return undefined
  return firstFault(Object.fromEntries(value.entries()), at, (_, item, where) => faultWithin(item, where))
}

function patternsOf({ pattern, patternProperties }: FreeForm): string[] {
  const keys = isObject(patternProperties) ? Object.keys(patternProperties) : []
  return typeof pattern === 'string' ? [pattern, ...keys] : keys
}

function faultOfPattern(pattern: string): string | undefined {
  if (pattern.length > maxPatternLength) return `is longer than ${maxPatternLength} characters`
  try {
    linearRegExp(pattern)
    return undefined
  } catch (error) {
    return `cannot run in linear time: ${error instanceof Error ? error.message : String(error)}`
  }
}
