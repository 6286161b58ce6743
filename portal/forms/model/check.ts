import { isObject, ownValue, sameJson } from '../../../operator/domain/base/json.ts'
import { typeOf } from './control.ts'
import type { Field, Form } from './form.ts'
import { memberPointer, readAt } from './pointer.ts'
import { isPlaceholder } from './text.ts'

/** A problem of a value, at a JSON pointer. */
export interface ValueProblem {
  readonly pointer: string
  readonly message: string
}

/** All fields of a form for a value, also those in objects, lists and maps. */
export function* fieldsOf(form: Form, value: unknown): Generator<Field> {
  for (const { rows } of form.sections)
    for (const { fields } of rows) for (const field of fields) yield* fieldsWithin(field, value)
}

function* fieldsWithin(field: Field, value: unknown): Generator<Field> {
  yield field
  const { control } = field
  if (control.kind === 'object') yield* fieldsOf(control.form, value)
  if (control.kind !== 'list' && control.kind !== 'map') return
  const members = readAt(value, field.pointer)
  const isKnown = control.kind === 'list' ? Array.isArray(members) : isObject(members)
  if (!isKnown) return
  for (const key of Object.keys(members ?? {})) yield* fieldsWithin(control.member(key), value)
}

/**
 * Problems that the form can see itself: missing values, wrong types and limits. `stored` are pointers of secrets that
 * are kept. The server checks the rest.
 */
export function problemsOf(
  form: Form,
  value: unknown,
  stored: ReadonlySet<string> = new Set(),
): ValueProblem[] {
  return [...fieldsOf(form, value)].flatMap((field) => {
    const found = readAt(value, field.pointer)
    const message = found === undefined ? missing(field, value, stored) : violation(field, found)
    return message === undefined ? [] : [{ pointer: field.pointer, message }]
  })
}

/** A required member of an absent object is not missing. */
function missing(field: Field, value: unknown, stored: ReadonlySet<string>): string | undefined {
  if (!field.isRequired || stored.has(field.pointer)) return undefined
  const parent = field.pointer.slice(0, field.pointer.lastIndexOf('/'))
  const isTop = parent === '' || parent === '/values' || parent === '/secrets'
  return isTop || readAt(value, parent) !== undefined ? 'is required' : undefined
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function violation({ schema, control }: Field, value: unknown): string | undefined {
  if (typeof value === 'string' && isPlaceholder(value)) return undefined
  if (control.kind === 'choice' && !control.choices.some((each) => sameJson(each.value, value)))
    return `must be one of ${control.choices.map(({ label }) => label).join(', ')}`
  const type = typeOf(schema)
  const name = type === undefined ? undefined : typeNames[type]
  if (name !== undefined && !isOfType(type, value) && !(value === null && allowsNull(schema)))
    return `must be ${name}`
  return limitOf(schema, value)
}

function allowsNull({ type }: Field['schema']): boolean {
  return Array.isArray(type) && type.includes('null')
}

function isOfType(type: string | undefined, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isObject(value) : typeof value === type
}

const limits: readonly [
  keyword: string,
  message: string,
  sizeOf: (value: unknown) => number | undefined,
  fits: (size: number, limit: number) => boolean,
][] = [
  ['minimum', 'must be at least', numberOf, (size, limit) => size >= limit],
  ['maximum', 'must be at most', numberOf, (size, limit) => size <= limit],
  ['exclusiveMinimum', 'must be greater than', numberOf, (size, limit) => size > limit],
  ['exclusiveMaximum', 'must be less than', numberOf, (size, limit) => size < limit],
  ['minLength', 'must have a length of at least', lengthOf, (size, limit) => size >= limit],
  ['maxLength', 'must have a length of at most', lengthOf, (size, limit) => size <= limit],
  ['minItems', 'must have at least this many items:', itemsOf, (size, limit) => size >= limit],
  ['maxItems', 'must have at most this many items:', itemsOf, (size, limit) => size <= limit],
]

function limitOf(schema: Field['schema'], value: unknown): string | undefined {
  for (const [keyword, message, sizeOf, fits] of limits) {
    const limit = ownValue(schema, keyword)
    const size = sizeOf(value)
    if (typeof limit === 'number' && size !== undefined && !fits(size, limit)) return `${message} ${limit}`
  }
  return undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** JSON Schema counts characters, not code units. */
function lengthOf(value: unknown): number | undefined {
  return typeof value === 'string' ? Array.from(value).length : undefined
}

function itemsOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

/** The problem of one field that a request was refused for, such as `'name' must …` or `url: it must …`. */
export function problemOfRefusal(form: Form, value: unknown, message: string): ValueProblem | undefined {
  const [, quoted, plain, rest = ''] = /^(?:'([^']+)'|(\w+):) (.*)$/s.exec(message) ?? []
  const steps = (quoted ?? plain ?? '').split('.')
  const pointers = new Set([...fieldsOf(form, value)].map(({ pointer }) => pointer))
  // The form can be a part of the body.
  const candidates = steps.map((_, at) => steps.slice(at).reduce(memberPointer, ''))
  const exact = candidates.find((each) => pointers.has(each))
  if (exact !== undefined) return { pointer: exact, message: rest }
  const pointer = candidates.map((each) => ownerOf(each, pointers)).find((each) => each !== undefined)
  return pointer === undefined ? undefined : { pointer, message }
}

/** Messages by the pointer of the field that shows them, and those that no field shows. */
export interface PlacedProblems {
  readonly byPointer: ReadonlyMap<string, string>
  readonly others: readonly string[]
}

/** Assigns each problem to the innermost field that its pointer is in. */
export function placeProblems(form: Form, value: unknown, problems: readonly ValueProblem[]): PlacedProblems {
  const known = new Set([...fieldsOf(form, value)].map(({ pointer }) => pointer))
  const byPointer = new Map<string, string>()
  const others: string[] = []
  for (const { pointer, message } of problems.map(atMissingMember)) {
    const owner = ownerOf(pointer, known)
    if (owner === undefined) others.push(pointer === '' ? message : `${pointer}: ${message}`)
    else byPointer.set(owner, [...(byPointer.has(owner) ? [byPointer.get(owner)] : []), message].join('; '))
  }
  return { byPointer, others }
}

function ownerOf(pointer: string, known: ReadonlySet<string>): string | undefined {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (known.has(at)) return at
  return undefined
}

/** The server reports a missing member at the object that it is missing from. */
function atMissingMember(problem: ValueProblem): ValueProblem {
  const [, name] = /^must have required property '(.*)'$/.exec(problem.message) ?? []
  if (name === undefined) return problem
  return { pointer: memberPointer(problem.pointer, name), message: 'is required' }
}
