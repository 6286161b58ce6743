import type { FreeForm } from '../../api/schema.ts'
import { isDeeperThan, isObject } from '../base/json.ts'
import { compileLinear } from '../base/linear-regexp.ts'
import { stepsOf } from './pattern-size.ts'
import {
  maxDepth,
  maxParts,
  maxPathLength,
  nameOfTarget,
  namesOfPart,
  partsWithin,
  referenceKeywords,
} from './schema-parts.ts'

const maxBytes = 256 * 1024
/** Maximum length of a pattern. The time to estimate its steps grows with the square of its length. */
export const maxPatternLength = 1024
const maxPatternSteps = 20_000
/** The time to compile a schema grows with the square of the number of its patterns. */
const maxPatterns = 500

const dialects = new Set([
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema',
])

/** Keywords that generate code for each name. */
const nameKeywords = new Set(['dependentRequired', 'dependencies'])

/** Why a schema must not be compiled; undefined when it may be. */
export function problemOfForm(schema: FreeForm): string | undefined {
  if (isDeeperThan(maxDepth, schema)) return `is nested more than ${maxDepth} deep`
  const size = Buffer.byteLength(JSON.stringify(schema))
  if (size > maxBytes) return `is ${size} bytes of JSON; at most ${maxBytes} are allowed`
  return problemOfType(schema) ?? problemOfDialect(schema) ?? problemOfParts(schema)
}

/** Why a schema is not that of an object; undefined when it is. */
export function problemOfType({ type }: FreeForm): string | undefined {
  if (type === undefined || type === 'object') return undefined
  if (Array.isArray(type) && type.includes('object')) return undefined
  return "is not the schema of an object: 'type' must be 'object'"
}

function problemOfDialect({ $schema }: FreeForm): string | undefined {
  if ($schema === undefined) return undefined
  if (typeof $schema === 'string' && dialects.has($schema.replace(/#$/, ''))) return undefined
  return `has an unknown '$schema'; known are ${[...dialects].join(' and ')}`
}

/** Why a schema or a part of it refers outside of it, or takes too long to compile or run. */
function problemOfParts(schema: FreeForm): string | undefined {
  const parts = [...partsWithin(schema)]
  const count = parts.reduce((sum, { part }) => sum + 1 + (isObject(part) ? namesOf(part) : 0), 0)
  if (count > maxParts) return `has ${count} parts; at most ${maxParts} are allowed`
  const length = parts.reduce((sum, { at }) => sum + at.length, 0)
  if (length > maxPathLength) return 'has parts below long names; use shorter names'
  const known = new Set(parts.flatMap(namesOfPart))
  const patterns = new Map<string, string>()
  for (const { part, at, base } of parts) {
    if (!isObject(part)) continue
    const problem = problemOfReference(part, at, base, known)
    if (problem !== undefined) return problem
    for (const pattern of patternsOf(part)) if (!patterns.has(pattern)) patterns.set(pattern, at)
  }
  return problemOfPatterns(patterns)
}

/** The number of references in a schema. */
export function referencesIn(schema: FreeForm): number {
  return [...partsWithin(schema)].filter(
    ({ part }) => isObject(part) && referenceKeywords.some((keyword) => Object.hasOwn(part, keyword)),
  ).length
}

/** References must name checked schemas, not data. */
function problemOfReference(
  part: FreeForm,
  at: string,
  base: string,
  known: ReadonlySet<string>,
): string | undefined {
  for (const keyword of referenceKeywords) {
    const reference = part[keyword]
    if (typeof reference !== 'string') continue
    if (!reference.startsWith('#'))
      return `has the reference '${reference}' at '${at}/${keyword}'; references must begin with '#'`
    if (!known.has(nameOfTarget(reference, base)))
      return `has the reference '${reference}' at '${at}/${keyword}', which names no schema within it`
  }
  return undefined
}

function namesOf(part: FreeForm): number {
  return Object.entries(part)
    .filter(([key, member]) => nameKeywords.has(key) && isObject(member))
    .reduce((sum, [, member]) => sum + Object.values(member as FreeForm).flat().length, 0) // filtered above
}

function patternsOf({ pattern, patternProperties }: FreeForm): string[] {
  const keys = isObject(patternProperties) ? Object.keys(patternProperties) : []
  return typeof pattern === 'string' ? [pattern, ...keys] : keys
}

function problemOfPatterns(patterns: ReadonlyMap<string, string>): string | undefined {
  if (patterns.size > maxPatterns) return `has ${patterns.size} patterns; at most ${maxPatterns} are allowed`
  let steps = 0
  for (const [pattern, at] of patterns) {
    const problem = problemOfPattern(pattern)
    if (problem !== undefined)
      return `has the pattern '${pattern.slice(0, maxPatternLength)}' at '${at}', which ${problem}`
    steps += stepsOf(pattern)
    if (steps > maxPatternSteps)
      return `has patterns of about ${steps} steps in all, repetitions counted; at most ${maxPatternSteps} are allowed`
  }
  return undefined
}

/** Why a pattern cannot be used; undefined when it can. */
export function problemOfPattern(pattern: string): string | undefined {
  if (pattern.length > maxPatternLength) return `is longer than ${maxPatternLength} characters`
  const steps = stepsOf(pattern)
  if (steps > maxPatternSteps)
    return `is about ${steps} steps long, repetitions counted; at most ${maxPatternSteps} are allowed`
  try {
    compileLinear(pattern)
    return undefined
  } catch (error) {
    return `cannot run in linear time: ${error instanceof Error ? error.message : String(error)}`
  }
}
