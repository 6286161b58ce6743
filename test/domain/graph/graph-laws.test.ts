import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { definition, module, set } from '../../support/builders.ts'
import { graphInput, graphOf, need, reading, s3 } from '../../support/graphs.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { stepsOf } from '../../support/steps.ts'

describe('laws of graphs', () => {
  const types = ['s3', 'postgres', 'redis', 'dns', 'config'] as const
  const type = fc.constantFrom(...types)
  const reference = fc
    .tuple(type, fc.constantFrom('', '.x'), fc.constantFrom('', '#shared.a', '#n'))
    .map((parts) => parts.join(''))
  const text = fc.oneof(
    reference.map((each) => `\${resources['${each}'].outputs.o}`),
    fc
      .tuple(reference, fc.constantFrom('<', '>'), type)
      .map(([anchor, sign, of]) => `\${resources['${anchor}${sign}${of}'].outputs.o}`),
  )
  const entry = fc.record(
    {
      isDependent: fc.boolean(),
      matchDependents: fc.boolean(),
      params: fc.constantFrom({ a: 1 }, { a: 2 }, {}),
    },
    { requiredKeys: [] },
  )
  const definitionsOf = fc.array(
    fc.record({
      type,
      values: fc.array(text, { maxLength: 2 }),
      provision: fc.dictionary(reference, entry, { maxKeys: 2 }),
      class: fc.constantFrom('default', 'x'),
      resId: fc.constantFrom('*', 'n', 'shared.a'),
    }),
    { minLength: 3, maxLength: 12 },
  )
  const needs = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.record({ type, class: fc.constantFrom('default', 'x') }),
  )
  const contents = fc.record({
    modules: fc.dictionary(
      fc.constantFrom('v', 'w'),
      fc
        .tuple(needs, fc.constantFrom('', '${shared.a.o}', '${externals.b.o}'))
        .map(([own, x]) => module(own, { x })),
    ),
    shared: needs,
  })

  test('shuffled input gives an equal graph', () => {
    fc.assert(
      fc.property(definitionsOf, contents, fc.infiniteStream(fc.nat()), (parts, content, stream) => {
        const all = parts.map((each, i) =>
          definition(`d${i}`, each.type, {
            criteria: [{ class: each.class, resId: each.resId }],
            driverInputs: { values: { list: each.values } },
            provision: each.provision,
          }),
        )
        const shuffle = <T>(list: readonly T[]): T[] =>
          list
            .map((item) => ({ item, key: stream.next().value ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item)
        const shuffled = (map: Readonly<Record<string, FreeForm>>): Record<string, FreeForm> =>
          Object.fromEntries(shuffle(Object.entries(map)))
        const plain = (input: ReturnType<typeof graphInput>) => {
          const { nodes, problems: found } = buildGraph(input)
          return {
            found,
            nodes: nodes.map(({ match, ...node }) => ({
              ...node,
              params: found.length > 0 ? undefined : node.params,
              definition: match?.definition.metadata.name,
            })),
          }
        }
        const one = plain(graphInput(content, all))
        const turned = shuffle(all).map((each) => ({
          ...each,
          spec: {
            ...each.spec,
            provision: Object.fromEntries(shuffle(Object.entries(each.spec.provision ?? {}))),
          },
        }))
        const other = plain(
          graphInput({ modules: shuffled(content.modules), shared: shuffled(content.shared) }, turned),
        )
        expect(other).toEqual(one)
        const seen = new Set<string>()
        for (const node of one.nodes) {
          if (!one.found.some(({ reason }) => reason === 'Cycle'))
            expect(node.dependsOn.filter((id) => !seen.has(id))).toEqual([])
          seen.add(node.guResId)
        }
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('a chain of thousands needs no recursion', () => {
    const chain = Array.from({ length: 5000 }, (_, i) =>
      reading(
        `d${i}`,
        's3',
        { a: i === 4999 ? '' : `\${resources['s3#n${i + 1}'].outputs.x}` },
        { criteria: [{ resId: i === 0 ? 'shared.x' : `n${i}` }] },
      ),
    )
    const graph = graphOf(set({}, { x: need('s3') }), ...chain)
    expect(graph.problems).toEqual([])
    expect(graph.nodes).toHaveLength(5000)
  })

  test('the work grows with the number of independent nodes', () => {
    const steps = (count: number) => {
      const needs = Array.from({ length: count }, (_, i) => [`x${i}`, need('s3')] as const)
      const input = graphInput(set({}, Object.fromEntries(needs)), [s3])
      return stepsOf(() => buildGraph(input))
    }
    steps(10)
    // 10 when it grows with the number, 100 when each node is compared with every other one.
    expect(steps(1000) / steps(100)).toBeLessThan(40)
  })
})
