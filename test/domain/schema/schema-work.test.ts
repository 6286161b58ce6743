import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { fullBudget, maxSteps, type WorkBudget } from '../../../operator/domain/base/work-budget.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/type-info.ts'
import { createMeteredPatterns } from '../../../operator/domain/schema/metered-patterns.ts'
import { problemOfSchema, schemaProblems } from '../../../operator/domain/schema/user-schema.ts'
import { definition, set } from '../../support/builders.ts'
import { graphInput } from '../../support/graphs.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { createRandom } from '../../support/random.ts'

const text = { type: 'string' }
const name = { ...text, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' }

function make<T>(count: number, item: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => item(i))
}

function byKey(count: number, item: (i: number) => unknown): FreeForm {
  return Object.fromEntries(make(count, (i) => [`p${i}`, item(i)]))
}

/** A schema of a list of this. */
function listOf(items: unknown): FreeForm {
  return { type: 'object', properties: { list: { type: 'array', items } } }
}

function letters(length: number): string {
  const random = createRandom(7)
  return make(length, () => (random.below(2) === 0 ? 'a' : 'b')).join('')
}

function judged(schema: FreeForm, value: unknown, given = maxSteps) {
  const budget = { ...fullBudget(), steps: given }
  const problems = schemaProblems(schema, value, { budget })
  return { problems, steps: given - budget.steps, isRefused: budget.steps < 0 }
}

describe('an ordinary value of a mebibyte is judged by an ordinary schema', () => {
  const pod = {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      ...byKey(60, () => ({ type: 'string', maxLength: 253, description: 'Any text.' })),
      name,
      port: { type: 'integer', minimum: 1, maximum: 65_535 },
      modes: { type: 'array', uniqueItems: true, items: { enum: ['ro', 'rw'] } },
      mail: { type: 'string', format: 'email' },
      link: { type: 'string', format: 'uri' },
      size: {
        anyOf: [{ type: 'string', pattern: '^[0-9]+[KMG]i$' }, { type: 'integer' }, { $ref: '#/$defs/more' }],
      },
    },
  }
  const schema = { ...listOf(pod), $defs: { more: { type: 'object', properties: { name } } } }
  const item = (i: number) => ({
    name: `name-${i}`,
    p1: `text ${i}`,
    port: i + 1,
    modes: ['ro', 'rw'],
    mail: `user${i}@example.com`,
    link: `https://example.com/${i}`,
    size: i % 2 ? '10Gi' : { name: `more-${i}` },
  })
  test.each<[string, FreeForm, unknown]>([
    ['of many parts', schema, { list: make(7000, item) }],
    ['of very many small parts', listOf(text), { list: make(260_000, () => 'a') }],
    [
      'with one of several alternatives',
      listOf({ anyOf: [{ type: 'boolean' }, { type: 'null' }, text] }),
      { list: make(200_000, () => 'a') },
    ],
    ['of one text', listOf({ ...text, pattern: '^[A-Za-z0-9+/=]*$' }), { list: [letters(1_048_576)] }],
    ['of texts with a pattern', listOf(name), { list: make(30_000, (i) => `a${letters(i % 30)}b${i}`) }],
    [
      'of different objects',
      { properties: { list: { uniqueItems: true } } },
      { list: make(60_000, (i) => ({ id: i })) },
    ],
    [
      'of a tree',
      { $defs: {}, additionalProperties: { $ref: '#' } },
      byKey(20_000, (i) => ({ a: { b: { [`c${i}`]: {} } } })),
    ],
  ])('%s', (_, each, value) => {
    expect(JSON.stringify(value).length).toBeGreaterThan(400_000)
    const { problems, steps } = judged(each, value)
    expect(problems).toEqual([])
    expect(steps).toBeLessThan(maxSteps)
  })

  test('as is one by a schema of hundreds of properties', () => {
    const wide = {
      type: 'object',
      required: ['p1'],
      properties: byKey(600, () => ({ ...name, description: 'x' })),
    }
    expect(
      judged(
        wide,
        byKey(600, (i) => `value-${i}`),
      ).problems,
    ).toEqual([])
  })
})

describe('many ordinary values are judged within one plan', () => {
  const words = (count: number) => make(count, (i) => `word-${i}`)
  const strict = { unevaluatedProperties: false }
  test.each<[string, FreeForm, number, (i: number) => unknown]>([
    [
      'with long enums',
      { properties: { a: { enum: words(600) }, b: { enum: words(1500) }, c: { enum: words(2000) } } },
      1000,
      (i) => ({ a: `word-${i % 600}`, b: `word-${i}`, c: `word-${2 * i}` }),
    ],
    [
      'of few among many properties, and nothing else',
      { ...strict, allOf: [{ properties: byKey(500, () => text) }] },
      5000,
      (i) => ({ [`p${i % 500}`]: 'x' }),
    ],
  ])('%s', (_, schema, count, item) => {
    const budget = fullBudget()
    const problems = make(count, (i) => schemaProblems(schema, item(i), { budget })).flat()
    expect(problems).toEqual([])
    expect(budget.steps).toBeGreaterThan(maxSteps / 2)
  })
})

describe('a value that would take long is refused when the steps are used up', () => {
  /** A part of all steps shows the same in a part of the time. */
  const given = casesOf(casesOf(maxSteps))
  const wide = { properties: byKey(900, () => true) }
  test.each<[string, unknown, unknown[]]>([
    [
      'anyOf of many branches',
      { anyOf: make(1900, (i) => ({ const: `c${i}` })) },
      make(30_000, (i) => `x${i}`),
    ],
    [
      'one of them after many',
      { anyOf: [...make(1900, (i) => ({ const: i })), text] },
      make(30_000, () => 'x'),
    ],
    ['oneOf of false', { oneOf: [...make(500, () => false), {}] }, make(30_000, () => 'x')],
    ['a long enum', { anyOf: [{ enum: make(20_000, (i) => `c${i}`) }, {}] }, make(30_000, () => 'x')],
    [
      'many required keys',
      { anyOf: [{ required: make(20_000, (i) => `p${i}`) }, {}] },
      make(30_000, () => ({})),
    ],
    ['a pattern that counts', { pattern: `${'[ab]{0,1000}'.repeat(4)}[cd]$` }, [letters(100_000)]],
    ['a pattern of many states', { pattern: '[ab]*a[ab]{200}[cd]' }, [letters(100_000)]],
    [
      'such a pattern and short texts',
      { pattern: '[ab]*a[ab]{500}[cd]' },
      make(16_000, (i) => letters(i % 60) + letters(62 - (i % 60))),
    ],
    ['such a key', { patternProperties: { '[ab]*a[ab]{200}[cd]': {} } }, [{ [letters(100_000)]: 1 }]],
    ['format url', { format: 'url' }, [`http://${'::'.repeat(50_000)}`]],
    ['format regex', { format: 'regex' }, make(1000, (i) => `(${'[ab]{0,9}'.repeat(80)}${i}){100}`)],
    [
      'differing items in many branches',
      { anyOf: [...make(500, () => ({ uniqueItems: true, minItems: 1e9 })), {}] },
      [make(30_000, (i) => ({ i }))],
    ],
    [
      'unevaluated keys',
      { allOf: make(300, () => ({ anyOf: [{ $ref: '#/$defs/wide' }, true] })), unevaluatedProperties: false },
      make(3000, () => ({})),
    ],
    [
      'many keys and many names',
      { allOf: [{ properties: byKey(900, () => true) }], unevaluatedProperties: { type: 'number' } },
      make(20, () => byKey(30_000, () => 1)),
    ],
    [
      'a long enum of long words',
      { anyOf: [{ enum: make(4000, (i) => `${'a'.repeat(50)}${i}`) }, {}] },
      make(30_000, () => `${'a'.repeat(50)}b000`),
    ],
    ['more problems than the limit', text, make(30_000, () => 1)],
  ])('%s', (_, items, list) => {
    const isWide = JSON.stringify(items).includes('#/$defs/wide')
    const schema = { ...listOf(items), ...(isWide ? { $defs: { wide } } : {}) }
    expect(problemOfSchema(schema)).toBeUndefined()
    expect(judged(schema, { list }, given).problems).toEqual([
      { pointer: '', message: expect.stringMatching(/^cannot be checked: /) },
    ])
  })

  test('a long key with many problems under it', () => {
    const schema = { additionalProperties: { items: { anyOf: [text, { const: 1 }] } } }
    expect(judged(schema, { ['k'.repeat(500_000)]: make(50_000, () => 1) }, given).isRefused).toBe(true)
  })

  test('the problems of one value are not longer than can be read', () => {
    const schema = listOf({ enum: make(2000, (i) => `${'x'.repeat(100)}${i}`) })
    const { problems } = judged(schema, { list: make(1000, () => 'x') })
    expect(problems.length).toBeGreaterThan(0)
    expect(JSON.stringify(problems).length).toBeLessThan(1_000_000)
  })

  test('after any earlier validations', () => {
    const schema = listOf({ pattern: '[ab]*a[ab]{20}[cd]' })
    const value = { list: [letters(200)] }
    const before = judged(schema, value)
    expect(judged(schema, { list: [letters(500_000)] }, given).isRefused).toBe(true)
    expect(judged(schema, value).problems).toEqual(before.problems)
  })

  test('all values of one plan together', () => {
    const items = { anyOf: [...make(1000, (i) => ({ const: i })), text] }
    const type: ResourceTypeInfo = {
      type: 'acme/thing',
      name: 'Thing',
      category: 'things',
      use: 'direct',
      inputsSchema: listOf(items),
      outputsSchema: {},
    }
    const things = Object.fromEntries(
      make(100, (i) => [`t${i}`, { type: 'acme/thing', params: { list: make(100, () => 'x') } }]),
    )
    expect(judged(type.inputsSchema, { list: make(100, () => 'x') }).problems).toEqual([])
    const input = graphInput(set({}, things), [definition('thing', 'acme/thing')], { types: [type] })
    const { problems } = buildGraph(input)
    expect(problems.filter(({ reason }) => reason === 'InvalidParams').length).toBeGreaterThan(50)
  })
})

describe('a schema that would take long to compile cannot be used', () => {
  test.each<[string, FreeForm]>([
    ['of too many parts', { properties: byKey(2001, () => ({})) }],
    ['of too many parts that are true or false', { anyOf: make(2001, () => false) }],
    ['with too many dependent keys', { dependentRequired: byKey(2001, () => ['a']) }],
    [
      'of the older spelling',
      { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: byKey(2001, () => ['a']) },
    ],
    ['with a pattern that counts far', { patternProperties: { [`${'[ab]{0,1000}'.repeat(80)}$`]: {} } }],
    [
      'with counts in counts',
      { properties: { a: { pattern: `(?:${'(?:[ab]{0,10}c){0,10}'.repeat(40)}){0,10}` } } },
    ],
    [
      'with counts after a group that resembles a class',
      { properties: { a: { pattern: `(${'[a)]b{0,100}'.repeat(60)}){10}` } } },
    ],
    ['with many patterns', { properties: byKey(100, (i) => ({ pattern: `[ab]{0,100}${i}` })) }],
    ['with very many short patterns', { patternProperties: byKey(501, () => ({})) }],
  ])('%s', (_, schema) => {
    expect(problemOfSchema(schema)).toMatch(/steps|parts|patterns/)
  })

  test('500 patterns are allowed', () => {
    expect(
      problemOfSchema({ patternProperties: byKey(500, () => ({})), additionalProperties: false }),
    ).toBeUndefined()
  })

  test('many references to a large part are allowed', () => {
    const wide = { properties: byKey(900, () => text) }
    const schema = { properties: byKey(900, () => ({ $ref: '#/$defs/wide' })), $defs: { wide } }
    expect(judged(schema, { p1: { p1: 1 } }).problems).toEqual([
      { pointer: '/p1/p1', message: 'must be string' },
    ])
  })

  test('data that resembles a schema is not counted', () => {
    expect(problemOfSchema({ properties: { a: { default: make(3000, () => ({})) } } })).toBeUndefined()
  })
})

test('patterns forget texts when these become much', () => {
  let steps = 0
  const { engine, forget } = createMeteredPatterns((more) => {
    steps += more
  })
  const pattern = engine('[ab]*a[ab]{20}[cd]', 'u')
  const cost = (length: number) => {
    steps = 0
    expect(pattern.test(letters(length))).toBe(false)
    return steps
  }
  const first = cost(1000)
  forget()
  expect(cost(1000)).toBeLessThan(first / 2) // little is kept
  cost(40_000)
  forget()
  expect(cost(1000)).toBe(first)
})

test('patterns of many schemas forget texts when these become much in all, the longest unused first', () => {
  let steps = 0
  const schemas = make(40, () => {
    const { engine, forget } = createMeteredPatterns((more) => {
      steps += more
    })
    return { pattern: engine('[ab]*a[ab]{20}[cd]', 'u'), forget }
  })
  const cost = ({ pattern, forget }: (typeof schemas)[number]) => {
    steps = 0
    for (let i = 0; i < 10; i++) pattern.test(letters(1000))
    pattern.test(letters(7000))
    forget()
    return steps
  }
  const first = schemas.map(cost)
  const [oldest, youngest] = [schemas.at(0), schemas.at(-1)]
  if (!oldest || !youngest) throw new Error('the schemas are missing')
  expect(cost(youngest)).toBeLessThan((first.at(-1) ?? 0) / 2)
  expect(cost(oldest)).toBe(first[0])
})

const small = fc.jsonValue({ maxDepth: 3 })
const key = fc.constantFrom('a', 'b', 'c', '')
const keys = fc.uniqueArray(key, { maxLength: 2 })
const alone = {
  type: fc.constantFrom('object', 'string', 'array', 'number', ['string', 'null']),
  unevaluatedProperties: fc.boolean(),
  required: keys,
  dependentRequired: fc.dictionary(key, keys, { maxKeys: 2 }),
  propertyNames: fc.record({ maxLength: fc.nat(2) }),
  uniqueItems: fc.boolean(),
  enum: fc.array(small, { minLength: 1, maxLength: 3 }),
  pattern: fc.constantFrom('^a', 'b+', '^[ab]{1,3}$'),
  minLength: fc.nat(3),
}
const { schema: anySchema } = fc.letrec<{ schema: FreeForm }>((tie) => {
  const inner = tie('schema')
  const some = fc.array(inner, { minLength: 1, maxLength: 2 })
  const holding = {
    ...alone,
    properties: fc.dictionary(key, inner, { maxKeys: 2 }),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$', '.'), inner, { maxKeys: 2 }),
    additionalProperties: inner,
    items: inner,
    contains: inner,
    anyOf: some,
    allOf: some,
    not: inner,
    if: inner,
    else: inner,
  }
  return {
    schema: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'schema' },
      fc.record(alone, { requiredKeys: [] }),
      fc.record(holding, { requiredKeys: [] }),
    ),
  }
})

test('the result equals that of the same schema without counting', () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false })
  const value = fc.oneof(
    fc.dictionary(key, small, { maxKeys: 3 }),
    fc.array(fc.constantFrom(1, '1', { a: 1 }, { a: '1' }, [1], null, true), { maxLength: 4 }),
    fc.constantFrom('a', 'ab', 'b', 1, null),
  )
  fc.assert(
    fc.property(anySchema, value, (field, each) => {
      const schema = { properties: { field } }
      const budget: WorkBudget = fullBudget()
      expect(problemOfSchema(schema)).toBeUndefined()
      const isValid = attempt(() => ajv.compile(schema)({ field: each }))
      if (isValid !== undefined)
        expect(schemaProblems(schema, { field: each }, { budget }).length === 0).toBe(isValid)
      expect(budget.steps).toBeGreaterThan(0)
    }),
    { numRuns: casesOf(100) },
  )
})

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
