import { isIndexed, isObject, pointerSteps, sameJson } from '../../../operator/domain/base/json.ts'
import { invalid } from './errors.ts'

/** Applies a JSON merge patch (RFC 7396). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(merged[key], value)
  }
  return merged
}

/** A step of a JSON patch. */
export interface PatchStep {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/** Applies a JSON patch (RFC 6902) of the operations that the operator uses: test, remove, add and replace of members. */
export function jsonPatch<T>(target: T, steps: readonly PatchStep[]): T {
  const patched = structuredClone(target)
  for (const { op, path, value } of steps) {
    const keys = pointerSteps(path)
    const last = keys.pop() ?? ''
    let holder: unknown = patched
    for (const key of keys) holder = isIndexed(holder) ? holder[key] : undefined
    if (!isIndexed(holder)) throw invalid(`the patch names '${path}', which does not exist`)
    if (op === 'remove') delete holder[last]
    else if (op !== 'test') holder[last] = structuredClone(value)
    else if (!sameJson(holder[last], value)) throw invalid(`testing '${path}' of the patch failed`)
  }
  return patched
}

const identifying = new Set(['uid', 'name', 'namespace'])

/**
 * Server-side apply of one manager: sets what `next` has, and removes what only the last apply had. Lists are replaced
 * whole. Other managers and conflicts between them are not modelled.
 */
export function applyPatch(current: unknown, last: unknown, next: unknown): unknown {
  if (!isObject(next)) return next
  const result = isObject(current) ? { ...current } : {}
  const before = isObject(last) ? last : {}
  for (const [key, value] of Object.entries(before)) {
    if (key in next || identifying.has(key)) continue
    const rest = isObject(value) && isObject(result[key]) ? applyPatch(result[key], value, {}) : {}
    if (isObject(rest) && Object.keys(rest).length > 0) result[key] = rest
    else delete result[key]
  }
  for (const [key, value] of Object.entries(next)) result[key] = applyPatch(result[key], before[key], value)
  return result
}

/** The fields of a value, in the format of managed fields. Lists are one field. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  if (!isObject(value)) return {}
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return { '.': {} }
  return Object.fromEntries(members.map(([key, member]) => [`f:${key}`, fieldsOf(member)]))
}
