import type { FreeForm } from '../../api/schema.ts'
import { escapeToken, isObject } from '../base/json.ts'
import { misspelt } from '../base/nearest.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { dataKeywords, isReadable, mapKeywords } from './schema-parts.ts'
import { checkedFormats } from './user-schema.ts'

/** Keywords whose value is a schema or a list of schemas. */
const schemaKeywords = new Set(
  (
    'items prefixItems additionalItems contains additionalProperties propertyNames not if then else allOf anyOf ' +
    'oneOf unevaluatedItems unevaluatedProperties contentSchema'
  ).split(' '),
)

const plainKeywords = (
  '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment type ' +
  'multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems ' +
  'uniqueItems maxContains minContains maxProperties minProperties required format contentEncoding ' +
  // The last ones are of OpenAPI.
  'contentMediaType title description deprecated readOnly writeOnly example nullable'
).split(' ')

const keywords: readonly string[] = [...plainKeywords, ...schemaKeywords, ...mapKeywords, ...dataKeywords]
const known = new Set(keywords)
const parts = ['values', 'secrets']
const maxWarnings = 10
const maxShown = 100

/** Warnings about the schemas of a type: JSON Schema allows unknown keywords and formats, which check nothing. */
export function warningsOfSchemas({
  inputsSchema,
  outputsSchema,
}: Pick<ResourceTypeInfo, 'inputsSchema' | 'outputsSchema'>): string[] {
  const unknown = (schema: FreeForm) => firstHints(ofKeywords, schema, (each) => hintsWithin(each, ''))
  return [
    ...unknown(inputsSchema).map((text) => `the schema of the inputs has the ${text}`),
    ...unknown(outputsSchema).map((text) => `the schema of the outputs has the ${text}`),
    ...firstHints(ofParts, outputsSchema, hintsAtParts).map(
      (text) => `the schema of the outputs has ${text}`,
    ),
  ]
}

type Hints = WeakMap<FreeForm, readonly string[]>

const ofKeywords: Hints = new WeakMap()
const ofParts: Hints = new WeakMap()

/** The first hints about a schema, which are kept: types are listed often. */
function firstHints(
  found: Hints,
  schema: FreeForm,
  hintsOf: (schema: FreeForm) => Iterable<string>,
): readonly string[] {
  const known = found.get(schema)
  if (known) return known
  const hints: string[] = []
  found.set(schema, hints)
  if (!isReadable(schema)) return hints
  for (const hint of hintsOf(schema)) {
    hints.push(hint)
    if (hints.length === maxWarnings) break
  }
  return hints
}

function* hintsAtParts({ properties }: FreeForm): Generator<string> {
  const names = isObject(properties) ? Object.keys(properties) : []
  const absent = parts.filter((name) => !names.includes(name))
  for (const name of names) {
    const meant = misspelt(name, absent)
    if (meant !== undefined) yield hintOf(name, '/properties', meant)
  }
}

/** Looks into schemas alone: other data may have any keys. */
function* hintsWithin(value: unknown, at: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* hintsWithin(item, `${at}/${i}`)
    return
  }
  if (!isObject(value)) return
  const absent = keywords.filter((each) => !Object.hasOwn(value, each))
  for (const [keyword, member] of Object.entries(value)) {
    const where = `${at}/${escapeToken(keyword)}`
    if (mapKeywords.has(keyword) && isObject(member))
      for (const [name, each] of Object.entries(member))
        yield* hintsWithin(each, `${where}/${escapeToken(name)}`)
    else if (schemaKeywords.has(keyword)) yield* hintsWithin(member, where)
    else if (keyword === 'format' && typeof member === 'string' && !checkedFormats.includes(member))
      yield `format ${named(member, at)}, which is not checked${instead(misspelt(member, checkedFormats))}`
    else if (!known.has(keyword)) {
      const meant = misspelt(keyword, absent)
      if (meant !== undefined) yield `unknown keyword ${hintOf(keyword, at, meant)}`
    }
  }
}

function hintOf(name: string, at: string, meant: string): string {
  return `${named(name, at)}${instead(meant)}`
}

function instead(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean '${meant}'?`
}

function named(name: string, at: string): string {
  const place = at === '' ? '' : ` at '${at.slice(0, maxShown)}'`
  return `'${name.slice(0, maxShown)}'${place}`
}
