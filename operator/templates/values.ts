import { FunctionFault } from './limits.ts'

/** Functions by name; each checks its arguments. */
export type Functions = Readonly<Record<string, (...values: readonly unknown[]) => unknown>>

/** A map for templates, without a prototype, so that it has own keys alone. */
export type Dict = Record<string, unknown>

/** A map of these entries. */
export function dictOf(entries: Iterable<readonly [string, unknown]>): Dict {
  const dict: Dict = Object.create(null)
  for (const [key, value] of entries) dict[key] = value
  return dict
}

/** A copy of JSON-like data whose maps have no prototype. */
export function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (!isDict(value)) return value
  return dictOf(Object.entries(value).map(([key, member]) => [key, withoutPrototypes(member)] as const))
}

/** Whether a value is a map: neither a list nor a time. */
export function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** The value of an own key of a map. */
export function own(dict: Dict, key: string): unknown {
  return Object.hasOwn(dict, key) ? dict[key] : undefined
}

/** Go's name for the type of a value. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64'
  if (Array.isArray(value)) return '[]interface {}'
  if (value instanceof Date) return 'time.Time'
  return isDict(value) ? 'map[string]interface {}' : typeof value
}

/** The argument, which must be a text. */
export function textArgument(value: unknown): string {
  if (typeof value !== 'string') throw new FunctionFault(`takes text, not ${typeName(value)}`)
  return value
}

/** The argument, which must be a list; an absent one is empty. */
export function listArgument(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw new FunctionFault(`takes a list, not ${typeName(value)}`)
  return value
}

/** The argument, which must be a map. */
export function dictArgument(value: unknown): Dict {
  if (!isDict(value)) throw new FunctionFault(`takes a map, not ${typeName(value)}`)
  return value
}

/** Whether a value is one of Go's zero values. */
export function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isDict(value)) return Object.keys(value).length === 0
  return value === undefined || value === null || value === false || value === 0 || value === ''
}

const wholeText = /^[+-]?(?:0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/
const decimalText = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** The argument as an integer; 0 when it is not a number. Texts are read as Go does: `010` is octal, and `1.5` is none. */
export function wholeArgument(value: unknown): number {
  const number = typeof value === 'string' ? wholeOf(value.replace(/\.0+$/, '')) : floatArgument(value)
  return Number.isFinite(number) ? Math.trunc(number) : 0
}

function wholeOf(text: string): number {
  if (!wholeText.test(text)) return 0
  const digits = text.replace(/^[+-]/, '').replaceAll('_', '')
  const number = Number(/^0[0-7]/.test(digits) ? `0o${digits}` : digits)
  if (number >= 2 ** 63) return 0
  return text.startsWith('-') ? -number : number
}

/** The argument as a number; 0 when it is not one. */
export function floatArgument(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  const text = typeof value === 'string' ? value.replace(/(?<=\d)_(?=\d)/g, '') : ''
  return decimalText.test(text) ? Number(text) : 0
}
