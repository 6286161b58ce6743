import type { FreeForm } from '../../api/schema.ts'

/** Whether a value is a JSON object: neither an array nor null. */
export function isObject(value: unknown): value is FreeForm {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The own property of a map whose keys are the user's. */
export function ownValue<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

/** Parses JSON; returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON with sorted keys: equal content gives equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  let text = ''
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}

/**
 * Whether two JSON values are equal, whatever the order of their keys; an absent key equals an undefined one.
 */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, i) => sameJson(item, right[i]))
    )
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = definedKeys(left)
  if (keys.length !== definedKeys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
}

function definedKeys(object: FreeForm): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined)
}

/** Which of two texts comes first, by code units and so the same on every machine. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The steps of a JSON pointer (RFC 6901), which must be well-formed; none for the empty one. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** One step of a JSON pointer as RFC 6901 escapes it. */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}
