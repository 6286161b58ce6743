import type { FreeForm, Static, TSchema } from '../../api/schema.ts'
import { Problem } from '../base/errors.ts'
import { escapeToken, isObject, ownValue } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { truncate } from '../base/size-limits.ts'
import { modulePlaceholderRoots } from '../placeholder/link.ts'
import { parseTemplate } from '../placeholder/template.ts'
import { defineProperty } from '../schema/secret-outputs.ts'
import { maySecret } from './schema-parts.ts'
import { jsonOf, SecretText } from './secret-text.ts'

/** Reports a problem at a JSON pointer. A message that takes long to make, such as one with a hint, is made only if it is kept. */
export type ReportAt = (pointer: string, message: string | (() => string)) => void

/** The keywords that the schemas of modules use. */
interface Keywords {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Keywords>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Keywords
  readonly maxProperties?: number
  readonly items?: Keywords
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly [maySecret]?: boolean
}

const shownLength = 60

/**
 * Reads data by its schema: unknown fields and unfit values are reported. Texts become the numbers and booleans that the
 * schema asks for, and the reverse, because values of placeholders are often texts. A text that still has placeholders fits
 * everywhere. A value that is unfit or not known yet is undefined in the result; a field that is null is not in it, as one
 * that is absent.
 */
export function readBySchema<S extends TSchema>(
  schema: S,
  value: unknown,
  report: ReportAt,
  pointer = '',
): Static<S> | undefined {
  return read(schema as Keywords, value, pointer, report) as Static<S> | undefined // as the schema describes
}

/** Whether the text has placeholders. A malformed text has one: `linkModules` reports it. */
export function hasPlaceholder(text: string): boolean {
  if (!text.includes('${')) return false
  try {
    return parseTemplate(text, modulePlaceholderRoots).some((part) => typeof part !== 'string')
  } catch (error) {
    if (error instanceof Problem) return true
    throw error
  }
}

/** Whether a value is given by a placeholder, so that it is not known yet. */
export function isUnknown(value: unknown): boolean {
  return typeof value === 'string' && hasPlaceholder(value)
}

function read(schema: Keywords, value: unknown, pointer: string, report: ReportAt): unknown {
  if (isAbsent(value)) return undefined
  if (value instanceof SecretText) return readSecret(schema, value, pointer, report)
  if (schema.type === undefined) return readPassed(value, pointer, report)
  if (schema.type !== 'string' && isUnknown(value)) return undefined
  if (schema.type === 'object') return readObject(schema, value, pointer, report)
  if (schema.type === 'array') return readList(schema, value, pointer, report)
  if (schema.type === 'string') return readText(schema, value, pointer, report)
  if (schema.type === 'integer') return readInteger(schema, value, pointer, report)
  if (value === true || value === false) return value
  if (value === 'true' || value === 'false') return value === 'true'
  report(pointer, `must be true or false, not ${shown(value)}`)
  return undefined
}

function readSecret(schema: Keywords, value: SecretText, pointer: string, report: ReportAt): unknown {
  if (schema[maySecret]) return value
  report(pointer, 'contains a secret: only variables, files, commands and arguments can')
  return undefined
}

/** A part that Kubernetes reads; a secret in it would be visible. */
function readPassed(value: unknown, pointer: string, report: ReportAt): unknown {
  let isPlain = true
  const visit = (each: unknown, at: string): void => {
    if (each instanceof SecretText) {
      isPlain = false
      readSecret({}, each, at, report)
    } else if (typeof each === 'object' && each !== null)
      for (const [key, member] of Object.entries(each)) visit(member, `${at}/${escapeToken(key)}`)
  }
  visit(value, pointer)
  return isPlain ? value : undefined
}

function readObject(schema: Keywords, value: unknown, pointer: string, report: ReportAt): unknown {
  if (!isObject(value)) {
    report(pointer, `must be an object, not ${shown(value)}`)
    return undefined
  }
  const { properties, additionalProperties, maxProperties = Infinity } = schema
  if (Object.keys(value).length > maxProperties)
    report(pointer, `has ${Object.keys(value).length} entries, more than ${maxProperties}`)
  const result: FreeForm = {}
  for (const [key, member] of Object.entries(value)) {
    const at = `${pointer}/${escapeToken(key)}`
    const field = additionalProperties ?? ownValue(properties ?? {}, key)
    if (!field) {
      report(at, () => `is no field of a module${didYouMean(key, Object.keys(properties ?? {}))}`)
      continue
    }
    if (!additionalProperties && isAbsent(member)) continue
    const readMember = additionalProperties ? readEntry : read
    defineProperty(result, key, readMember(field, member, at, report))
  }
  for (const name of schema.required ?? []) if (isAbsent(value[name])) report(pointer, `has no '${name}'`)
  return result
}

/** A field that is null is absent. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function readList(schema: Keywords, value: unknown, pointer: string, report: ReportAt): unknown {
  if (!Array.isArray(value)) {
    report(pointer, `must be a list, not ${shown(value)}`)
    return undefined
  }
  // A member that is left out keeps its place: later ones are numbered by it.
  return value.map((each, i) => readEntry(schema.items ?? {}, each, `${pointer}/${i}`, report))
}

/** Reads an entry of a map or a list, which must not be null: other than a field, it cannot be absent. */
function readEntry(schema: Keywords, value: unknown, pointer: string, report: ReportAt): unknown {
  if (value === null) report(pointer, 'is null: give it a value, or remove it')
  return read(schema, value, pointer, report)
}

function readText(schema: Keywords, value: unknown, pointer: string, report: ReportAt): unknown {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    // A placeholder for all outputs of a resource gives an object.
    if (schema[maySecret]) return jsonOf(value)
    report(pointer, `must be a text, not ${shown(value)}`)
    return undefined
  }
  const text = String(value)
  if (hasPlaceholder(text)) return text
  const { maxLength = Infinity, pattern } = schema
  if (text.length > maxLength) report(pointer, `has ${text.length} characters, more than ${maxLength}`)
  else if (schema.enum && !schema.enum.includes(text))
    report(pointer, `must be one of ${schema.enum.map((each) => `'${each}'`).join(', ')}, not ${shown(text)}`)
  else if (pattern !== undefined && !new RegExp(pattern).test(text))
    report(pointer, `does not fit '${pattern}': ${shown(text)}`)
  else return text
  return undefined
}

/** The highest number of most fields of Kubernetes, which would wrap a higher one. */
const highestInteger = 2 ** 31 - 1

function readInteger(schema: Keywords, value: unknown, pointer: string, report: ReportAt): unknown {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = highestInteger } = schema
  if (typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum)
    return number
  const isTooHigh = typeof number === 'number' && number > maximum
  const range =
    schema.maximum === undefined && !isTooHigh ? `at least ${minimum}` : `from ${minimum} to ${maximum}`
  report(pointer, `must be a whole number ${range}, not ${shown(value)}`)
  return undefined
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${truncate(value, shownLength)}'`
  if (typeof value !== 'object') return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}
