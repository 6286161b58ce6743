import type { ErrorObject } from 'ajv'
import { Problem } from '../base/errors.ts'
import { isObject, ownValue, pointerSteps } from '../base/json.ts'
import { findPlaceholders } from '../placeholder/placeholder.ts'

/** Keywords that depend on nested values, not only on the value that they report. */
const deepKeywords = new Set([
  'anyOf',
  'oneOf',
  'not',
  'if',
  'contains',
  'const',
  'enum',
  'uniqueItems',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** The errors that do not depend on the values of placeholders. */
export function withoutPlaceholderErrors(errors: readonly ErrorObject[], value: unknown): ErrorObject[] {
  const kept: ErrorObject[] = []
  // Many errors can be about the same value.
  const known = new Map<unknown, boolean>()
  for (const error of errors) {
    const at = valueAt(value, error.instancePath)
    const holds = known.get(at) ?? holdsPlaceholder(at)
    known.set(at, holds)
    if (typeof at === 'string' && holds) continue
    if (!deepKeywords.has(error.keyword) || !holds) kept.push(error)
    else dropBranches(kept, error)
  }
  return kept
}

/** Removes the errors of the branches of a keyword, which precede its own error. */
function dropBranches(kept: ErrorObject[], { instancePath, schemaPath, keyword }: ErrorObject): void {
  const parent = schemaPath.slice(0, schemaPath.lastIndexOf('/'))
  const branches = keyword === 'if' ? [`${parent}/then/`, `${parent}/else/`] : [`${schemaPath}/`]
  const isBranch = (error: ErrorObject) => {
    const isWithin = error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`)
    if (!isWithin) return false
    if (branches.some((branch) => error.schemaPath.startsWith(branch))) return true
    // Errors of a referenced schema have the path of that schema.
    return !error.schemaPath.startsWith(`${parent}/`) || /^#\/(\$defs|definitions)\//.test(error.schemaPath)
  }
  for (let last = kept.at(-1); last && isBranch(last); last = kept.at(-1)) kept.pop()
}

function holdsPlaceholder(value: unknown): boolean {
  try {
    return findPlaceholders(value).length > 0
  } catch (error) {
    // Malformed placeholders are reported where placeholders are parsed.
    if (error instanceof Problem) return false
    throw error
  }
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)]
    return isObject(inner) ? ownValue(inner, key) : undefined
  }, value)
}
