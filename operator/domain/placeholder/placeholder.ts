import type { FreeForm } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { escapeToken, isObject } from '../base/json.ts'
import { lengthOf, maxExpandedLength, TooLarge, truncate } from '../base/size-limits.ts'
import { formatPath, parseTemplate, type Template } from './template.ts'

const maxDepth = 200
const maxShownPointer = 500

/** A placeholder, and the JSON pointer to its text, shortened if long. */
export interface FoundPlaceholder {
  readonly path: readonly string[]
  readonly at: string
}

interface SearchOptions {
  /** Whether keys of maps are searched too. */
  readonly keys?: boolean
  /** First steps of placeholders. Other `${…}` are literal text. Any first step when absent. */
  readonly roots?: readonly string[]
  /** Called for each text that cannot be parsed, instead of throwing. */
  readonly report?: (problem: Problem) => void
}

/** All placeholders in the texts of a value. */
export function findPlaceholders(value: unknown, options: SearchOptions = {}): FoundPlaceholder[] {
  const found: FoundPlaceholder[] = []
  const look = (text: string, at: string): void => {
    if (!text.includes('${')) return
    for (const part of parse(text, at)) if (typeof part !== 'string') found.push({ path: part.path, at })
  }
  const parse = (text: string, at: string): Template => {
    try {
      return located(() => parseTemplate(text, options.roots), at)
    } catch (error) {
      if (!options.report || !(error instanceof Problem)) throw error
      options.report(error)
      return []
    }
  }
  const visit = (each: unknown, at: string, depth: number): void => {
    if (depth > maxDepth) throw new Problem('Invalid', `a value is nested more than ${maxDepth} deep`)
    if (typeof each === 'string') return look(each, at)
    if (Array.isArray(each)) return each.forEach((item, i) => visit(item, below(at, String(i)), depth + 1))
    if (!isObject(each)) return
    for (const [key, member] of Object.entries(each)) {
      const where = below(at, key)
      if (options.keys) look(key, where)
      visit(member, where, depth + 1)
    }
  }
  visit(value, '', 0)
  return found
}

/** The pointer to a member. Shortened, because many texts can be under one long key. */
function below(at: string, key: string): string {
  return at.length > maxShownPointer ? at : `${at}/${escapeToken(truncate(key, maxShownPointer))}`
}

function located<T>(work: () => T, at: string): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem)
      throw new Problem(error.reason, `${error.message} in '${at}'`, error.details)
    throw error
  }
}

/** The value of a placeholder. */
export interface Resolved {
  readonly value: unknown
  readonly secret: boolean
}

/** A value without placeholders, and JSON pointers to those of its texts that contain secrets. */
export interface Expanded<T = unknown> {
  readonly value: T
  readonly secretPointers: string[]
}

/**
 * Replaces placeholders by their values in one pass: values are not expanded again. A text that is exactly one placeholder
 * becomes the value itself; within a longer text, strings are inserted as they are and other values as JSON. `roots` are
 * the first steps of placeholders. Throws TooLarge before the values exceed the size limit in total.
 */
export function expand<T>(
  value: T,
  lookup: (path: readonly string[]) => Resolved,
  roots?: readonly string[],
  options: { readonly keys?: boolean } = {},
): Expanded<T> {
  const secretPointers: string[] = []
  let total = 0
  const count = (length: number, what: () => string): void => {
    total += length
    if (total > maxExpandedLength) throw tooLarge(what())
  }
  const find = (path: readonly string[], at: string): Resolved => {
    const resolved = lookup(path)
    const length = lengthAsPutIn(resolved.value)
    count(length, () => `'${formatPath(path)}' of ${length} at '${truncate(at, maxShownPointer)}'`)
    return resolved
  }
  const expandText = (text: string, at: string): unknown => {
    if (!text.includes('$')) return text
    const { value: result, secret } = fill(
      located(() => parseTemplate(text, roots), at),
      (path) => find(path, at),
    )
    if (!secret) return result
    // Each secret keeps its path, and many secrets can be under one long key.
    count(at.length, () => `the path of a secret, of ${at.length}, '${truncate(at, maxShownPointer)}'`)
    secretPointers.push(at)
    return result
  }
  const visit = (each: unknown, at: string, depth: number): unknown => {
    if (depth > maxDepth) throw new Problem('Invalid', `a value is nested more than ${maxDepth} deep`)
    if (typeof each === 'string') return expandText(each, at)
    if (Array.isArray(each)) return each.map((item, i) => visit(item, `${at}/${i}`, depth + 1))
    if (!isObject(each)) return each
    const texts = new Map<string, string>()
    const entries = Object.entries(each).map(([text, member]) => {
      // Secret pointers address the value without placeholders.
      const key = options.keys ? keyOf(text, at) : text
      noteKey(texts, key, text, at)
      return [key, visit(member, `${at}/${escapeToken(key)}`, depth + 1)]
    })
    return Object.fromEntries(entries)
  }
  /** Keys are never secret. */
  const keyOf = (key: string, at: string): string => {
    if (!key.includes('$')) return key
    const { value: text, secret } = fill(
      located(() => parseTemplate(key, roots), at),
      (path) => find(path, at),
    )
    if (secret) throw new Problem('Invalid', `the key '${key}' in '${at}' names a secret output`)
    return typeof text === 'string' ? text : JSON.stringify(text ?? null)
  }
  return { value: visit(value, '', 0) as T, secretPointers } // only texts with placeholders change their type
}

/** Notes that `text` becomes this key of the map at `at`. Throws when another text does so too. */
function noteKey(texts: Map<string, string>, key: string, text: string, at: string): void {
  const other = texts.get(key)
  texts.set(key, text)
  if (other === undefined) return
  const [first, second, where] = [other, text, at].map((each) => truncate(each, maxShownPointer))
  throw new Problem('Invalid', `the keys '${first}' and '${second}' in '${where}' become the same key`)
}

/** Throws a Problem for two keys of a map that `change` makes the same. */
export function refuseSameKeys(value: unknown, change: (key: string) => string, at = ''): void {
  if (Array.isArray(value))
    return value.forEach((item, i) => refuseSameKeys(item, change, below(at, String(i))))
  if (!isObject(value)) return
  const texts = new Map<string, string>()
  for (const [text, member] of Object.entries(value)) {
    noteKey(texts, change(text), text, at)
    refuseSameKeys(member, change, below(at, text))
  }
}

function lengthAsPutIn(value: unknown): number {
  return typeof value === 'string' ? value.length : lengthOf(value, maxExpandedLength)
}

function tooLarge(last: string): TooLarge {
  return new TooLarge(
    `the values of placeholders exceed ${maxExpandedLength} characters in total, the most for one resource; the limit is reached with ${last}`,
  )
}

function fill(template: Template, lookup: (path: readonly string[]) => Resolved): Resolved {
  const [first] = template
  if (template.length === 1 && first !== undefined && typeof first !== 'string') return lookup(first.path)
  let text = ''
  let secret = false
  for (const part of template) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const resolved = lookup(part.path)
    text += typeof resolved.value === 'string' ? resolved.value : JSON.stringify(resolved.value ?? null)
    secret ||= resolved.secret
  }
  return { value: text, secret }
}

/** The value with `change` applied to each text. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const visit = (each: unknown): unknown => {
    if (typeof each === 'string') return change(each)
    if (Array.isArray(each)) return each.map(visit)
    return isObject(each) ? mapValues(each, visit) : each
  }
  return visit(value) as T // texts stay texts
}

/** The value with `change` applied to each text and each key. */
export function mapTextsAndKeys(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTextsAndKeys(item, change))
  if (!isObject(value)) return value
  return withKeys(
    mapValues(value, (member) => mapTextsAndKeys(member, change)),
    change,
  )
}

function withKeys(object: FreeForm, change: (key: string) => string): FreeForm {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [change(key), member]))
}

function mapValues(object: FreeForm, change: (value: unknown) => unknown): FreeForm {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, change(member)]))
}
