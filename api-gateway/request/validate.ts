import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/base/errors.ts'
import { pointerSteps } from '../../operator/domain/base/json.ts'
import { linearRegExp } from '../../operator/domain/base/linear-regexp.ts'
import { memoize } from './memoize.ts'
import { textOfPattern } from './pattern-texts.ts'
import { withoutBlanks } from './wire.ts'

/** Checks a value and returns it without nulls and empty IDs that mean absent fields. */
export type Validator = (value: unknown) => unknown

/** Validators of the values that requests have. */
export type Validators = ReturnType<typeof createValidators>

/** Compiles the schemas of endpoints on first use. */
export function createValidators() {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    ownProperties: true,
    code: { regExp: linearRegExp },
    // Tests check the schemas; compiling the schema of schemas would delay the first answer.
    meta: false,
    validateSchema: false,
  })
  formats.default(ajv)
  const compile = memoize((schema: TSchema) => ajv.compile(schema))
  return {
    /** Returns a validator of bodies: 422 for missing fields and wrong types, 400 for other violations. */
    body(schema: TSchema): Validator {
      return (value) => {
        const check = compile(schema)
        const cleaned = withoutBlanks(schema, value)
        if (check(cleaned)) return cleaned
        throw bodyProblem(errorToTell(check.errors))
      }
    },
    /** Returns a function that checks whether a value is valid. */
    test(schema: TSchema): (value: unknown) => boolean {
      return (value) => compile(schema)(value)
    },
    /** Returns a function that says why the value of a parameter is not valid; undefined when it is. */
    parameter(name: string, schema: TSchema): (value: unknown) => string | undefined {
      return (value) => {
        const check = compile(schema)
        const error = check(value) ? undefined : errorToTell(check.errors)
        return error && messageOf(error, `'${name}'`)
      }
    },
  }
}

/** The first error; of alternatives that of one which has the form of the value: the others say only that they have another form. */
function errorToTell(errors: readonly ErrorObject[] | null | undefined): ErrorObject | undefined {
  const isOfAlternatives = errors?.at(-1)?.keyword === 'anyOf'
  const ofForm = isOfAlternatives
    ? errors.find(({ keyword }) => !['type', 'anyOf'].includes(keyword))
    : undefined
  return ofForm ?? errors?.[0]
}

function bodyProblem(error: ErrorObject | undefined): Problem {
  const message = error ? messageOf(error, 'the body') : 'the body is not valid'
  const isForm = error?.keyword === 'type' || error?.keyword === 'required'
  return new Problem(isForm ? 'Unprocessable' : 'Invalid', message)
}

/** Does not contain the value, which may be secret. */
function messageOf(error: ErrorObject, root: string): string {
  const where = error.instancePath === '' ? root : `'${pointerSteps(error.instancePath).join('.')}'`
  if (error.keyword === 'pattern')
    return `${where} ${textOfPattern(String(error.params['pattern'])) ?? 'is not valid'}`
  const allowed = Array.isArray(error.params['allowedValues'])
    ? `: ${error.params['allowedValues'].join(', ')}`
    : ''
  return `${where} ${error.message?.replace('must NOT', 'must not') ?? 'is not valid'}${allowed}`
}
