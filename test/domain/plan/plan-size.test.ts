import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { ValueSource } from '../../../operator/api/shared-value.ts'
import { activeResource, definition, module, set } from '../../support/builders.ts'
import { problems } from '../../support/graphs.ts'
import { planOf } from '../../support/plans.ts'

const value = (length: number): ValueSource => ({ value: 'x'.repeat(length) })
const values = new Map<string, ValueSource>([
  ...Array.from({ length: 30 }, (_, i) => [`V${i}`, value(65_000)] as const),
  ['SECRET', { secret: { secret: 'login', key: 'token' } }],
])
const all = Array.from({ length: 30 }, (_, i) => `\${values.V${i}}`).join(' ')
const redis = definition('redis', 'redis')
const workload = definition('workload', 'workload', { driverType: 'quartermaster/echo' })
const planFor = (params: FreeForm, ...definitions: ReturnType<typeof definition>[]) =>
  planOf(set({}, { main: { type: 'redis', params } }), [redis, ...definitions], [], { values })
const object = 'redis.default#shared.main'

describe('planning refuses oversized objects', () => {
  test.each<[rule: string, params: FreeForm, expected: string[]]>([
    ['a value that is named often', { a: '${values.V0}'.repeat(350) }, [`TooLarge ${object}`]],
    ['a value that many params name', { a: Array(350).fill('${values.V0}') }, [`TooLarge ${object}`]],
    ['many values named by one dependency', { a: all }, [`TooLarge ${object}`, `ResourceTooLarge ${object}`]],
    ['large params', { a: 'x'.repeat(1_500_000) }, [`ResourceTooLarge ${object}`]],
    ['params that grow when they are kept', { a: '<'.repeat(300_000) }, [`ResourceTooLarge ${object}`]],
    ['long names, which are kept twice', { ['k'.repeat(800_000)]: '' }, [`ResourceTooLarge ${object}`]],
  ])('%s', (_, params, expected) => {
    expect(problems(planFor(params))).toEqual(expected)
  })

  test.each<[rule: string, params: FreeForm]>([
    ['a few values', { a: '${values.V0} ${values.V1}' }],
    ['large params that fit', { a: 'x'.repeat(900_000) }],
    ['a secret value, of unknown length, which is refused for another reason', { a: 'x' }],
  ])('but not %s', (_, params) => {
    expect(problems(planFor(params))).toEqual([])
  })

  test('a module in the same way, and secret values later', () => {
    const planned = (text: string) => {
      const content = set({ api: module({}, { containers: { main: { variables: { A: text } } } }) })
      return problems(planOf(content, [workload], [], { values }))
    }
    expect(planned('${values.V0}'.repeat(350))).toEqual(['TooLarge workload.default#modules.api'])
    expect(planned('${values.SECRET}'.repeat(350))).toEqual([])
  })

  test('inputs of a definition', () => {
    const large = definition('large', 'redis', { driverInputs: { values: { a: 'x'.repeat(1_400_000) } } })
    const content = set({}, { main: { type: 'redis' } })
    const planned = planOf(content, [large])
    expect(problems(planned)).toEqual([`ResourceTooLarge ${object}`])
    expect(planned.problems[0]?.message).toContain("'large'")
    const [wanted] = planned.steps.flatMap((step) => step.wanted ?? [])
    if (!wanted) throw new Error('it wants nothing')
    const existing = [activeResource(wanted, wanted)]
    expect(problems(planOf(content, [large], existing))).toEqual([]) // it is there, and nothing is written
  })

  test('the writes of a whole deployment', () => {
    const large = definition('large', 'redis', { driverInputs: { values: { a: 'x'.repeat(1_300_000) } } })
    const many = Array.from({ length: 250 }, (_, i) => [`r${i}`, { type: 'redis' }])
    expect(problems(planOf(set({}, Object.fromEntries(many)), [large]))).toEqual(['DeploymentTooLarge '])
  })

  test.each<[rule: string, resources: number, params: FreeForm, expected: string[]]>([
    ['ordinary resources by the thousand', 1000, { a: 'x'.repeat(5000) }, []],
    ['larger ones that fit', 1000, { a: 'x'.repeat(50_000) }, []],
    ['objects that grow when they are kept', 100, { a: '<'.repeat(130_000) }, ['DeploymentTooLarge ']],
  ])('of all that one deployment writes: %s', (_, count, params, expected) => {
    const many = Array.from({ length: count }, (_each, i) => [`r${i}`, { type: 'redis', params }])
    expect(problems(planOf(set({}, Object.fromEntries(many)), [redis]))).toEqual(expected)
  })

  test('oversized values are read only up to the limit', () => {
    let looks = 0
    const values: FreeForm = {}
    Object.defineProperty(values, 'a', { enumerable: true, get: () => `${looks++}${'x'.repeat(1_000_000)}` })
    const large = definition('large', 'redis', { driverInputs: { values } })
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`r${i}`, { type: 'redis' }]))
    expect(problems(planOf(set({}, many), [large]))).toEqual(['DeploymentTooLarge '])
    expect(looks).toBeLessThan(100)
  })

  test('additional inputs of co-provisioned resources', () => {
    const provision = { config: { params: { a: '${context.res.id} '.repeat(50_000) } } }
    const giving = definition('giving', 'redis', { provision })
    const many = Array.from({ length: 100 }, (_, i) => [`r${i}`.padEnd(50, 'r'), { type: 'redis' }])
    const planned = planOf(set({}, Object.fromEntries(many)), [giving, definition('config', 'config')])
    expect(new Set(planned.problems.map(({ reason }) => reason))).toContain('TooLarge')
    const given = planned.graph.nodes.filter(
      ({ descriptor, params }) => descriptor.type === 'config' && params,
    )
    expect(given.length).toBeLessThan(30)
  })
})

test('an oversized name is shortened in the message and in the details', () => {
  const [problem] = planFor({ a: `\${values.${'Z'.repeat(4080)}}` }).problems
  expect(problem).toMatchObject({ object, reason: 'UnknownValue' })
  expect(problem?.message.length).toBeLessThan(1000)
  expect(problem?.message).toContain('Z'.repeat(50))
})
