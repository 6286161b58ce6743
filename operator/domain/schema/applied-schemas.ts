import type { FreeForm } from '../../api/schema.ts'
import { isObject } from '../base/json.ts'
import {
  anchorsOf,
  fragmentOf,
  isReadable,
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

/** Members of a keyword, or the targets that all references of one name share. */
type Group = readonly FreeForm[]

/** Where the references of a schema lead. */
interface References {
  readonly bases: ReadonlyMap<unknown, string>
  readonly named: ReadonlyMap<string, Group>
  /** By anchor, of any base: a dynamic reference may lead to each of them. */
  readonly anchored: ReadonlyMap<string, Group>
  /** The groups that apply with a schema, once they are known. */
  readonly groups: Map<FreeForm, Readonly<Record<Reach, readonly Group[]>>>
}

/**
 * Subschemas of a root, and those that apply to the same value with them, by reference or in combination. Takes linear time
 * in their number, after the first time for a root.
 */
export function appliedSchemas(root: FreeForm, schemas: readonly unknown[], reach: Reach): FreeForm[] {
  const references = referencesOf(root)
  const applied = new Set(schemas.filter(isObject))
  // Many references may lead to the same many targets.
  const followed = new Set<Group>()
  // A set yields what is added meanwhile, each item once: references may form a cycle.
  for (const schema of applied)
    for (const group of groupsOf(schema, references)[reach]) {
      if (followed.has(group)) continue
      followed.add(group)
      for (const each of group) applied.add(each)
    }
  return [...applied]
}

function groupsOf(schema: FreeForm, references: References): Readonly<Record<Reach, readonly Group[]>> {
  const known = references.groups.get(schema)
  if (known) return known
  const groups = { always: certain(schema, references), perhaps: possible(schema, references) }
  references.groups.set(schema, groups)
  return groups
}

function certain(schema: FreeForm, references: References): Group[] {
  const targets = targetsOf(schema, '$ref', references).filter((group) => group.length === 1)
  const { allOf } = schema
  return [...targets, Array.isArray(allOf) ? allOf.filter(isObject) : []]
}

function possible(schema: FreeForm, references: References): Group[] {
  const targets = referenceKeywords.flatMap((keyword) => targetsOf(schema, keyword, references))
  const members = applicators.flatMap((keyword) => {
    const member = schema[keyword]
    if (Array.isArray(member)) return member
    const isMap = keyword === 'dependentSchemas' || keyword === 'dependencies'
    return isMap && isObject(member) ? Object.values(member) : [member]
  })
  return [...targets, members.filter(isObject)]
}

function targetsOf(
  schema: FreeForm,
  keyword: (typeof referenceKeywords)[number],
  { bases, named, anchored }: References,
): Group[] {
  const reference = schema[keyword]
  if (typeof reference !== 'string' || !reference.startsWith('#')) return []
  const exact = named.get(nameOfTarget(reference, bases.get(schema) ?? ''))
  const others = keyword === '$ref' ? undefined : anchored.get(fragmentOf(reference))
  return [exact, others].filter((group) => group !== undefined)
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
  const references = { bases, named, anchored, groups: new Map() }
  // Such a schema is invalid, and fits nothing.
  if (!isReadable(root)) return references
  for (const each of partsWithin(root)) {
    const { part, base } = each
    if (!isObject(part)) continue
    bases.set(part, base)
    for (const name of namesOfPart(each)) add(named, name, part)
    for (const anchor of anchorsOf(part)) add(anchored, anchor, part)
    if (part['$recursiveAnchor'] === true) add(anchored, '', part)
  }
  return references
}

function add(map: Map<string, FreeForm[]>, name: string, schema: FreeForm): void {
  const known = map.get(name)
  if (known) known.push(schema)
  else map.set(name, [schema])
}
