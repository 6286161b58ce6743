import { describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { SetContent } from '../../../operator/domain/delta/delta.ts'
import type { Plan } from '../../../operator/domain/plan/plan.ts'
import { catalogue } from '../../../operator/drivers/catalogue.ts'
import { definition, module, set } from '../../support/builders.ts'
import { carriedOut, planOf } from '../../support/plans.ts'
import { createRandom } from '../../support/random.ts'

/** For each resource `shared.n<i>` the numbers of those that it needs. */
type Needs = readonly ReadonlySet<number>[]

interface Deployment {
  readonly content: SetContent
  readonly definitions: readonly ResourceDefinition[]
}

const idOf = (i: number): string => `shared.n${i}`

/** A graph without cycles, in which the order of the numbers says nothing about the order of the resources. */
function randomNeeds(nodes: number, edges: number): Needs {
  const random = createRandom(1)
  const needs = Array.from({ length: nodes }, () => new Set<number>())
  const place = (i: number): number => (i * 7919) % nodes
  for (let count = 0; count < edges; ) {
    const [from, to] = [random.below(nodes), random.below(nodes)]
    const own = needs[from]
    if (!own || place(from) <= place(to) || own.has(to)) continue
    own.add(to)
    count++
  }
  return needs
}

/** Each resource needs the next one; with `closed`, the last one the first. */
function chain(nodes: number, closed = false): Needs {
  return Array.from({ length: nodes }, (_, i) => new Set(i + 1 < nodes ? [i + 1] : closed ? [0] : []))
}

function contentOf(needs: Needs, params: (own: readonly number[]) => FreeForm): SetContent {
  return set(
    {},
    Object.fromEntries(needs.map((own, i) => [`n${i}`, { type: 'config', params: params([...own]) }])),
  )
}

/** One definition for all, and the needs of a resource in its params. */
function byParams(needs: Needs): Deployment {
  const definitions = [definition('any', 'config', { driverInputs: { values: { id: 'x' } } })]
  return {
    content: contentOf(needs, (own) => ({ reads: own.map((i) => `\${${idOf(i)}.id}`) })),
    definitions,
  }
}

/** A definition for each resource, with its needs. */
function byDefinitions(
  needs: Needs,
  spec: (own: readonly number[]) => Partial<ResourceDefinition['spec']>,
): Deployment {
  const definitions = needs.map((own, i) =>
    definition(`d${i}`, 'config', { criteria: [{ resId: idOf(i) }], ...spec([...own]) }),
  )
  return { content: contentOf(needs, () => ({})), definitions }
}

function byReferences(needs: Needs): Deployment {
  return byDefinitions(needs, (own) => ({
    driverInputs: {
      values: { id: 'x', reads: own.map((i) => `\${resources['config#${idOf(i)}'].outputs.id}`) },
    },
  }))
}

/** The edges the other way around: a resource provisions those that need it. */
function byProvisioning(needs: Needs): Deployment {
  const dependents = needs.map(() => new Set<number>())
  needs.forEach((own, i) => {
    for (const each of own) dependents[each]?.add(i)
  })
  return byDefinitions(dependents, (own) => ({
    provision: Object.fromEntries(own.map((i) => [`config#${idOf(i)}`, { isDependent: true }])),
  }))
}

/** The dependencies of each resource, by Resource ID. */
function dependenciesOf({ graph }: Plan): Map<string, string[]> {
  const ids = new Map(graph.nodes.map(({ guResId, descriptor }) => [guResId, descriptor.resourceId]))
  return new Map(
    graph.nodes.map(({ descriptor, dependsOn }) => [
      descriptor.resourceId,
      dependsOn.map((id) => ids.get(id) ?? id).sort(),
    ]),
  )
}

const ways: readonly (readonly [way: string, (needs: Needs) => Deployment])[] = [
  ['params', byParams],
  ['references', byReferences],
  ['co-provisioning', byProvisioning],
]
const graphs: readonly (readonly [shape: string, Needs])[] = [
  ['1,000 resources with 10,000 edges', randomNeeds(1000, 10_000)],
  ['a chain of 3,000 resources', chain(3000)],
]

describe.each(graphs)('%s', (_, needs) => {
  test.each(ways)('by %s', (__, deploymentOf) => {
    const { content, definitions } = deploymentOf(needs)
    const first = planOf(content, definitions)
    expect(first.problems).toEqual([])
    expect(dependenciesOf(first)).toEqual(
      new Map(needs.map((own, i) => [idOf(i), [...own].map(idOf).sort()])),
    )

    expect(new Set(first.steps.map(({ action }) => action))).toEqual(new Set(['create']))
    expect(first.steps).toHaveLength(needs.length)
    const places = new Map(first.steps.map(({ guResId }, place) => [guResId, place]))
    const early = first.steps.filter(({ wanted }, place) =>
      wanted?.dependsOn?.some((id) => (places.get(id) ?? Infinity) >= place),
    )
    expect(early).toEqual([])

    const again = planOf(content, definitions, carriedOut(first))
    expect(again.steps.filter(({ action }) => action !== 'unchanged')).toEqual([])
  })
})

test.each(ways)('a cycle of 3,000 resources by %s is named as the way around', (_, deploymentOf) => {
  const { content, definitions } = deploymentOf(chain(3000, true))
  const cycles = planOf(content, definitions).problems.filter(({ reason }) => reason === 'Cycle')
  expect(cycles).toHaveLength(1)
  const path = cycles[0]?.message.split(' -> ') ?? []
  expect(path).toHaveLength(3001)
  expect(path[0]).toBe(path.at(-1))
  expect(new Set(path).size).toBe(3000)
})

test('1,000 co-provisioned resources in a row, each with match_dependents, all reach the dependents of the first', () => {
  const rows = chain(1000)
  const { content, definitions } = byDefinitions(rows, (own) => ({
    provision: Object.fromEntries(own.map((i) => [`config#${idOf(i)}`, { matchDependents: true }])),
  }))
  const workload = module({}, { reads: `\${${idOf(0)}.id}` })
  const planned = planOf({ ...content, modules: { web: workload } }, [
    ...definitions,
    definition('workload', 'workload'),
  ])
  expect(planned.problems).toEqual([])
  expect(dependenciesOf(planned).get('modules.web')).toEqual(rows.map((_, i) => idOf(i)).sort())
})

test('outputs of 100 selected resources are checked once for their definition', () => {
  const names = Array.from({ length: 100 }, (_, i) => `k${i}`)
  const reads = names.map((name) => `\${resources['workload>redis'].outputs.${name}}`)
  const externals = Object.fromEntries(names.map((name) => [name, { type: 'redis' }]))
  const driverType = 'quartermaster/echo'
  const definitions = [
    definition('any', 'redis', { driverType, driverInputs: { values: { k0: 'x' } } }),
    definition('list', 'config', { driverType, driverInputs: { values: { reads } } }),
    definition('workload', 'workload', { provision: { config: {} } }),
  ]
  const { problems } = planOf(set({ web: module(externals) }), definitions, [], { catalogue })
  const lacking = problems.filter(({ reason }) => reason === 'UnknownOutput')
  expect(lacking).toHaveLength(names.length - 1)
})
