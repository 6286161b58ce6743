import { describe, expect, test } from '@jest/globals'
import type { Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import {
  criterionId,
  criterionRank,
  formatCriterion,
  normalizeCriterion,
} from '../../../operator/domain/definition/criterion.ts'
import type { MatchRequest } from '../../../operator/domain/definition/match-types.ts'
import { createMatcher, duplicateCriteria } from '../../../operator/domain/definition/matching.ts'
import { context, definition, missOf } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'
import { stepsOf } from '../../support/steps.ts'

const request: MatchRequest = { type: 'dns', class: 'default', resourceId: 'shared.main', context: context() }

function dns(name: string, ...criteria: Criterion[]): ResourceDefinition {
  return definition(name, 'dns', { criteria })
}

function winner(
  definitions: readonly ResourceDefinition[],
  changes: Partial<MatchRequest> = {},
): string | undefined {
  return createMatcher(definitions).match({ ...request, ...changes }).definition?.metadata.name
}

describe('matching criteria', () => {
  test.each<[string, ResourceDefinition[], string | undefined]>([
    ['{} fits everything of class default', [dns('any', {})], 'any'],
    ['without criteria a definition is never chosen', [dns('none')], undefined],
    ['every key must fit', [dns('x', { appId: 'shop', envType: 'production' })], undefined],
    [
      'any one criterion is enough',
      [dns('two', { envType: 'production' }, { envType: 'development' })],
      'two',
    ],
    ['env_type beats nothing', [dns('any', {}), dns('x', { envType: 'development' })], 'x'],
    [
      'app_id beats env_type',
      [dns('type', { envType: 'development' }), dns('app', { appId: 'shop' })],
      'app',
    ],
    [
      'env_id beats app_id and env_type together',
      [dns('both', { appId: 'shop', envType: 'development' }), dns('env', { envId: 'dev' })],
      'env',
    ],
    [
      'res_id beats all others together',
      [
        dns('all', { appId: 'shop', envType: 'development', envId: 'dev' }),
        dns('res', { resId: 'shared.main' }),
      ],
      'res',
    ],
    [
      'on a tie the next most specific key decides',
      [dns('env', { envId: 'dev' }), dns('more', { envId: 'dev', envType: 'development' })],
      'more',
    ],
    ['another class does not match class default', [dns('x', { class: 'fast' })], undefined],
    ['"*" is the same as absent', [dns('star', { appId: '*', class: '*' })], 'star'],
    ['another type does not fit', [definition('s3', 's3')], undefined],
    [
      'a deleted definition takes no part',
      [
        definition(
          'gone',
          'dns',
          { criteria: [{ appId: 'shop' }] },
          { deletionTimestamp: '2026-02-01T00:00:00Z' },
        ),
        dns('any', {}),
      ],
      'any',
    ],
    [
      'of two equal criteria the older one keeps it',
      [
        definition('a', 'dns', {}, { creationTimestamp: '2026-01-02T00:00:00Z' }),
        definition('b', 'dns', {}, { creationTimestamp: '2026-01-01T00:00:00Z' }),
      ],
      'b',
    ],
    ['of two equally old ones the name decides', [dns('b', {}), dns('a', {})], 'a'],
  ])('%s', (_, definitions, expected) => {
    expect(winner(definitions)).toBe(expected)
    expect(winner([...definitions].reverse())).toBe(expected)
  })

  test('a class fits exactly, and {} does not fit it', () => {
    expect(winner([dns('any', {}), dns('fast', { class: 'fast' })], { class: 'fast' })).toBe('fast')
    expect(winner([dns('any', {})], { class: 'fast' })).toBeUndefined()
  })

  test('the defaults count only where no other definition fits', () => {
    const matcher = createMatcher([dns('mine', {})], {
      defaults: [dns('default', { resId: 'shared.main' }, { class: 'fast' })],
    })
    expect(matcher.match(request).definition?.metadata.name).toBe('mine')
    expect(matcher.match({ ...request, class: 'fast' }).definition?.metadata.name).toBe('default')
  })

  test('a match is explained by the definitions that it beat', () => {
    const match = createMatcher([dns('dns-any', {}), dns('dns-shop', { appId: 'shop' })]).match(request)
    expect(match.explanation).toBe(
      "criterion {app_id: shop} of 'dns-shop' (rank 2) beat 'dns-any' {} (rank 0)",
    )
  })

  test('a failed match names the five nearest candidates, the reason of each, and the number of the others', () => {
    const far = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => dns(name, { appId: name, envType: name }))
    const matcher = createMatcher([...far, dns('near', { envType: 'production' }), dns('none')])
    const match = missOf(matcher.match(request))
    expect(match).toMatchObject({ more: 3 })
    expect(match.candidates).toHaveLength(5)
    expect(match.candidates[0]).toEqual({
      definitionName: 'near',
      criterion: { class: 'default', envType: 'production' },
      reason: "needs env_type 'production' (is 'development')",
    })
    expect(match.explanation).toContain('and 3 more')
  })

  test('a type without definitions says so', () => {
    expect(createMatcher([]).match(request).explanation).toBe("no definition of type 'dns' exists")
    expect(createMatcher([dns('none')]).hasDefinitionOf('dns')).toBe(true)
    expect(createMatcher([]).hasDefinitionOf('dns')).toBe(false)
  })

  test('a criterion has an id by its content', () => {
    expect(criterionId({ appId: 'a', class: 'default' })).toBe(criterionId({ appId: 'a', envType: '*' }))
    expect(criterionId({ appId: 'a' })).not.toBe(criterionId({ envId: 'a' }))
    expect(criterionId({ appId: 'a' })).toBe('eaa0026fcdfdfccc7ad1feb1a9cd534b') // from one release to the next
    expect(normalizeCriterion({ resId: '*' })).toEqual({ class: 'default' })
    expect(formatCriterion({ resId: 'x', class: 'y' })).toBe('{res_id: x, class: y}')
  })

  test('a duplicate criterion is that of the younger definition, and only that one', () => {
    const older = definition(
      'older',
      'dns',
      { criteria: [{}, { appId: 'a' }] },
      { creationTimestamp: '2025-01-01T00:00:00Z' },
    )
    const younger = dns('younger', { class: '*' }, { appId: 'b' }, { appId: 'b', envId: '' })
    const other = definition('other', 's3')
    expect(duplicateCriteria([younger, older, other])).toEqual([
      { definitionName: 'younger', criterion: { class: '*' }, holder: 'older' },
    ])
  })
})

const values = fc.constantFrom('a', 'b', '*')
const criteria = fc.record(
  {
    envType: values,
    appId: values,
    envId: values,
    resId: values,
    class: fc.constantFrom('default', 'x', '*'),
  },
  { requiredKeys: [] },
)
const definitions = fc
  .array(
    fc.record({
      criteria: fc.array(criteria, { maxLength: 4 }),
      age: fc.integer({ min: 1, max: 3 }),
      deleted: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((list) =>
    list.map(({ criteria: own, age, deleted }, i) =>
      definition(
        `d${i}`,
        i % 5 === 4 ? 's3' : 'dns',
        { criteria: own },
        {
          creationTimestamp: `2026-01-0${age}T00:00:00Z`,
          ...(deleted && i % 3 === 0 ? { deletionTimestamp: '2026-02-01T00:00:00Z' } : {}),
        },
      ),
    ),
  )
const requests = fc.record({
  envType: fc.constantFrom('a', 'b'),
  appId: fc.constantFrom('a', 'b'),
  envId: fc.constantFrom('a', 'b'),
  resId: fc.constantFrom('a', 'b'),
  class: fc.constantFrom('default', 'x'),
})

/** The rules, read from the page: no index, no cleverness. */
function naive(all: readonly ResourceDefinition[], wanted: MatchRequest): string | undefined {
  const { environmentType: envType, applicationId: appId, environmentId: envId } = wanted.context
  const actual = { envType, appId, envId, resId: wanted.resourceId, class: wanted.class }
  let best: { name: string; order: (string | number)[] } | undefined
  for (const { metadata, spec } of all) {
    if (metadata.deletionTimestamp || spec.type !== wanted.type) continue
    for (const criterion of spec.criteria ?? []) {
      const given = Object.entries(criterion).filter(([, value]) => value !== '*')
      const full = { class: 'default', ...Object.fromEntries(given) }
      if (!Object.entries(full).every(([key, value]) => actual[key as keyof typeof actual] === value))
        continue // keys of a criterion
      const order = [-criterionRank(criterion), metadata.creationTimestamp, metadata.name]
      if (!best || compare(order, best.order) < 0) best = { name: metadata.name, order }
    }
  }
  return best?.name
}

function compare(left: (string | number)[], right: (string | number)[]): number {
  for (const [i, value] of left.entries()) {
    const other = right[i] ?? 0
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

describe('laws of matching', () => {
  test('the order of definitions does not matter, and the index finds the result of a plain search', () => {
    fc.assert(
      fc.property(
        definitions,
        fc.integer(),
        requests,
        (all, turn, { envType, appId, envId, resId, class: resourceClass }) => {
          const wanted: MatchRequest = {
            type: 'dns',
            class: resourceClass,
            resourceId: resId,
            context: {
              organizationId: 'acme',
              applicationId: appId,
              environmentId: envId,
              environmentType: envType,
            },
          }
          const at = all.length === 0 ? 0 : Math.abs(turn) % all.length
          const turned = [...all.slice(at), ...all.slice(0, at)].reverse()
          const [one, other] = [createMatcher(all).match(wanted), createMatcher(turned).match(wanted)]
          expect(one.definition?.metadata.name).toBe(naive(all, wanted))
          expect(other).toEqual(one)
        },
      ),
      { numRuns: casesOf(1000) },
    )
  })

  test('a match among ten thousand definitions takes as many steps as one among ten', () => {
    const steps = (count: number) => {
      const many = Array.from({ length: count }, (_, i) =>
        dns(`d${i}`, { appId: `a${i}` }, { envId: `e${i}`, appId: `a${i}` }),
      )
      const matcher = createMatcher([...many, dns('any', {})])
      return stepsOf(() => matcher.match({ ...request, context: context({ applicationId: 'a7' }) }))
    }
    steps(10)
    expect(steps(10_000)).toBeLessThan(2 * steps(10))
  })
})
