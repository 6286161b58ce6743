import { isDeepStrictEqual } from 'node:util'
import { FunctionFault } from '../limits.ts'
import { byCodePoint } from '../print.ts'
import {
  type Dict,
  dictArgument,
  dictOf,
  type Functions,
  isDict,
  isEmpty,
  listArgument,
  own,
  textArgument,
  withoutPrototypes,
} from '../values.ts'
import { jsonText } from './json-text.ts'

const isThere = (value: unknown) => value !== undefined && value !== null

const merge = (target: unknown, ...sources: readonly unknown[]) =>
  sources.reduce<Dict>((into, source) => mergeInto(into, dictArgument(source), false), dictArgument(target))
const mergeOverwrite = (target: unknown, ...sources: readonly unknown[]) =>
  sources.reduce<Dict>((into, source) => mergeInto(into, dictArgument(source), true), dictArgument(target))

/** Functions of maps, which read own keys alone. */
export const dictFunctions: Functions = {
  dict: (...pairs) => dictOf(pairsOf(pairs)),
  get: (dict, key) => own(dictArgument(dict ?? {}), textArgument(key)) ?? '',
  hasKey: (dict, key) => Object.hasOwn(dictArgument(dict ?? {}), textArgument(key)),
  set: (dict, key, value) => {
    define(dictArgument(dict), textArgument(key), value)
    return dict
  },
  unset: (dict, key) => {
    delete dictArgument(dict)[textArgument(key)]
    return dict
  },
  keys: (...dicts) => dicts.flatMap((each) => Object.keys(dictArgument(each)).sort(byCodePoint)),
  values: (dict) => sortedEntries(dict).map(([, value]) => value),
  pluck: (key, ...dicts) =>
    dicts.map(dictArgument).flatMap((each) => {
      const name = textArgument(key)
      return Object.hasOwn(each, name) ? [each[name]] : []
    }),
  pick: (dict, ...keys) => dictOf(sortedEntries(dict).filter(([key]) => keys.includes(key))),
  omit: (dict, ...keys) => dictOf(sortedEntries(dict).filter(([key]) => !keys.includes(key))),
  merge,
  mergeOverwrite,
  dig: (...path) => dig(path),
  deepCopy: (value) => {
    jsonText(value) // throws when the value is too large
    return withoutPrototypes(value)
  },
  deepEqual: (left, right) => isDeepStrictEqual(withoutPrototypes(left), withoutPrototypes(right)),
}

function pairsOf(pairs: readonly unknown[]): [string, unknown][] {
  const keys = pairs.filter((_, i) => i % 2 === 0)
  return keys.map((key, i) => [textArgument(key), i * 2 + 1 < pairs.length ? pairs[i * 2 + 1] : ''])
}

function sortedEntries(dict: unknown): [string, unknown][] {
  return Object.entries(dictArgument(dict)).sort(([left], [right]) => byCodePoint(left, right))
}

function define(dict: Dict, key: string, value: unknown): void {
  Object.defineProperty(dict, key, { value, writable: true, enumerable: true, configurable: true })
}

function mergeInto(into: Dict, source: Dict, isOverwriting: boolean): Dict {
  for (const [key, value] of Object.entries(source)) {
    const present = own(into, key)
    if (isDict(present) && isDict(value)) mergeInto(present, value, isOverwriting)
    else if (isOverwriting || (isEmpty(present) && isThere(value))) define(into, key, value)
  }
  return into
}

function dig(path: readonly unknown[]): unknown {
  if (path.length < 3) throw new FunctionFault('takes keys, a default and a map')
  const fallback = path.at(-2)
  let value = path.at(-1)
  for (const key of listArgument(path.slice(0, -2))) {
    const dict = dictArgument(value)
    const name = textArgument(key)
    if (!Object.hasOwn(dict, name)) return fallback
    value = dict[name]
  }
  return value
}
