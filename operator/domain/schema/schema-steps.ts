import { _, type CodeKeywordDefinition, type FuncKeywordDefinition, Name } from 'ajv'
import type { FreeForm } from '../../api/schema.ts'
import { canonicalJson, isObject } from '../base/json.ts'
import { fullBudget, maxSteps, type WorkBudget } from '../base/work-budget.ts'
import { dataKeywords, mapKeywords } from './schema-parts.ts'

const keyword = 'x-quartermaster-step'
const maxErrors = 10_000

const tooLong = `the check against the schema takes more than ${maxSteps} steps, including the other checks of this request`

/** Longer paths make errors expensive, because each error copies its path. */
const longPath = 1024

/** A check would take too long; the message says which limit it exceeds. */
export class BudgetExceeded extends Error {}

/** Cost of checking a value against one schema: fixed, per key, and per character or item. */
type Cost = readonly [always: number, perKey: number, perLength: number]

/** Counts the steps of a check: each schema that is evaluated for each part of the value, by its cost. */
export function createStepCounter() {
  let budget: Pick<WorkBudget, 'steps'> = fullBudget()
  let factor = 1
  const spend = (steps: number): void => {
    budget.steps -= steps
    if (budget.steps < 0) throw new BudgetExceeded(tooLong)
  }
  const step = (errors: number, value: unknown, ...cost: Cost): void => {
    if (errors > maxErrors) throw new BudgetExceeded(`the value has more than ${maxErrors} problems`)
    spend((cost[0] + sizeFor(cost, value)) * factor)
  }
  const steps: CodeKeywordDefinition = {
    keyword,
    before: 'not',
    code({ gen, schema, data }) {
      const [always, perKey, perLength]: Cost = schema
      const count = gen.scopeValue('keyword', { ref: step })
      gen.code(_`${count}(${new Name('errors')}, ${data}, ${always}, ${perKey}, ${perLength})`)
    },
  }
  const uniqueItems: FuncKeywordDefinition = {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || areUnique(items, spend),
  }
  return {
    steps,
    uniqueItems,
    spend,
    /** Starts the check of another value. */
    restart(value: unknown, available: Pick<WorkBudget, 'steps'>): void {
      budget = available
      factor = 1 + Math.floor(longestPath(value) / longPath)
    },
  }
}

/** Whether no two items are equal, in linear time. */
function areUnique(items: readonly unknown[], spend: (steps: number) => void): boolean {
  const seen = new Set<string>()
  for (const item of items) {
    const text = canonicalJson(item ?? null)
    spend(2 + text.length / 8)
    if (seen.has(text)) return false
    seen.add(text)
  }
  return true
}

function sizeFor([, perKey, perLength]: Cost, value: unknown): number {
  if (perLength > 0 && (typeof value === 'string' || Array.isArray(value))) return value.length * perLength
  return perKey > 0 && isObject(value) ? Object.keys(value).length * perKey : 0
}

function longestPath(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((most: number, item) => Math.max(most, longestPath(item)), 0)
  return Object.entries(value).reduce(
    (most, [key, item]) => Math.max(most, key.length + longestPath(item)),
    0,
  )
}

/** The schema with a cost keyword in each subschema that has rules. */
export function withSteps(schema: FreeForm, isRule: (keyword: string) => boolean): FreeForm {
  return marked(schema, pricesOf(schema), isRule)
}

/** Cost of the property names of a schema: of each name per value, and of all names per key. */
interface Prices {
  readonly perName: number
  readonly perUnevaluated: number
}

/** Keywords whose evaluated property names depend on the value. */
const branching = ['anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies', 'patternProperties', '$ref']

function pricesOf(schema: FreeForm): Prices {
  const known = { keywords: new Set<string>(), names: 0 }
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      known.keywords.add(key)
      if (key === 'properties' && isObject(member)) known.names += Object.keys(member).length
      look(member)
    }
  }
  look(schema)
  const { keywords, names } = known
  if (!keywords.has('unevaluatedProperties')) return { perName: 1 / 8, perUnevaluated: 0 }
  // Collecting the names for each value costs most. Otherwise each key is compared with all names.
  if (branching.some((each) => keywords.has(each))) return { perName: 1, perUnevaluated: 0 }
  return { perName: 1 / 4, perUnevaluated: names / 256 }
}

function marked(schema: FreeForm, prices: Prices, isRule: (keyword: string) => boolean): FreeForm {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within)
    return isObject(value) ? marked(value, prices, isRule) : value
  }
  const members = mapMembers(schema, (member, key) => {
    if (dataKeywords.has(key)) return member
    return mapKeywords.has(key) && isObject(member) ? mapMembers(member, within) : within(member)
  })
  return Object.keys(schema).some(isRule) ? { ...members, [keyword]: costOf(schema, prices) } : members
}

const keyKeywords = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
]
const lengthKeywords = ['minLength', 'maxLength', 'contains', 'unevaluatedItems']

function costOf(schema: FreeForm, { perName, perUnevaluated }: Prices): Cost {
  const has = (key: string) => Object.hasOwn(schema, key)
  const lookups = Object.entries(schema).map(([key, member]) => lookupsOf(key, member, perName))
  return [
    lookups.reduce((sum, each) => sum + each, 1),
    (keyKeywords.some(has) ? 1 / 2 : 0) + (has('unevaluatedProperties') ? perUnevaluated : 0),
    (has('format') ? 1 / 8 : 0) + (lengthKeywords.some(has) ? 1 / 64 : 0),
  ]
}

/** The cost of a keyword itself, without the schemas in it. */
function lookupsOf(key: string, member: unknown, perName: number): number {
  if (key === 'enum' && Array.isArray(member))
    return member.reduce<number>((sum, each) => sum + wordCost(each), 0)
  if (key === 'const' || key === 'enum' || key === 'dependentRequired') return nodesIn(member) / 2
  if (dataKeywords.has(key) || key === '$defs' || key === 'definitions') return 0
  if (Array.isArray(member)) return member.length / 2
  if (key === 'dependencies') return nodesIn(member) / 2
  return mapKeywords.has(key) && isObject(member) ? Object.keys(member).length * perName : 0
}

/** The cost of one word of an `enum`; comparing ends at the first difference. */
function wordCost(word: unknown): number {
  if (typeof word === 'string') return 1 / 32 + word.length / 4096
  return isObject(word) || Array.isArray(word) ? nodesIn(word) / 2 : 1 / 32
}

function nodesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, member) => sum + nodesIn(member), 1)
}

function mapMembers(map: FreeForm, change: (member: unknown, key: string) => unknown): FreeForm {
  return Object.fromEntries(Object.entries(map).map(([key, member]) => [key, change(member, key)]))
}
