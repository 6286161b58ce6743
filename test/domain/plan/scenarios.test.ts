/**
 * Runs every folder of `test/scenarios`: `given.yaml` has the existing objects and the deployment, `plan.yaml` the result.
 * The keys of both files are declared in `test/support/scenarios.ts`. A scenario compares completely what its `plan.yaml`
 * names, except workloads of the built-in definition: `nodes` are all resources with all their dependencies, `steps` all steps (`unchanged` included) in any order,
 * `problems` all problems, none when absent.
 */
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { GraphNode } from '../../../operator/domain/graph/graph.ts'
import type { Plan } from '../../../operator/domain/plan/plan.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { isOfTest } from '../../support/graphs.ts'
import { actions, carriedOut } from '../../support/plans.ts'
import { type Expected, planOfStage, playedOut, readScenarios } from '../../support/scenarios.ts'

const scenarios = readScenarios(join(import.meta.dirname, '..', '..', 'scenarios')).map((scenario) => ({
  ...scenario,
  title: `${scenario.given.rule} (${scenario.name})`,
}))

/** The plan in the shape of `plan.yaml`, as far as `expected` names it. */
function asExpected({ graph, steps, problems }: Plan, expected: Expected): Expected {
  const texts = new Map(graph.nodes.map(({ guResId, descriptor }) => [guResId, formatDescriptor(descriptor)]))
  const textsOf = (ids: readonly string[]): string[] => ids.map((id) => texts.get(id) ?? id)
  const nodes = graph.nodes.flatMap((node) => {
    const { match, descriptor, dependsOn, params = {}, values, references } = node
    if (!match || !isOfTest(node)) return []
    const text = formatDescriptor(descriptor)
    const named = expected.nodes?.[text]
    const shown = {
      definition: match.definition.metadata.name,
      dependsOn: textsOf(dependsOn).sort(),
      ...(named?.params ? { params } : {}),
      ...(named?.values ? { values: shownValues(values) } : {}),
      ...(named?.references
        ? {
            references: Object.fromEntries(
              Object.entries(references).map(([key, ids]) => [key, textsOf(ids)]),
            ),
          }
        : {}),
    }
    return [[text, shown] as const]
  })
  return {
    ...(expected.nodes ? { nodes: Object.fromEntries(nodes) } : {}),
    ...(expected.steps ? { steps: actions({ steps }).sort() } : {}),
    problems: problems.map(({ object, reason, message }, i) => {
      const says = expected.problems?.[i]?.says
      return {
        object,
        reason,
        ...(says ? { says: says.map((part) => (message.includes(part) ? part : message)) } : {}),
      }
    }),
  }
}

function shownValues(values: GraphNode['values']) {
  const entries = Object.entries(values).map(([key, { value, secret }]) => [key, secret?.secret ?? value])
  return Object.fromEntries(entries)
}

/** The content of `plan.yaml`, with defaults. */
function complete({ nodes, steps, problems = [] }: Expected): Expected {
  return {
    ...(nodes
      ? {
          nodes: Object.fromEntries(
            Object.entries(nodes).map(([text, node]) => [
              text,
              { ...node, dependsOn: [...(node.dependsOn ?? [])].sort() },
            ]),
          ),
        }
      : {}),
    ...(steps ? { steps: [...steps].sort() } : {}),
    problems,
  }
}

test.each(scenarios)('$title', ({ given, expected }) => {
  const { plan } = playedOut(given)
  expect(asExpected(plan, expected)).toEqual(complete(expected))
})

describe('in every scenario', () => {
  const sound = scenarios.filter(({ expected }) => !expected.problems)

  test.each(sound)('dependencies are before dependents, and unused resources last: $name', ({ given }) => {
    const done = new Set<string>()
    let isRetaining = false
    for (const { action, guResId, wanted } of playedOut(given).plan.steps) {
      isRetaining ||= action === 'retain'
      expect(action === 'retain').toBe(isRetaining)
      expect((wanted?.dependsOn ?? []).filter((id) => !done.has(id))).toEqual([])
      done.add(guResId)
    }
  })

  test.each(sound)('the same deployment again changes nothing: $name', ({ given }) => {
    const { plan, active } = playedOut(given)
    const again = planOfStage(given, carriedOut(plan, active))
    expect(again.problems).toEqual([])
    expect(again.steps.filter(({ action }) => action !== 'unchanged')).toEqual([])
  })

  test.each(scenarios)('the order of the definitions does not matter: $name', ({ given, expected }) => {
    const turned = { ...given, definitions: [...(given.definitions ?? [])].reverse() }
    expect(asExpected(playedOut(turned).plan, expected)).toEqual(complete(expected))
  })
})
