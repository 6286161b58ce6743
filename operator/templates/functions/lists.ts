import { sameJson } from '../../domain/base/json.ts'
import { checkItems, FunctionFault } from '../limits.ts'
import { byCodePoint, print } from '../print.ts'
import { type Functions, isDict, isEmpty, listArgument, own, typeName, wholeArgument } from '../values.ts'

const concat = (...lists: readonly unknown[]) => {
  const parts = lists.map(listArgument)
  checkItems(parts.reduce((sum, each) => sum + each.length, 0))
  return parts.flatMap((each) => each)
}
const append = (list: unknown, item: unknown) => concat(list, [item])
const includes = (list: readonly unknown[], item: unknown) => list.some((each) => sameJson(each, item))

/** Functions of lists. */
export const listFunctions: Functions = {
  list: (...items) => items,
  tuple: (...items) => items,
  first: (list) => listArgument(list)[0],
  last: (list) => listArgument(list).at(-1),
  rest: (list) => listArgument(list).slice(1),
  initial: (list) => listArgument(list).slice(0, -1),
  reverse: (list) => listArgument(list).toReversed(),
  uniq: (list) => unique(listArgument(list)),
  without: (list, ...items) => listArgument(list).filter((each) => !includes(items, each)),
  has: (item, list) => includes(listArgument(list), item),
  compact: (list) => listArgument(list).filter((each) => !isEmpty(each)),
  concat,
  append,
  push: append,
  prepend: (list, item) => concat([item], list),
  chunk: (size, list) => chunks(listArgument(list), Math.max(1, wholeArgument(size))),
  sortAlpha: (list) => textsOf(list).sort(byCodePoint),
  toStrings: textsOf,
  all: (...values) => !values.some(isEmpty),
  any: (...values) => values.some((each) => !isEmpty(each)),
  slice: sliced,
  len: lengthOf,
  index: (value, ...keys) => keys.reduce(member, value),
}

/** The items as texts, without those that are nothing. */
function textsOf(list: unknown): string[] {
  return listArgument(list)
    .filter((each) => each !== undefined && each !== null)
    .map(print)
}

function unique(list: readonly unknown[]): unknown[] {
  const found: unknown[] = []
  for (const each of list) if (!includes(found, each)) found.push(each)
  return found
}

function chunks(list: readonly unknown[], size: number): unknown[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}

// For a text, counts bytes, as Go does without sprig.
function sliced(value: unknown, from?: unknown, to?: unknown): unknown {
  const source = typeof value === 'string' ? Buffer.from(value) : listArgument(value)
  const start = from === undefined ? 0 : wholeArgument(from)
  const end = to === undefined ? source.length : wholeArgument(to)
  if (start < 0 || end > source.length || start > end)
    throw new FunctionFault(`has no part from ${start} to ${end}: the length is ${source.length}`)
  return Buffer.isBuffer(source) ? source.subarray(start, end).toString() : source.slice(start, end)
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.length
  if (!isDict(value)) throw new FunctionFault(`knows no length of ${typeName(value)}`)
  return Object.keys(value).length
}

function member(value: unknown, key: unknown): unknown {
  if (isDict(value)) {
    if (typeof key !== 'string')
      throw new FunctionFault(`takes text as the key of a map, not ${typeName(key)}`)
    return own(value, key)
  }
  if (!Array.isArray(value) && typeof value !== 'string')
    throw new FunctionFault(`finds nothing in ${typeName(value)}`)
  const items = typeof value === 'string' ? Buffer.from(value) : value
  if (typeof key !== 'number' || !Number.isInteger(key))
    throw new FunctionFault(`takes a whole number as the index, not ${typeName(key)}`)
  if (key < 0 || key >= items.length) throw new FunctionFault(`is out of range: ${key}`)
  return items[key]
}
