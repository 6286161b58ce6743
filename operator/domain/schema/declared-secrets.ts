import type { FreeForm } from '../../api/schema.ts'
import { escapeToken, isObject, ownValue } from '../base/json.ts'
import { appliedSchemas } from './applied-schemas.ts'
import { createNamePatterns, type NamePatterns } from './name-patterns.ts'
import { schemasOfPart } from './parted-schema.ts'

/**
 * Schemas and properties that are read, and characters of their paths: some tens of milliseconds. Beyond either, an output that
 * both parts declare is secret as a whole: references can multiply the outputs.
 */
const maxSteps = 50_000
const maxCharacters = 250_000

/** Schemas of one output in both parts, its plain value, and its JSON pointer. */
interface Place {
  readonly secret: readonly unknown[]
  readonly open: readonly unknown[]
  readonly value: unknown
  readonly at: string
  /** The schemas of the outer places. */
  readonly outer: ReadonlySet<string>
}

/**
 * JSON pointers to the outputs that a schema declares as secret only. In doubt, an output is secret: a schema that applies
 * under a condition declares secrets, but no plain outputs. Schemas that refer to themselves are followed as deep as the plain
 * outputs are.
 */
export function declaredSecretPaths(outputsSchema: FreeForm, values: FreeForm = {}): string[] {
  const ids = new Map<FreeForm, number>()
  const idOf = (schema: FreeForm): number => {
    const id = ids.get(schema) ?? ids.size
    ids.set(schema, id)
    return id
  }
  const keyOf = (schemas: readonly FreeForm[]) =>
    schemas
      .map(idOf)
      .sort((left, right) => left - right)
      .join()
  let [steps, characters] = [maxSteps, maxCharacters]
  const patterns = createNamePatterns()
  const isTooMuch = () => steps < 0 || characters < 0 || patterns.isSpent()
  const declared = ({ secret, open, value, at, outer }: Place): string[] => {
    const hidden = appliedSchemas(outputsSchema, secret, 'perhaps')
    const plain = appliedSchemas(outputsSchema, open, 'always')
    const names = isObject(value) ? Object.keys(value) : []
    const shown = declaredProperties(plain, names, patterns)
    const found = declaredProperties(hidden, names, patterns)
    // In doubt, each output is secret that a pattern may name.
    if (patterns.isSpent() && hidden.some(hasPatterns))
      for (const name of names) if (!found.has(name)) found.set(name, [])
    steps -= hidden.length + plain.length + countOf(shown) + countOf(found)
    for (const name of found.keys()) characters -= at.length + name.length
    // The names of the outputs are needed in any case.
    if (isTooMuch() && at !== '') return [at]
    const key = `${keyOf(hidden)} ${keyOf(plain)}`
    if (outer.has(key) && !isObject(value)) return []
    const within = new Set([...outer, key])
    return [...found].flatMap(([name, schemas]) => {
      const path = `${at}/${escapeToken(name)}`
      const others = shown.get(name)
      if (!others || isTooMuch()) return [path]
      const inner = isObject(value) ? ownValue(value, name) : undefined
      return declared({ secret: schemas, open: others, value: inner, at: path, outer: within })
    })
  }
  return declared({
    secret: schemasOfPart(outputsSchema, 'secrets', 'perhaps'),
    open: schemasOfPart(outputsSchema, 'values', 'always'),
    value: values,
    at: '',
    outer: new Set(),
  })
}

/** The properties that schemas declare, by name or by a pattern of one of these names, each with its schemas. */
function declaredProperties(
  schemas: readonly FreeForm[],
  names: readonly string[],
  patterns: NamePatterns,
): Map<string, unknown[]> {
  const all = new Map<string, unknown[]>()
  const add = (name: string, property: unknown) => {
    const known = all.get(name)
    if (known) known.push(property)
    else all.set(name, [property])
  }
  for (const schema of schemas) {
    for (const [name, property] of Object.entries(propertiesOf(schema))) add(name, property)
    if (names.length === 0 || !hasPatterns(schema)) continue
    for (const [pattern, property] of Object.entries(schema.patternProperties)) {
      if (patterns.isSpent()) break
      for (const name of names) if (patterns.fits(pattern, name)) add(name, property)
    }
  }
  return all
}

function hasPatterns(schema: FreeForm): schema is { patternProperties: FreeForm } {
  return isObject(ownValue(schema, 'patternProperties'))
}

function countOf(properties: ReadonlyMap<string, readonly unknown[]>): number {
  return [...properties.values()].reduce((sum, schemas) => sum + schemas.length, 0)
}

/** The properties that a schema declares, by name. */
export function propertiesOf(schema: unknown): FreeForm {
  const properties = isObject(schema) ? ownValue(schema, 'properties') : undefined
  return isObject(properties) ? properties : {}
}
