import type { FreeForm } from '../../api/schema.ts'
import { isDeeperThan, isObject } from '../base/json.ts'
import {
  anchorsOf,
  fragmentOf,
  maxDepth,
  nameOfTarget,
  namesOfPart,
  partsWithin,
  referenceKeywords,
} from './schema-parts.ts'

/** Which schemas apply with another one: those that every value must fit, or also those that only some values meet. */
export type Reach = 'always' | 'perhaps'

/** Keywords whose schemas apply to the same value, perhaps under a condition. */
const applicators = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]

/** Where the references of a schema lead. */
interface References {
  readonly bases: ReadonlyMap<unknown, string>
  readonly named: ReadonlyMap<string, readonly FreeForm[]>
  /** By anchor, of any base: a dynamic reference may lead to each of them. */
  readonly anchored: ReadonlyMap<string, readonly FreeForm[]>
}

/** Subschemas of a root, and those that apply to the same value with them, by reference or in combination. */
export function appliedSchemas(root: FreeForm, schemas: readonly unknown[], reach: Reach): FreeForm[] {
  const references = referencesOf(root)
  const applied = new Set(schemas.filter(isObject))
  // A set yields what is added meanwhile, each item once: references may form a cycle.
  for (const schema of applied) {
    const next = reach === 'always' ? certain(schema, references) : possible(schema, references)
    for (const each of next) if (isObject(each)) applied.add(each)
  }
  return [...applied]
}

function certain(schema: FreeForm, references: References): unknown[] {
  const targets = targetsOf(schema, '$ref', references)
  const { allOf } = schema
  return [...(targets.length === 1 ? targets : []), ...(Array.isArray(allOf) ? allOf : [])]
}

function possible(schema: FreeForm, references: References): unknown[] {
  const targets = referenceKeywords.flatMap((keyword) => targetsOf(schema, keyword, references))
  const members = applicators.flatMap((keyword) => {
    const member = schema[keyword]
    if (Array.isArray(member)) return member
    const isMap = keyword === 'dependentSchemas' || keyword === 'dependencies'
    return isMap && isObject(member) ? Object.values(member) : [member]
  })
  return [...targets, ...members]
}

function targetsOf(
  schema: FreeForm,
  keyword: (typeof referenceKeywords)[number],
  { bases, named, anchored }: References,
): readonly FreeForm[] {
  const reference = schema[keyword]
  if (typeof reference !== 'string' || !reference.startsWith('#')) return []
  const exact = named.get(nameOfTarget(reference, bases.get(schema) ?? '')) ?? []
  return keyword === '$ref' ? exact : [...exact, ...(anchored.get(fragmentOf(reference)) ?? [])]
}

const referencesByRoot = new WeakMap<FreeForm, References>()

function referencesOf(root: FreeForm): References {
  const known = referencesByRoot.get(root) ?? readReferences(root)
  referencesByRoot.set(root, known)
  return known
}

function readReferences(root: FreeForm): References {
  const bases = new Map<unknown, string>()
  const named = new Map<string, FreeForm[]>()
  const anchored = new Map<string, FreeForm[]>()
  // Such a schema is invalid, and fits nothing.
  if (isDeeperThan(maxDepth, root)) return { bases, named, anchored }
  for (const each of partsWithin(root)) {
    const { part, base } = each
    if (!isObject(part)) continue
    bases.set(part, base)
    for (const name of namesOfPart(each)) add(named, name, part)
    for (const anchor of anchorsOf(part)) add(anchored, anchor, part)
    if (part['$recursiveAnchor'] === true) add(anchored, '', part)
  }
  return { bases, named, anchored }
}

function add(map: Map<string, FreeForm[]>, name: string, schema: FreeForm): void {
  const known = map.get(name)
  if (known) known.push(schema)
  else map.set(name, [schema])
}
