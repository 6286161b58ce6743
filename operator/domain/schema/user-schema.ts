import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FreeForm } from '../../api/schema.ts'
import { isObject, ownValue } from '../base/json.ts'
import { fullBudget, type WorkBudget } from '../base/work-budget.ts'
import { createMeteredPatterns } from './metered-patterns.ts'
import { stepsOf } from './pattern-size.ts'
import { problemOfForm, problemOfPattern, referencesIn } from './schema-form.ts'
import { withoutPlaceholderErrors } from './schema-leniency.ts'
import { BudgetExceeded, createStepCounter, withSteps } from './schema-steps.ts'

/** Where a value does not fit a schema, and why; never with the value, which may be secret. */
export interface SchemaProblem {
  /** JSON pointer into the value. */
  readonly pointer: string
  readonly message: string
}

/** What runs a schema that can be used. */
interface Usable {
  readonly validate: ValidateFunction
  /** Begins to look at a value, with what is left of the work that may be done. */
  begin(value: unknown, budget: Pick<WorkBudget, 'steps'>): void
  /** Lets go of what is remembered of values. */
  end(): void
}

type Check = Usable | { readonly problem: string }

const maxProblems = 100
const maxProblemsLength = 100_000
const maxInlinedKeys = 20_000

/** Why a schema of a user cannot be used; undefined when it can. */
export function problemOfSchema(schema: FreeForm): string | undefined {
  const check = checkOf(schema)
  return 'problem' in check ? check.problem : undefined
}

/**
 * What of a value does not fit a schema, the first hundred problems. With `lenient` a placeholder, whose value
 * is not known yet, passes any schema. Nothing fits a schema that cannot be used, nor does what takes more
 * than `effort` has left.
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
  if ('problem' in check) return [{ pointer: '', message: `cannot be judged: the schema ${check.problem}` }]
  const errors = errorsOf(check, value, budget)
  if (typeof errors === 'string') return [{ pointer: '', message: errors }]
  const kept = lenient ? withoutPlaceholderErrors(errors, value) : errors
  return problemsOf(kept)
}

/** The first errors as problems; the same long key or list of what is allowed may be in each of them. */
function problemsOf(errors: readonly ErrorObject[]): SchemaProblem[] {
  const problems: SchemaProblem[] = []
  let length = 0
  for (const error of errors.slice(0, maxProblems)) {
    const problem = { pointer: error.instancePath, message: messageOf(error) }
    length += problem.pointer.length + problem.message.length
    if (length > maxProblemsLength && problems.length > 0) break
    problems.push(problem)
  }
  return problems
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
export function problemOfPartedSchema(schema: FreeForm): string | undefined {
  const whole = problemOfSchema(schema)
  if (whole !== undefined) return whole
  for (const [name, part] of Object.entries(partsOf(schema))) {
    const problem = part && problemOfSchema(part)
    if (problem !== undefined) return `under '${name}' ${problem}`
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
  // Judged beforehand, by one that needs to learn the dialects only once.
  meta: false,
  validateSchema: false,
}

const judges = {
  draft07: judgeOf(new Ajv({ strict: false, logger: false })),
  draft2020: judgeOf(new Ajv2020({ strict: false, logger: false })),
}

/** Patterns are judged apart: one is what our engine takes, not what the one of JavaScript does. */
function judgeOf(ajv: Ajv): Ajv {
  formats.default(ajv)
  return ajv.addFormat('regex', true)
}

function compile(schema: FreeForm): Check {
  const problem = problemOfForm(schema)
  if (problem !== undefined) return { problem }
  // References begin with `#`, so that the name of the root matters to nobody; `$async` would always pass.
  const { $id: _id, $async: _async, $schema: _schema, ...rest } = schema
  const judge = isDraft07(schema) ? judges.draft07 : judges.draft2020
  try {
    if (!judge.validateSchema(rest)) return { problem: `is not valid ${formatError(judge.errors?.[0])}` }
    return compileJudged(rest, isDraft07(schema) ? Ajv : Ajv2020)
  } catch (error) {
    return { problem: `cannot be compiled: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function compileJudged(schema: FreeForm, Dialect: typeof Ajv | typeof Ajv2020): Usable {
  const { steps, uniqueItems, spend, restart } = createStepCounter()
  const { engine, forget } = createMeteredPatterns(spend)
  // Of its own, so that an `$id` in it meets no other.
  const ajv = new Dialect({
    ...options,
    // What is referred to often would be compiled as often.
    inlineRefs: Math.floor(maxInlinedKeys / Math.max(1, referencesIn(schema))),
    // Optimized code runs as fast and takes longer to make.
    code: { regExp: engine, optimize: false },
  })
  formats.default(ajv)
  addCostlyFormats(ajv, spend)
  ajv.addKeyword(steps).removeKeyword('uniqueItems').addKeyword(uniqueItems)
  const isRule = (keyword: string) => Object.hasOwn(ajv.RULES.all, keyword)
  return { validate: ajv.compile(withSteps(schema, isRule)), begin: restart, end: forget }
}

/** The formats that take more than linear time, which is counted. */
function addCostlyFormats(ajv: Ajv, spend: (steps: number) => void): void {
  const url = formats.default.get('url')
  ajv.addFormat('url', (text) => {
    spend(text.length ** 2 / 100)
    return url instanceof RegExp && url.test(text)
  })
  ajv.addFormat('regex', (text) => {
    spend(20 * stepsOf(text))
    return problemOfPattern(text) === undefined
  })
}

function isDraft07({ $schema }: FreeForm): boolean {
  return typeof $schema === 'string' && $schema.includes('draft-07')
}

function errorsOf(
  { validate, begin, end }: Usable,
  value: unknown,
  budget: Pick<WorkBudget, 'steps'>,
): readonly ErrorObject[] | string {
  try {
    begin(value, budget)
    return validate(value) ? [] : (validate.errors ?? [])
  } catch (error) {
    if (error instanceof BudgetExceeded) return `cannot be judged: ${error.message}`
    if (error instanceof RangeError)
      return 'cannot be judged: the schema refers to itself without end, or the value is nested too deep'
    // Some keywords, put together in odd ways, are too much for Ajv.
    return 'cannot be judged: the schema puts keywords together in a way that the check cannot follow'
  } finally {
    end()
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
