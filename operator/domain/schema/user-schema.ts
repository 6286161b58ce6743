import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FreeForm } from '../../api/schema.ts'
import { escapeToken, isObject } from '../base/json.ts'
import { fullBudget, type WorkBudget } from '../base/work-budget.ts'
import { appliedSchemas } from './applied-schemas.ts'
import { createMeteredPatterns } from './metered-patterns.ts'
import { multipleOf } from './multiple-of.ts'
import { declaresParts, partsToCheck, schemasOfPart, wholeOf } from './parted-schema.ts'
import { stepsOf } from './pattern-size.ts'
import {
  maxPatternLength,
  problemOfForm,
  problemOfPattern,
  problemOfType,
  referencesIn,
} from './schema-form.ts'
import { withoutPlaceholderErrors } from './schema-leniency.ts'
import { BudgetExceeded, createStepCounter, withSteps } from './schema-steps.ts'

/** A violation of a schema. It never contains the value, which may be secret. */
export interface SchemaProblem {
  /** JSON pointer into the value. */
  readonly pointer: string
  readonly message: string
  /** The key that is not allowed there. */
  readonly key?: string
}

/** A compiled schema. */
interface CompiledSchema {
  readonly validate: ValidateFunction
  /** Starts the check of a value, with the remaining budget. */
  begin(value: unknown, budget: Pick<WorkBudget, 'steps'>): void
  /** Ends the check and frees memory. */
  end(): void
}

type Check = CompiledSchema | { readonly problem: string }

const maxProblems = 100
const maxProblemsLength = 100_000
const maxInlinedKeys = 20_000

/** Why a user schema is invalid; undefined when it is valid. */
export function problemOfSchema(schema: FreeForm): string | undefined {
  const check = checkOf(schema)
  return 'problem' in check ? check.problem : undefined
}

/**
 * The first hundred violations of a schema. With `lenient`, a placeholder passes any schema. An invalid schema and a check
 * that exceeds `budget` are violations too.
 */
export function schemaProblems(
  schema: FreeForm,
  value: unknown,
  {
    lenient = false,
    budget = fullBudget(),
  }: { readonly lenient?: boolean; readonly budget?: Pick<WorkBudget, 'steps'> } = {},
): readonly SchemaProblem[] {
  const check = checkOf(schema)
  if ('problem' in check) return [{ pointer: '', message: `cannot be checked: the schema ${check.problem}` }]
  const errors = errorsOf(check, value, budget)
  if (typeof errors === 'string') return [{ pointer: '', message: errors }]
  const kept = lenient ? withoutPlaceholderErrors(errors, value) : errors
  return problemsOf(kept)
}

/** The first errors as problems, bounded in length: each can repeat the same long key or list of allowed values. */
function problemsOf(errors: readonly ErrorObject[]): SchemaProblem[] {
  const problems: SchemaProblem[] = []
  let length = 0
  // What is wrong with a name is a problem by itself.
  const telling = errors.filter(({ keyword }) => keyword !== 'propertyNames')
  for (const error of telling.slice(0, maxProblems)) {
    const problem = { pointer: pointerOf(error), message: messageOf(error), key: extraKeyOf(error) }
    length += problem.pointer.length + problem.message.length
    if (length > maxProblemsLength && problems.length > 0) break
    problems.push(problem)
  }
  return problems
}

/** Why a schema of outputs or driver inputs is invalid, as a whole or in its part for values or secrets. */
export function problemOfPartedSchema(schema: FreeForm): string | undefined {
  const whole = problemOfSchema(schema)
  if (whole !== undefined) return whole
  const { values, secrets, ...rest } = schema
  for (const [name, part] of [
    ['values', { values }],
    ['secrets', { secrets }],
  ] as const) {
    const alone = wholeOf(schema) === schema ? undefined : problemOfSchema(wholeOf({ ...rest, ...part }))
    const applied = appliedSchemas(schema, schemasOfPart(schema, name, 'always'), 'always')
    const problem = alone ?? applied.map(problemOfType).find((each) => each !== undefined)
    if (problem !== undefined) return `under '${name}' ${problem}`
  }
  return undefined
}

/** A violation of a schema of outputs or driver inputs, with its place in dots: `values.host`. */
export interface PartedProblem {
  readonly place: string
  readonly message: string
}

/**
 * The violations of a schema of outputs or driver inputs, by both parts and as a whole. A schema that declares neither part
 * does not describe them, so nothing violates it; in an invalid one the parts cannot be found.
 */
export function partedProblems(
  schema: FreeForm,
  parts: { readonly values: FreeForm; readonly secrets: FreeForm },
  leniency: { readonly lenient?: boolean } = {},
): readonly PartedProblem[] {
  const whole = wholeOf(schema)
  if (!declaresParts(schema) && problemOfSchema(whole) === undefined) return []
  return schemaProblems(whole, partsToCheck(schema, parts), leniency).map(({ pointer, message }) => ({
    place: pointer.slice(1).replaceAll('/', '.'),
    message,
  }))
}

const checks = new WeakMap<FreeForm, Check>()

function checkOf(schema: FreeForm): Check {
  if (!isObject(schema)) return { problem: 'is not an object' }
  const known = checks.get(schema) ?? compile(schema)
  checks.set(schema, known)
  return known
}

const options: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  logger: false,
  // Checked before, by one of the shared validators below.
  meta: false,
  validateSchema: false,
}

const metaValidators = {
  draft07: metaValidatorOf(new Ajv({ strict: false, logger: false })),
  draft2020: metaValidatorOf(new Ajv2020({ strict: false, logger: false })),
}

/** The formats that are checked; JSON Schema allows others. */
export const checkedFormats: readonly string[] = Object.keys(metaValidators.draft07.formats)

/** Validates schemas. Patterns are checked separately, because the engine is not that of JavaScript. */
function metaValidatorOf(ajv: Ajv): Ajv {
  formats.default(ajv)
  return ajv.addFormat('regex', true)
}

function compile(schema: FreeForm): Check {
  const problem = problemOfForm(schema)
  if (problem !== undefined) return { problem }
  // All references begin with `#`, so `$id` of the root has no effect. A schema with `$async` would always pass.
  const { $id: _id, $async: _async, $schema: _schema, ...rest } = schema
  const validator = isDraft07(schema) ? metaValidators.draft07 : metaValidators.draft2020
  try {
    if (!validator.validateSchema(rest))
      return { problem: `is not valid ${formatError(validator.errors?.[0])}` }
    return compileChecked(rest, isDraft07(schema) ? Ajv : Ajv2020)
  } catch (error) {
    return { problem: `cannot be compiled: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function compileChecked(schema: FreeForm, Dialect: typeof Ajv | typeof Ajv2020): CompiledSchema {
  const { steps, uniqueItems, spend, restart } = createStepCounter()
  const { engine, forget } = createMeteredPatterns(spend)
  // One instance per schema, so that equal `$id`s do not conflict.
  const ajv = new Dialect({
    ...options,
    // Ajv compiles an inlined schema once per reference.
    inlineRefs: Math.floor(maxInlinedKeys / Math.max(1, referencesIn(schema))),
    // Optimized code is not faster and takes longer to generate.
    code: { regExp: engine, optimize: false },
  })
  formats.default(ajv)
  addCostlyFormats(ajv, spend)
  ajv.addKeyword(steps)
  for (const own of [uniqueItems, multipleOf]) ajv.removeKeyword(own.keyword as string).addKeyword(own)
  const isRule = (keyword: string) => Object.hasOwn(ajv.RULES.all, keyword)
  return { validate: ajv.compile(withSteps(schema, isRule)), begin: restart, end: forget }
}

/** Replaces the formats that take more than linear time by ones that count their work. */
function addCostlyFormats(ajv: Ajv, spend: (steps: number) => void): void {
  const url = formats.default.get('url')
  ajv.addFormat('url', (text) => {
    spend(text.length ** 2 / 100)
    return url instanceof RegExp && url.test(text)
  })
  ajv.addFormat('regex', (text) => {
    if (text.length > maxPatternLength) return false
    spend(20 * stepsOf(text))
    return problemOfPattern(text) === undefined
  })
}

function isDraft07({ $schema }: FreeForm): boolean {
  return typeof $schema === 'string' && $schema.includes('draft-07')
}

function errorsOf(
  { validate, begin, end }: CompiledSchema,
  value: unknown,
  budget: Pick<WorkBudget, 'steps'>,
): readonly ErrorObject[] | string {
  try {
    begin(value, budget)
    return validate(value) ? [] : (validate.errors ?? [])
  } catch (error) {
    if (error instanceof BudgetExceeded) return `cannot be checked: ${error.message}`
    if (error instanceof RangeError)
      return 'cannot be checked: the schema refers to itself without end, or the value is nested too deep'
    // Ajv throws for some unusual combinations of keywords.
    return 'cannot be checked: the schema uses an unsupported combination of keywords'
  } finally {
    end()
  }
}

function formatError(error: ErrorObject | undefined): string {
  if (!error) return ''
  const { instancePath, message = 'is not valid' } = error
  return `at '${instancePath}': ${message}${allowedOf(error)}`
}

/** Where the value is that is wrong, or whose name is. */
function pointerOf({ instancePath, propertyName }: ErrorObject): string {
  return propertyName === undefined ? instancePath : `${instancePath}/${escapeToken(propertyName)}`
}

/** The message with names of keys and what the schema says, without the value. */
function messageOf(error: ErrorObject): string {
  const { message = 'is not valid', propertyName } = error
  const key = extraKeyOf(error)
  const subject = propertyName === undefined ? '' : 'has a name that '
  return `${subject}${message}${allowedOf(error)}${key === undefined ? '' : `: '${key}'`}`
}

function extraKeyOf({ params }: ErrorObject): string | undefined {
  const key: unknown = params.additionalProperty ?? params.unevaluatedProperty
  return typeof key === 'string' ? key : undefined
}

function allowedOf({ params }: ErrorObject): string {
  const allowed: unknown = params.allowedValues
  return Array.isArray(allowed) ? `: ${allowed.map((each) => JSON.stringify(each)).join(', ')}` : ''
}
