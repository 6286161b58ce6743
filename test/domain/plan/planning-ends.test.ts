import { describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../operator/api/schema.ts'
import type { Matcher } from '../../../operator/domain/definition/matching.ts'
import { emptySet, type SetContent } from '../../../operator/domain/delta/delta.ts'
import type { Plan } from '../../../operator/domain/plan/plan.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import { definition, module, set } from '../../support/builders.ts'
import { problems } from '../../support/graphs.ts'
import { hostileDefinitions, hostileSet, hostileTypes, hostileValues } from '../../support/hostile.ts'
import { carriedOut, planOf } from '../../support/plans.ts'
import { fc } from '../../support/properties.ts'

const runs = process.env.QUARTERMASTER_SOAK ? 100_000 : 400
const workload = definition('w', 'workload')

function expectProblemsToSayWhat({ problems: all }: Plan): void {
  for (const { reason, message } of all) {
    expect(reason).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(message).not.toBe('')
    expect(message).not.toMatch(/cannot read prop|is not a function|\n\s+at /i)
  }
}

describe('for every module, planning ends with problems that name it', () => {
  const ingressOf = (name: string) => ({ ingress: { rules: { [name]: { http: {} } } } })
  const volumeOf = (id: string) => ({ containers: { main: { volume_mounts: { '/data': { id } } } } })
  const web = 'InvalidPlaceholder workload.default#modules.web'

  test.each<[string, FreeForm, readonly ResourceDefinition[]]>([
    ["an ingress rule for 'externals.'", ingressOf('externals.'), []],
    ["an ingress rule for 'externals..dns'", ingressOf('externals..dns'), []],
    ['an ingress rule for text', ingressOf('a b'), []],
    ["a volume 'externals.'", volumeOf('externals.'), []],
    ["a volume 'shared.a['", volumeOf('shared.a['), []],
    ["a volume 'modules.'", volumeOf('modules.'), []],
    ...['${context.}', '${externals.rr.}', '${context.app.id', '${externals[0]}'].map(
      (text): [string, FreeForm, readonly ResourceDefinition[]] => [
        `the text '${text}' where a definition provisions workloads`,
        { containers: { main: { variables: { A: text } } } },
        [workload],
      ],
    ),
  ])('%s', (_, spec, definitions) => {
    expect(problems(planOf(set({ web: module({}, spec) }), definitions))).toEqual([web])
  })

  test('a text in a key where a definition provisions workloads', () => {
    const spec = { containers: { main: { variables: { '${context.': 'x' } } } }
    expect(problems(planOf(set({ web: module({}, spec) }), [workload]))).toEqual([web])
  })

  test('a module that is nested too deep', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 20_000; i++) deep = [deep]
    const planned = planOf(set({ web: module({}, { deep }) }), [workload])
    expect(planned.problems.map(({ object }) => object)).toContain('workload.default#modules.web')
    expectProblemsToSayWhat(planned)
  })
})

describe('an exception of planning is a problem of the plan', () => {
  const broken = (what: keyof Matcher): Matcher => {
    const matcher = {
      match: () => ({ definition: undefined, explanation: 'none' }),
      hasDefinitionOf: () => false,
    }
    return {
      ...matcher,
      [what]: () => {
        throw new TypeError('boom')
      },
    } as unknown as Matcher // a broken one
  }

  test('with the resource that it was about, and without a stack', () => {
    const content = set({}, { files: { type: 's3' } })
    const planned = planOf(content, [], [], { matcher: broken('match') })
    expect(planned.problems).toContainEqual({
      object: 's3.default#shared.files',
      reason: 'PlanningFailed',
      message: 'planning failed: boom',
    })
    expectProblemsToSayWhat(planned)
  })

  test('of the environment where it is about no resource', () => {
    const content = set({}, { files: { type: 's3' } })
    const planned = planOf(content, [], [], { matcher: broken('hasDefinitionOf') })
    expect(problems(planned)).toContain('PlanningFailed ')
  })

  test('and is there for the log', () => {
    const planned = planOf(set({}, { files: { type: 's3' } }), [], [], { matcher: broken('match') })
    expect(planned.errors).toContainEqual(expect.objectContaining({ message: 'boom' }))
  })
})

test('every plan ends, is the same each time, and its problems have a message', () => {
  fc.assert(
    fc.property(
      hostileSet,
      hostileDefinitions,
      hostileTypes,
      hostileValues,
      (content, definitions, types, values) => {
        const changes = { types: [...builtInTypes, ...types], values }
        const planned = planOf(content, definitions, [], changes)
        expectProblemsToSayWhat(planned)
        expect(planned.errors).toEqual([])
        expect(planOf(content, definitions, [], changes).problems).toEqual(planned.problems)
      },
    ),
    { numRuns: runs },
  )
})

test('every plan over the result of another one ends', () => {
  fc.assert(
    fc.property(
      hostileSet,
      hostileSet,
      hostileDefinitions,
      (first, second, definitions: ResourceDefinition[]) => {
        const before = carriedOut(planOf(first as SetContent, definitions))
        expectProblemsToSayWhat(planOf(second, definitions, before))
        expectProblemsToSayWhat(planOf(emptySet, definitions, before))
      },
    ),
    { numRuns: runs / 2 },
  )
})
