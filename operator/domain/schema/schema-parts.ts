import { escapeToken, isDeeperThan, isObject } from '../base/json.ts'

/** A schema of more levels is not read. */
export const maxDepth = 64

/** A schema at these limits takes a few tenths of a second to compile, which blocks the event loop. */
export const maxParts = 2000

/** Characters of the paths of all parts: a long name counts for each part below it. */
export const maxPathLength = 4_000_000

/** Keywords whose value is a map of schemas with user-defined keys. */
export const mapKeywords = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/** Keywords whose value is not a schema. */
export const dataKeywords = new Set([
  'const',
  'enum',
  'default',
  'examples',
  'dependentRequired',
  'uiHints',
  'uiGroups',
])

const anchorKeywords = ['$anchor', '$dynamicAnchor', '$id'] as const

/** Keywords whose value names another schema. */
export const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const

/** A subschema (or true or false), its JSON pointer, and the pointer of the schema that references are relative to. */
export interface Part {
  readonly part: unknown
  readonly at: string
  readonly base: string
}

/** All subschemas of a schema, itself included. */
export function* partsWithin(value: unknown, at = '', outer = ''): Generator<Part> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* partsWithin(item, `${at}/${i}`, outer)
    return
  }
  if (typeof value === 'boolean') yield { part: value, at, base: outer }
  if (!isObject(value)) return
  const { $id } = value
  const base = typeof $id === 'string' && !$id.startsWith('#') ? at : outer
  yield { part: value, at, base }
  for (const [keyword, member] of Object.entries(value)) {
    const where = `${at}/${escapeToken(keyword)}`
    // Other values of keywords are flags and limits, not schemas.
    if (dataKeywords.has(keyword) || typeof member !== 'object') continue
    if (!mapKeywords.has(keyword) || !isObject(member)) yield* partsWithin(member, where, base)
    else
      for (const [key, each] of Object.entries(member))
        yield* partsWithin(each, `${where}/${escapeToken(key)}`, base)
  }
}

/** Whether a schema is small enough to be read. Stops at the first limit that a schema exceeds. */
export function isReadable(schema: unknown): boolean {
  if (isDeeperThan(maxDepth, schema)) return false
  let [parts, length] = [0, 0]
  for (const { at } of partsWithin(schema)) {
    parts += 1
    length += at.length
    if (parts > maxParts || length > maxPathLength) return false
  }
  return true
}

/** The names by which references can name a part, each with the pointer of its base. */
export function namesOfPart({ part, at, base }: Part): string[] {
  return [`#${at}`, ...anchorsOf(part).map((name) => `${base}#${name}`)]
}

/** The anchors of a part, without their base. */
export function anchorsOf(part: unknown): string[] {
  const anchors = isObject(part) ? anchorKeywords.map((keyword) => part[keyword]) : []
  return anchors.filter((each) => typeof each === 'string').map((each) => each.replace('#', ''))
}

/** The name of the part that a reference from a base names, as `namesOfPart` writes it. */
export function nameOfTarget(reference: string, base: string): string {
  const fragment = fragmentOf(reference)
  return fragment === '' || fragment.startsWith('/') ? `#${base}${fragment}` : `${base}#${fragment}`
}

/** What follows the `#` of a reference, decoded. */
export function fragmentOf(reference: string): string {
  const fragment = reference.slice(1)
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
