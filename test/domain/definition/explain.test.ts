import { describe, expect, test } from '@jest/globals'
import type { Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { type ExplainQuestion, explainMatch } from '../../../operator/domain/definition/explain.ts'
import { createMatcher } from '../../../operator/domain/definition/matching.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import { context, definition, missOf } from '../../support/builders.ts'

function dns(name: string, ...criteria: Criterion[]): ResourceDefinition {
  return definition(name, 'dns', { criteria })
}

function explain(
  question: Partial<ExplainQuestion>,
  definitions: readonly ResourceDefinition[],
  defaults: readonly ResourceDefinition[] = [],
) {
  return explainMatch(
    { type: 'dns', resourceId: 'shared.main', ...question },
    { context: context(), matcher: createMatcher(definitions, { defaults }), types: builtInTypes },
  )
}

describe('why each of the others lost', () => {
  test.each<[string, ResourceDefinition, string]>([
    [
      'another environment type',
      dns('x', { envType: 'production' }),
      "needs env_type 'production' (is 'development')",
    ],
    ['another application', dns('x', { appId: 'other' }), "needs app_id 'other' (is 'shop')"],
    ['another environment', dns('x', { envId: 'live' }), "needs env_id 'live' (is 'dev')"],
    ['another Resource ID', dns('x', { resId: 'shared.x' }), "needs res_id 'shared.x' (is 'shared.main')"],
    ['another class', dns('x', { class: 'fast' }), "needs class 'fast' (is 'default')"],
    [
      'two keys at once',
      dns('x', { appId: 'other', envId: 'live' }),
      "needs app_id 'other' (is 'shop'), needs env_id 'live' (is 'dev')",
    ],
    ['no criteria', dns('x'), 'has no criteria'],
    [
      'a lower rank',
      dns('x', { envType: 'development' }),
      "{env_type: development} has rank 1, below 2 of 'winner'",
    ],
    ['the lowest rank', dns('x', {}), "{} has rank 0, below 2 of 'winner'"],
    ['an equal criterion', dns('x', { appId: 'shop' }), "has the same criterion as 'winner', which is older"],
  ])('%s', (_, loser, reason) => {
    const { match, candidates } = explain({}, [dns('winner', { appId: 'shop' }), loser])
    expect(match?.definition.metadata.name).toBe('winner')
    expect(candidates).toMatchObject([{ definitionName: 'x', reason }])
  })

  test('a built-in default counts only when no other matches', () => {
    const { match, candidates } = explain({}, [dns('any', {})], [dns('built-in', { appId: 'shop' })])
    expect(match?.definition.metadata.name).toBe('any')
    expect(candidates).toMatchObject([
      { reason: "is built in, and 'any' of the organization takes precedence" },
    ])
  })
})

describe('the candidates', () => {
  test('are all listed, the nearest first, each criterion for itself', () => {
    const { candidates, match, more } = explain({}, [
      dns('none'),
      dns('far', { appId: 'x', envId: 'x' }, { appId: 'x' }),
      dns('any', {}),
      dns('winner', { resId: 'shared.main' }, { appId: 'x' }),
      dns('type', { envType: 'development' }),
      definition('another-type', 's3'),
    ])
    expect(match?.criterion).toEqual({ class: 'default', resId: 'shared.main' })
    expect(candidates.map(({ definitionName, rank }) => [definitionName, rank])).toEqual([
      ['type', 1],
      ['any', 0],
      ['far', 2],
      ['far', 6],
      ['none', undefined],
    ])
    expect(more).toBe(0)
  })

  test('are a thousand at most, and the rest is counted', () => {
    const many = Array.from({ length: 1010 }, (_, i) => dns(`d${i}`, { appId: `a${i}` }))
    const { candidates, more, match, explanation } = explain({}, many)
    expect([candidates.length, more, match]).toEqual([1000, 10, undefined])
    expect(explanation).toContain('and 1005 more')
  })

  test('without a match are the same as those of the failed deployment', () => {
    const definitions = [dns('x', { appId: 'other' }), dns('y', { class: 'fast' }), dns('z')]
    const { candidates, explanation } = explain({}, definitions)
    const request = { type: 'dns', class: 'default', resourceId: 'shared.main', context: context() }
    const { candidates: known, explanation: text } = missOf(createMatcher(definitions).match(request))
    expect(candidates.map(({ rank: _, ...each }) => each)).toEqual(known)
    expect(explanation).toBe(text)
  })
})

describe('the query of an explanation', () => {
  const override = definition('own', 'acme/dns')
  test.each<[string, Partial<ExplainQuestion>, ResourceDefinition[], string, string | undefined]>([
    ['class and id', { class: 'fast' }, [], 'dns.fast#shared.main', undefined],
    ['the class in the type', { type: 'dns.fast' }, [], 'dns.fast#shared.main', undefined],
    ['the class twice', { type: 'dns.fast', class: 'fast' }, [], 'dns.fast#shared.main', undefined],
    ['no id', { resourceId: '' }, [], 'dns.default', undefined],
    [
      'an implicit type',
      { type: 'k8s-cluster', resourceId: '' },
      [],
      'k8s-cluster.default#k8s-cluster',
      undefined,
    ],
    ['a simple type with an override', {}, [override], 'acme/dns.default#shared.main', 'dns'],
    ['a qualified type', { type: 'acme/dns' }, [override], 'acme/dns.default#shared.main', undefined],
    [
      'an implicit resource is never expanded',
      { type: 'base-env', resourceId: '' },
      [definition('own', 'acme/base-env')],
      'base-env.default#base-env',
      undefined,
    ],
    [
      'a second one of an implicit type, as a need',
      { type: 'base-env', resourceId: 'shared.x' },
      [definition('own', 'acme/base-env')],
      'acme/base-env.default#shared.x',
      'base-env',
    ],
    [
      'a workload is never expanded',
      { type: 'workload', resourceId: 'modules.web' },
      [definition('own', 'acme/workload')],
      'workload.default#modules.web',
      undefined,
    ],
    [
      'a dependency of the type workload, as a need',
      { type: 'workload', resourceId: 'modules.web.externals.x' },
      [definition('own', 'acme/workload')],
      'acme/workload.default#modules.web.externals.x',
      'workload',
    ],
  ])('%s', (_, question, definitions, text, requestedType) => {
    const explained = explain(question, definitions)
    expect([explained.text, explained.requestedType]).toEqual([text, requestedType])
  })

  test('without an id, criteria with res_id do not fit', () => {
    const { match, candidates, guResId } = explain({ resourceId: '' }, [
      dns('any', {}),
      dns('main', { resId: 'shared.main' }),
    ])
    expect(match?.definition.metadata.name).toBe('any')
    expect(candidates).toMatchObject([{ reason: "needs res_id 'shared.main' (is '')" }])
    expect(guResId).toBeUndefined()
  })

  test('an unknown type has a nearest one', () => {
    expect(explain({ type: 'dnz' }, []).explanation).toBe(
      "resource type 'dnz' is not known; did you mean 'dns'?",
    )
  })

  test.each<[string, Partial<ExplainQuestion>]>([
    ['a type that cannot be', { type: '../x' }],
    ['a class that cannot be', { class: 'a b' }],
    ['an id that cannot be', { resourceId: '#' }],
    ['two classes', { type: 'dns.fast', class: 'slow' }],
  ])('%s is refused', (_, question) => {
    expect(() => explain(question, [])).toThrow(Problem)
  })
})
