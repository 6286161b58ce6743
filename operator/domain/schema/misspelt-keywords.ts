import type { FreeForm } from '../../api/schema.ts'
import { escapeToken, isObject } from '../base/json.ts'
import { misspelt } from '../base/nearest.ts'
import type { ResourceTypeInfo } from '../resource/type-info.ts'
import { dataKeywords, isReadable, mapKeywords } from './schema-parts.ts'

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

/** Warnings about the schemas of a type: JSON Schema allows unknown keywords, and a misspelt one checks nothing. */
export function warningsOfSchemas({
  inputsSchema,
  outputsSchema,
}: Pick<ResourceTypeInfo, 'inputsSchema' | 'outputsSchema'>): string[] {
  const { properties } = outputsSchema
  const names = isObject(properties) ? Object.keys(properties) : []
  const absent = parts.filter((name) => !names.includes(name))
  return [
    ...misspeltIn(inputsSchema).map((text) => `the schema of the inputs has the unknown keyword ${text}`),
    ...misspeltIn(outputsSchema).map((text) => `the schema of the outputs has the unknown keyword ${text}`),
    ...names.flatMap((name) => {
      const meant = misspelt(name, absent)
      return meant === undefined
        ? []
        : [`the schema of the outputs has ${hintOf(name, '/properties', meant)}`]
    }),
  ]
}

const found = new WeakMap<FreeForm, readonly string[]>()

function misspeltIn(schema: FreeForm): readonly string[] {
  const result = found.get(schema) ?? (isReadable(schema) ? [...hintsWithin(schema, '')] : [])
  found.set(schema, result)
  return result.slice(0, maxWarnings)
}

/** Looks into schemas alone: other data may have any keys. */
function* hintsWithin(value: unknown, at: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* hintsWithin(item, `${at}/${i}`)
    return
  }
  if (!isObject(value)) return
  for (const [keyword, member] of Object.entries(value)) {
    const where = `${at}/${escapeToken(keyword)}`
    if (mapKeywords.has(keyword) && isObject(member))
      for (const [name, each] of Object.entries(member))
        yield* hintsWithin(each, `${where}/${escapeToken(name)}`)
    else if (schemaKeywords.has(keyword)) yield* hintsWithin(member, where)
    else if (!known.has(keyword)) {
      const meant = misspelt(
        keyword,
        keywords.filter((each) => !Object.hasOwn(value, each)),
      )
      if (meant !== undefined) yield hintOf(keyword, at, meant)
    }
  }
}

function hintOf(name: string, at: string, meant: string): string {
  const place = at === '' ? '' : ` at '${at.slice(0, maxShown)}'`
  return `'${name.slice(0, maxShown)}'${place}; did you mean '${meant}'?`
}
