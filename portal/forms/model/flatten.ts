import type { FreeForm } from '../../../operator/api/schema.ts'
import { isObject, ownValue, pointerSteps } from '../../../operator/domain/base/json.ts'

/** A schema without references at its top, and the references that led to it. */
export interface FlatSchema {
  readonly schema: FreeForm
  readonly references: ReadonlySet<string>
}

/** Resolves `$ref` and `allOf` at the top of a schema. A reference that was followed before is left out. */
export function flatten(schema: unknown, root: FreeForm, followed: ReadonlySet<string>): FlatSchema {
  const references = new Set(followed)
  const parts = isObject(schema) ? partsWithin(schema, root, references) : []
  return { schema: parts.reduceRight<FreeForm>(merge, {}), references }
}

function partsWithin(schema: FreeForm, root: FreeForm, references: Set<string>): FreeForm[] {
  const { $ref: reference, allOf, ...own } = schema
  const all = Array.isArray(allOf) ? allOf : []
  const target = typeof reference === 'string' ? follow(reference, root, references) : undefined
  return [own, ...[target, ...all].filter(isObject).flatMap((each) => partsWithin(each, root, references))]
}

function follow(reference: string, root: FreeForm, references: Set<string>): unknown {
  if (references.has(reference) || !/^#(?:\/|$)/.test(reference)) return undefined
  references.add(reference)
  return pointerSteps(decoded(reference.slice(1))).reduce<unknown>((holder, key) => {
    if (Array.isArray(holder)) return holder[Number(key)]
    return isObject(holder) ? ownValue(holder, key) : undefined
  }, root)
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** The first of two schemas wins, except for properties and required names, which are joined. */
function merge(other: FreeForm, first: FreeForm): FreeForm {
  const properties = [other, first].map((each) => ownValue(each, 'properties')).filter(isObject)
  const required = [first, other].flatMap(requiredNames)
  return {
    ...other,
    ...first,
    ...(properties.length > 0 && {
      properties: Object.fromEntries(properties.flatMap((each) => Object.entries(each))),
    }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  }
}

/** The names of required members. */
export function requiredNames(schema: FreeForm): string[] {
  const required = ownValue(schema, 'required')
  return Array.isArray(required) ? required.filter((each) => typeof each === 'string') : []
}
