import { TemplateError, TypeMismatchError } from '@promptctl/go-template-js'
import { lengthOf } from '../domain/base/size-limits.ts'
import { createGoEngine } from './engine.ts'
import { templateFunctions } from './functions/functions.ts'
import { FunctionFault, maxResultsLength, NotYet } from './limits.ts'
import type { Failure, Results, Step, WorkerRequest } from './messages.ts'
import { type Dict, dictOf, isDict, own, withoutPrototypes } from './values.ts'
import { parseYaml, parseYamlDocuments } from './yaml.ts'

const engine = createGoEngine(templateFunctions())

class StepFailed extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Renders the steps in order, each with the results of the earlier ones. */
export function renderSteps({ steps, data }: Pick<WorkerRequest, 'steps' | 'data'>): Results {
  const shared = withoutPrototypes(data) as Dict // given as a map
  const results = steps.map((step): [string, unknown] => {
    // A copy, since templates can change maps.
    const seen = withoutPrototypes({ ...shared, ...step.besides })
    const result = resultOf(step, seen)
    if (step.as !== undefined) put(shared, step.as.split('.'), result)
    return [step.name, result]
  })
  refuseTooLarge(results, steps)
  return Object.fromEntries(results)
}

function refuseTooLarge(results: unknown, steps: readonly Step[]): void {
  if (lengthOf(results, maxResultsLength) <= maxResultsLength) return
  const names = steps.map(({ name }) => `'${name}'`).join(', ')
  const message = `templates ${names} give more than ${maxResultsLength} characters`
  throw new StepFailed({ reason: 'TooLarge', message })
}

/** The place and the reason of a failure, for the author of the template, without data. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StepFailed) return error.failure
  return { reason: 'Invalid', message: 'the templates cannot be rendered' }
}

function resultOf({ name, template, reads }: Step, data: unknown): unknown {
  const value =
    typeof template === 'string' ? whole(template, reads, data, name) : parts(template, reads, data, name)
  return reads === 'manifests' ? withDocuments(value, name) : value
}

function whole(template: string, reads: Step['reads'], data: unknown, name: string): unknown {
  const text = rendered(template, data, name)
  return reads === 'text' ? text : located(name, () => parseYaml(text))
}

function parts(template: unknown, reads: Step['reads'], data: unknown, name: string): unknown {
  if (typeof template === 'string') return leaf(template, reads, data, name)
  if (Array.isArray(template)) return template.map((each, i) => parts(each, reads, data, `${name}.${i}`))
  if (!isDict(template)) return template
  return dictOf(
    Object.entries(template).map(([key, each]) => [
      key.includes('{{') ? rendered(key, data, `${name}.${key}`) : key,
      parts(each, reads, data, `${name}.${key}`),
    ]),
  )
}

/**
 * A text within data: what its template gives is read as YAML, so that it can be a number, a list or a map, but only
 * where that loses nothing: `0012`, `1e3` and `# 1` stay text.
 */
function leaf(template: string, reads: Step['reads'], data: unknown, name: string): unknown {
  if (!template.includes('{{')) return template
  const text = rendered(template, data, name)
  if (reads === 'text' || text.trim() === '') return text
  const value = yamlOrText(text)
  if (typeof value === 'string') return /^\s*["'|>]/.test(text) ? value : text
  const isPlain = typeof value !== 'object' || value === null
  return isPlain && String(value) !== text.trim() ? text : value
}

function yamlOrText(text: string): unknown {
  try {
    return parseYaml(text)
  } catch {
    return text
  }
}

/** Manifests whose `data` are YAML documents in a text, read. */
function withDocuments(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((each, i) => withData(each, `${name}.${i}`))
  if (!isDict(value)) return value
  return dictOf(Object.entries(value).map(([key, each]) => [key, withData(each, `${name}.${key}`)]))
}

function withData(manifest: unknown, name: string): unknown {
  if (typeof manifest === 'string') return { data: located(name, () => parseYamlDocuments(manifest)) }
  if (!isDict(manifest)) return manifest
  const text = own(manifest, 'data')
  if (typeof text !== 'string') return manifest
  return { ...manifest, data: located(`${name}.data`, () => parseYamlDocuments(text)) }
}

function rendered(template: string, data: unknown, name: string): string {
  return located(name, () => engine.render(template, data))
}

function located<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new StepFailed({
      reason: error instanceof NotYet ? 'NotYet' : 'Invalid',
      message: error instanceof NotYet ? error.message : `template '${name}'${explanation(error)}`,
    })
  }
}

function explanation(error: unknown): string {
  if (error instanceof TemplateError) {
    const place = ` line ${error.pos.line} column ${error.pos.column}: `
    if (!(error instanceof TypeMismatchError)) return `${place}${error.message}`
    const { funcName, argIndex, expected, receivedSummary } = error
    return `${place}'${funcName}' takes ${expected} as argument ${argIndex}, not ${receivedSummary}`
  }
  if (error instanceof FunctionFault) return `: ${error.message}`
  if (error instanceof RangeError) return ': calls itself too often or makes too long a text'
  return ': cannot be rendered'
}

function put(data: Dict, [step = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    data[step] = value
    return
  }
  const inner = own(data, step)
  const dict = isDict(inner) ? inner : dictOf([])
  data[step] = dict
  put(dict, rest, value)
}
