import type { FreeForm } from '../../api/schema.ts'

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is FreeForm {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The own property of a map with user-defined keys, which may be `__proto__` or `constructor`. */
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

/** Whether two JSON values are equal, in any order of keys. An absent key equals an undefined one. */
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

/** Compares texts by code units, independent of the locale. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Whether maps and lists are nested in more than this many levels. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each))
}

/** The steps of a well-formed JSON pointer (RFC 6901). The empty pointer has none. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Escapes one step of a JSON pointer (RFC 6901). */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Replaces the member at a well-formed JSON pointer. Does nothing when its parent does not exist. */
export function replaceAt(root: FreeForm, pointer: string, next: (before: unknown) => unknown): void {
  const path = pointerSteps(pointer)
  const last = path.pop() ?? ''
  let holder: unknown = root
  for (const step of path) holder = isIndexed(holder) ? holder[step] : undefined
  if (isIndexed(holder)) holder[last] = next(holder[last])
}

/** Whether a value has members; those of an array are indexed by text too. */
export function isIndexed(value: unknown): value is FreeForm {
  return typeof value === 'object' && value !== null
}
