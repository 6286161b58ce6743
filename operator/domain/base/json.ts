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

/** Integers with fewer digits are always exact. */
const manyDigits = /\d{16}/
/** Matches texts, which are skipped, and numbers that may be long integers. */
const textOrLongNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\deE]{16,}/g

/** Path of an integer, which replaces the integer and then the objects around it. */
class IntegerPath {
  readonly keys: readonly string[]
  constructor(keys: readonly string[]) {
    this.keys = keys
  }
}

/** The path of the first integer of a JSON text that has other digits when it is parsed; undefined without one. */
export function pathOfChangedInteger(text: string): readonly string[] | undefined {
  if (!manyDigits.test(text)) return undefined
  if (![...text.matchAll(textOrLongNumber)].some(([token]) => isChangedInteger(token))) return undefined
  // A reviver is slow for long lists, so it runs only for this message.
  const revive = (_key: string, value: unknown, { source = '' }: { readonly source?: string }) => {
    if (isChangedInteger(source)) return new IntegerPath([])
    if (typeof value !== 'object' || value === null) return value
    for (const [key, item] of Object.entries(value))
      if (item instanceof IntegerPath) return new IntegerPath([key, ...item.keys])
    return value
  }
  const result: unknown = JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]) // the type lacks `source`
  return result instanceof IntegerPath ? result.keys : []
}

/** Whether an integer has other digits as a double. One that a double represents exactly may: 2^60 is written as 1152921504606847000. */
function isChangedInteger(token: string): boolean {
  return /^-?\d{16,}$/.test(token) && String(Number(token)) !== token
}

/** JSON with sorted keys: equal content gives equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    let items = ''
    for (const item of value) items += `${items === '' ? '' : ','}${canonicalJson(item ?? null)}`
    return `[${items}]`
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  let members = ''
  for (const key of sortedKeys(value)) {
    const member = value[key]
    if (member === undefined) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${members}}`
}

/** The keys in order, as most objects from the API server have them. */
function sortedKeys(object: FreeForm): string[] {
  const keys = Object.keys(object)
  for (let index = 1; index < keys.length; index += 1)
    if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return keys.sort()
  return keys
}

/** Whether two JSON values are equal, in any order of keys. An absent key equals an undefined one. Allocates nothing. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (Array.isArray(left)) return Array.isArray(right) && sameItems(left, right)
  if (!isObject(left) || !isObject(right)) return false
  for (const key in left) if (isDefinedAt(key, left) && !isSameAt(key, left, right)) return false
  // A key that both have was compared above.
  for (const key in right) if (isDefinedAt(key, right) && !isDefinedAt(key, left)) return false
  return true
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index += 1) if (!sameJson(left[index], right[index])) return false
  return true
}

function isSameAt(key: string, left: FreeForm, right: FreeForm): boolean {
  return Object.hasOwn(right, key) && sameJson(left[key], right[key])
}

function isDefinedAt(key: string, object: FreeForm): boolean {
  return object[key] !== undefined && Object.hasOwn(object, key)
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
  const steps = pointer.split('/').slice(1)
  return pointer.includes('~')
    ? steps.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    : steps
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
