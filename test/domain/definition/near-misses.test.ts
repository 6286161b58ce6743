import { describe, expect, test } from '@jest/globals'
import type { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { fullBudget } from '../../../operator/domain/base/work-budget.ts'
import { createMatcher } from '../../../operator/domain/definition/matching.ts'
import { context, definition, set } from '../../support/builders.ts'
import { planOf } from '../../support/plans.ts'

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
    const match = createMatcher(unfit(10, 10)).match(request, { budget, known: new Map() })
    expect(match.definition).toBeUndefined()
    expect(budget.candidates).toBe(before)
    expect(match.explanation).toContain('and 95 more')
    expect(match.candidates).toHaveLength(5)
    expect(budget.candidates).toBe(before - 100)
  })

  test.each([
    ['once for all resources of a type and class', 'appId', 1],
    ['for each resource where criteria name resources', 'resId', 2],
  ] as const)('%s', (_, key, times) => {
    const misses = { budget: fullBudget(), known: new Map() }
    const before = misses.budget.candidates
    const matcher = createMatcher(unfit(10, 10, key))
    const explain = (resourceId: string) => matcher.match({ ...request, resourceId }, misses).explanation
    expect(explain('shared.a')).toBe(matcher.match(request).explanation)
    expect(explain('shared.b')).toBe(matcher.match({ ...request, resourceId: 'shared.b' }).explanation)
    expect(before - misses.budget.candidates).toBe(100 * times)
  })

  test('in a whole plan, which then has only the number of candidates', () => {
    const { problems } = planOf(needing(900), unfit(60, 256, 'resId'))
    const texts = problems
      .filter(({ reason }) => reason === 'NoMatchingDefinition')
      .map((each) => each.message)
    expect(texts).toHaveLength(900)
    const short = texts.filter((each) => each.endsWith(': there are 15360 candidates'))
    expect(short.length).toBeGreaterThan(880)
    expect(short.length).toBeLessThan(900)
  })

  test('while each of very many resources of one type is explained', () => {
    const { problems } = planOf(needing(900), unfit(60, 256))
    expect(problems.filter(({ message }) => message.includes('and 15355 more'))).toHaveLength(900)
  })
})
