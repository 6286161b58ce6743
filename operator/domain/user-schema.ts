import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FreeForm } from '../api/schema.ts'
import { isObject, ownValue } from './json.ts'
import { linearRegExp } from './linear-regexp.ts'
import { faultOfForm } from './schema-form.ts'
import { withoutPlaceholderFaults } from './schema-leniency.ts'
import { createStepCounter, TooManySteps, withSteps } from './schema-steps.ts'

/** Where a value does not fit a schema, and why; never with the value, which may be secret. */
export interface SchemaFault {
  /** JSON pointer into the value. */
  readonly pointer: string
  readonly message: string
}

type Check = { readonly validate: ValidateFunction; restart(): void } | { readonly fault: string }

const maxFaults = 100

/** Why a schema of a user cannot be used; undefined when it can. */
export function faultOfSchema(schema: FreeForm): string | undefined {
  const check = checkOf(schema)
  return 'fault' in check ? check.fault : undefined
}

/**
 * What of a value does not fit a schema, the first hundred faults. With `lenient` a placeholder, whose value
 * is not known yet, passes any schema. Nothing fits a schema that cannot be used.
 */
export function faultsAgainst(
  schema: FreeForm,
  value: unknown,
  { lenient = false }: { readonly lenient?: boolean } = {},
): readonly SchemaFault[] {
  const check = checkOf(schema)
  if ('fault' in check) return [{ pointer: '', message: `cannot be judged: the schema ${check.fault}` }]
  const errors = errorsOf(check, value)
  if (typeof errors === 'string') return [{ pointer: '', message: errors }]
  const kept = lenient ? withoutPlaceholderFaults(errors, value) : errors
  return kept.slice(0, maxFaults).map((error) => ({ pointer: error.instancePath, message: messageOf(error) }))
}

/**
 * The schemas of the values and of the secrets in a schema of outputs or driver inputs, which may lack the outer
 * `properties`; each can be used alone.
 */
export function partsOf(schema: FreeForm): {
  readonly values: FreeForm | undefined
  readonly secrets: FreeForm | undefined
} {
  const known = partsCache.get(schema)
  if (known) return known
  const properties = ownValue(schema, 'properties')
  const holder = isObject(properties) ? properties : schema
  const parts = {
    values: partOf(schema, ownValue(holder, 'values')),
    secrets: partOf(schema, ownValue(holder, 'secrets')),
  }
  partsCache.set(schema, parts)
  return parts
}

/** Why a schema of outputs or driver inputs cannot be used, as a whole or in its part for values or secrets. */
export function faultOfPartedSchema(schema: FreeForm): string | undefined {
  const whole = faultOfSchema(schema)
  if (whole !== undefined) return whole
  for (const [name, part] of Object.entries(partsOf(schema))) {
    const fault = part && faultOfSchema(part)
    if (fault !== undefined) return `under '${name}' ${fault}`
  }
  return undefined
}

const partsCache = new WeakMap<FreeForm, ReturnType<typeof partsOf>>()

/** References such as `#/$defs/port` begin at the root: its definitions go along. */
function partOf(root: FreeForm, part: unknown): FreeForm | undefined {
  if (part === false) return { not: {} }
  if (!isObject(part)) return undefined
  const definitions = ['$defs', 'definitions'].flatMap((key) => {
    const [ofPart, ofRoot] = [ownValue(part, key), ownValue(root, key)]
    return isObject(ofRoot) ? [[key, { ...(isObject(ofPart) ? ofPart : {}), ...ofRoot }] as const] : []
  })
  const dialect = ownValue(root, '$schema')
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...part,
    ...Object.fromEntries(definitions),
  }
}

const checks = new WeakMap<FreeForm, Check>()

function checkOf(schema: FreeForm): Check {
  if (!isObject(schema)) return { fault: 'is not an object' }
  const known = checks.get(schema) ?? compile(schema)
  checks.set(schema, known)
  return known
}

const options: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  logger: false,
  code: { regExp: linearRegExp },
}

function compile(schema: FreeForm): Check {
  const fault = faultOfForm(schema)
  if (fault !== undefined) return { fault }
  // Of its own, so that an `$id` in it meets no other.
  const ajv = isDraft07(schema) ? new Ajv(options) : new Ajv2020(options)
  formats.default(ajv)
  // A pattern is what our engine takes, not what the one of JavaScript does.
  ajv.addFormat('regex', isPattern)
  const { definition, restart } = createStepCounter()
  ajv.addKeyword(definition)
  // References begin with `#`, so that the name of the root matters to nobody; `$async` would always pass.
  const { $id: _id, $async: _async, ...rest } = schema
  try {
    if (!ajv.validateSchema(rest)) return { fault: `is not valid ${formatError(ajv.errors?.[0])}` }
    return { validate: ajv.compile(withSteps(rest)), restart }
  } catch (error) {
    return { fault: `cannot be compiled: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function isDraft07({ $schema }: FreeForm): boolean {
  return typeof $schema === 'string' && $schema.includes('draft-07')
}

function isPattern(text: string): boolean {
  try {
    linearRegExp(text)
    return true
  } catch {
    return false
  }
}

function errorsOf(
  { validate, restart }: Exclude<Check, { readonly fault: string }>,
  value: unknown,
): readonly ErrorObject[] | string {
  try {
    restart()
    return validate(value) ? [] : (validate.errors ?? [])
  } catch (error) {
    if (error instanceof TooManySteps)
      return 'cannot be judged: the references of the schema lead to too many steps'
    if (error instanceof RangeError)
      return 'cannot be judged: the schema refers to itself without end, or the value is nested too deep'
    throw error
  }
}

function formatError(error: ErrorObject | undefined): string {
  if (!error) return ''
  const { instancePath, message = 'is not valid' } = error
  return `at '${instancePath}': ${message}${allowedOf(error)}`
}

/** What is wrong, with names of keys and what the schema says, not with the value. */
function messageOf(error: ErrorObject): string {
  const { message = 'is not valid', params } = error
  const key: unknown = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName
  return `${message}${allowedOf(error)}${typeof key === 'string' ? `: '${key}'` : ''}`
}

function allowedOf({ params }: ErrorObject): string {
  const allowed: unknown = params.allowedValues
  return Array.isArray(allowed) ? `: ${allowed.map((each) => JSON.stringify(each)).join(', ')}` : ''
}
