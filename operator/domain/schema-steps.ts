import type { FuncKeywordDefinition } from 'ajv'
import type { FreeForm } from '../api/schema.ts'
import { isObject } from './json.ts'
import { dataKeywords, mapKeywords } from './schema-form.ts'

const keyword = 'x-quartermaster-step'
const maxSteps = 1_000_000

/** A look at a value that went on for longer than any honest schema takes. */
export class TooManySteps extends Error {}

/** Counts the references that a look at a value follows: few of them, nested, can stand for a great many. */
export function createStepCounter() {
  let steps = 0
  const definition: FuncKeywordDefinition = {
    keyword,
    schema: false,
    errors: false,
    validate: () => {
      steps += 1
      if (steps > maxSteps) throw new TooManySteps()
      return true
    },
  }
  return {
    definition,
    restart() {
      steps = 0
    },
  }
}

/** The schema with a mark beside each reference, where the steps are counted. */
export function withSteps(schema: FreeForm): FreeForm {
  const isReference = Object.keys(schema).some((key) => key === '$ref' || key === '$dynamicRef')
  const marked = mapMembers(schema, (member, key) => {
    if (dataKeywords.has(key)) return member
    return mapKeywords.has(key) && isObject(member) ? mapMembers(member, within) : within(member)
  })
  return isReference ? { ...marked, [keyword]: true } : marked
}

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within)
  return isObject(value) ? withSteps(value) : value
}

function mapMembers(map: FreeForm, change: (member: unknown, key: string) => unknown): FreeForm {
  return Object.fromEntries(Object.entries(map).map(([key, member]) => [key, change(member, key)]))
}
