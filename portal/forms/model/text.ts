import { type Choice, typeOf } from './control.ts'
import type { Field } from './form.ts'

/** The value of a text, or why it has none. An empty text has the value undefined. */
export type Parsed = { readonly value: unknown } | { readonly problem: string }

type TextField = Pick<Field, 'schema' | 'control'>

/** The text that shows a value in a field. */
export function textOf(field: TextField, value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value, undefined, isLong(value) ? 2 : 0)
  if (field.control.kind !== 'json') return value
  const parsed = parseText(field, value)
  return 'value' in parsed && parsed.value === value ? value : JSON.stringify(value)
}

function isLong(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** The value that a text in a field means. Placeholders are kept as texts in every field. */
export function parseText(field: TextField, text: string): Parsed {
  const { kind } = field.control
  if (kind === 'text') return { value: text === '' ? undefined : text }
  const trimmed = text.trim()
  if (trimmed === '') return { value: undefined }
  if (isPlaceholder(trimmed)) return { value: trimmed }
  const chosen = field.control.kind === 'choice' ? chosenBy(field.control.choices, text) : undefined
  if (chosen) return chosen
  return kind === 'number' ? parseNumber(field, trimmed) : parseFreeText(field, trimmed)
}

/** Whether a text begins with a placeholder, which passes any schema. */
export function isPlaceholder(text: string): boolean {
  return /^\$\{[^{}]*\}/.test(text)
}

function chosenBy(choices: readonly Choice[], text: string): { value: unknown } | undefined {
  const choice = choices.find(({ label }) => label === text)
  return choice && { value: choice.value }
}

function parseNumber({ schema }: TextField, text: string): Parsed {
  const isInteger = typeOf(schema) === 'integer'
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(number)) return { problem: isInteger ? 'must be a whole number' : 'must be a number' }
  if (isInteger && !Number.isInteger(number)) return { problem: 'must be a whole number' }
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)))
    return { problem: 'is too large to be stored exactly' }
  return { value: number }
}

/** Text that is not JSON is a string where the schema allows one. */
function parseFreeText({ schema }: TextField, text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    if (/^[[{"]/.test(text) || !allowsText(schema)) return { problem: 'must be JSON' }
    return { value: text }
  }
}

function allowsText(schema: TextField['schema']): boolean {
  const { type } = schema
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'))
}
