import { describe, expect, test } from '@jest/globals'
import type { Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { fullBudget } from '../../../operator/domain/base/work-budget.ts'
import { createMatcher } from '../../../operator/domain/definition/matching.ts'
import { context, definition, missOf, set } from '../../support/builders.ts'
import { planOf } from '../../support/plans.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { stepsOf } from '../../support/steps.ts'

const request = { type: 's3', class: 'default', resourceId: 'shared.a', context: context() }

/** Definitions of one type whose criteria do not fit. */
function unfit(count: number, criteria: number, key: 'appId' | 'resId' = 'appId'): ResourceDefinition[] {
  return Array.from({ length: count }, (_, i) =>
    definition(`d${i}`, 's3', {
      criteria: Array.from({ length: criteria }, (_each, k) => ({ [key]: `none-${i}-${k}` })),
    }),
  )
}

function needing(count: number) {
  const needs = Array.from({ length: count }, (_, i) => [`r${i}`, { type: 's3' }] as const)
  return set({}, Object.fromEntries(needs))
}

describe('to say why no definition fits takes bounded work', () => {
  test('nothing until it is requested', () => {
    const budget = fullBudget()
    const before = budget.candidates
    const match = missOf(createMatcher(unfit(10, 10)).match(request, { budget, known: new Map() }))
    expect(budget.candidates).toBe(before)
    expect(match.explanation).toContain('and 95 more')
    expect(match.candidates).toHaveLength(5)
    expect(budget.candidates).toBe(before - 100)
  })

  test('once for all resources of a type in one context', () => {
    const misses = { budget: fullBudget(), known: new Map() }
    const before = misses.budget.candidates
    const matcher = createMatcher(unfit(10, 10, 'resId'))
    for (const resourceId of ['shared.a', 'shared.b'])
      for (const resourceClass of ['default', 'fast']) {
        const miss = { ...request, resourceId, class: resourceClass }
        expect(matcher.match(miss, misses).explanation).toBe(matcher.match(miss).explanation)
      }
    expect(before - misses.budget.candidates).toBe(100)
  })

  test('in a plan with too many criteria, which then has only the number of candidates', () => {
    const { problems } = planOf(needing(900), unfit(400, 256))
    const texts = problems
      .filter(({ reason }) => reason === 'NoMatchingDefinition')
      .map((each) => each.message)
    expect(texts).toHaveLength(900)
    expect(texts.every((each) => each.endsWith(': there are 102400 candidates'))).toBe(true)
  })

  test('while each of very many resources of one type is explained', () => {
    const { problems } = planOf(needing(900), unfit(60, 256, 'resId'))
    expect(problems.filter(({ message }) => message.includes('and 15355 more'))).toHaveLength(900)
  })

  test('the same for each further resource, however many criteria there are', () => {
    const steps = (count: number) => {
      const misses = { budget: fullBudget(), known: new Map() }
      const matcher = createMatcher(unfit(count, 1, 'resId'))
      const explain = (resourceId: string) => matcher.match({ ...request, resourceId }, misses).explanation
      explain('shared.first')
      return stepsOf(() => explain('shared.next'))
    }
    steps(10)
    expect(steps(10_000)).toBeLessThan(2 * steps(10))
  })
})

const value = fc.constantFrom('a', 'b', 'c')
const criterion = fc.record(
  { envType: value, appId: value, envId: value, resId: value, class: value },
  { requiredKeys: [] },
)
const definitions = fc
  .array(fc.array(criterion, { maxLength: 3 }), { minLength: 1, maxLength: 30 })
  .map((all) => all.map((criteria, i) => definition(`d${String(i).padStart(2, '0')}`, 's3', { criteria })))

/** The rule, read from the page: the criteria in the order of names, those with the fewest unmatched keys first. */
function nearest(all: readonly ResourceDefinition[], actual: Record<string, string>): [string, object?][] {
  const none: (Criterion | undefined)[] = [undefined]
  const entries = all.flatMap(({ metadata: { name }, spec: { criteria = [] } }) =>
    (criteria.length === 0 ? none : criteria).map((given) => {
      const full = given && { class: 'default', ...given }
      const distance = full && Object.entries(full).filter(([key, wanted]) => actual[key] !== wanted).length
      return { name, full, distance: distance ?? Infinity }
    }),
  )
  // The sort is stable.
  const sorted = entries.sort((a, b) => (a.distance === b.distance ? 0 : a.distance - b.distance))
  return sorted.slice(0, 5).map(({ name, full }) => [name, full])
}

const actualContext = { envType: 'a', appId: 'b', envId: 'c' }
const shared = context({ environmentType: 'a', applicationId: 'b', environmentId: 'c' })

test('the candidates of a miss are the nearest criteria of all, for every resource of a context', () => {
  fc.assert(
    fc.property(definitions, fc.array(fc.tuple(value, value), { minLength: 1 }), (all, resources) => {
      const matcher = createMatcher(all)
      const misses = { budget: fullBudget(), known: new Map() }
      for (const [resourceClass, resourceId] of resources) {
        const actual = { ...actualContext, class: resourceClass, resId: resourceId }
        const wanted = { ...request, class: resourceClass, resourceId, context: shared }
        const match = matcher.match(wanted, misses)
        if (match.definition) continue
        const found = match.candidates.map(({ definitionName, criterion: each }) => [definitionName, each])
        expect(found).toEqual(nearest(all, actual))
      }
    }),
    { numRuns: casesOf(1000) },
  )
})
