import { escapeToken, isObject, pointerSteps } from '../../../operator/domain/base/json.ts'

/** The JSON pointer of a member. */
export function memberPointer(pointer: string, key: string | number): string {
  return `${pointer}/${escapeToken(String(key))}`
}

/** The value at a JSON pointer; undefined when it does not exist. */
export function readAt(root: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>(memberOf, root)
}

function memberOf(holder: unknown, key: string): unknown {
  if (Array.isArray(holder)) return isIndex(key) ? holder[Number(key)] : undefined
  return isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
}

/**
 * A copy of `root` with another value at a JSON pointer. Missing objects on the path are created; undefined removes the
 * member, and the objects that are empty without it, except for items of lists.
 */
export function writeAt(root: unknown, pointer: string, value: unknown): unknown {
  return writeSteps(root, pointerSteps(pointer), value)
}

function writeSteps(holder: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const member = writeSteps(memberOf(holder, key), rest, value)
  const wanted = isEmptied(member, value) ? undefined : member
  if (!isItemOf(holder, key)) return withMember(holder, key, wanted)
  // A present item without members stays: it is removed as a whole, by its own pointer.
  return withItem(holder, key, Number(key) < holder.length ? member : wanted)
}

/** Whether an object lost its last member. */
function isEmptied(member: unknown, value: unknown): boolean {
  return value === undefined && isObject(member) && Object.keys(member).length === 0
}

function withMember(holder: unknown, key: string, member: unknown): unknown {
  const before = isObject(holder) ? Object.entries(holder) : []
  const isKnown = before.some(([name]) => name === key)
  const after = before.flatMap(([name, each]) => {
    if (name !== key) return [[name, each] as const]
    return member === undefined ? [] : [[name, member] as const]
  })
  // `fromEntries` makes own properties, also of `__proto__`.
  return Object.fromEntries(isKnown || member === undefined ? after : [...after, [key, member]])
}

/** Whether a key is an index of a list, or that of its next item. */
function isItemOf(holder: unknown, key: string): holder is readonly unknown[] {
  return Array.isArray(holder) && isIndex(key) && Number(key) <= holder.length
}

function withItem(items: readonly unknown[], key: string, item: unknown): unknown {
  if (item === undefined) return items.filter((_, i) => i !== Number(key))
  return items.toSpliced(Number(key), 1, item)
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(key)
}
