import { expect, test } from '@jest/globals'
import type { Criterion, ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import type { MatchRequest } from '../../../operator/domain/definition/match-types.ts'
import { createMatcher } from '../../../operator/domain/definition/matching.ts'
import { definition } from '../../support/builders.ts'
import { casesOf } from '../../support/properties.ts'
import { createRandom, type Random } from '../../support/random.ts'

const weights = { envType: 1, appId: 2, envId: 4, resId: 8 } as const
type Key = keyof typeof weights

interface Winner {
  readonly name: string
  readonly rank: number
}

/** The rules as they are written: the matches, their highest score, the oldest of these. Shares no code with the matcher. */
function naiveWinner(definitions: readonly ResourceDefinition[], request: MatchRequest): Winner | undefined {
  let best: (Winner & { readonly age: string }) | undefined
  for (const { metadata, spec } of definitions) {
    if (spec.type !== request.type || metadata.deletionTimestamp !== undefined) continue
    for (const criterion of spec.criteria ?? []) {
      const rank = scoreOf(criterion, request)
      if (rank === undefined) continue
      const [name, age] = [metadata.name, metadata.creationTimestamp]
      const isOlder = best && (age < best.age || (age === best.age && name < best.name))
      if (!best || rank > best.rank || (rank === best.rank && isOlder)) best = { name, rank, age }
    }
  }
  return best && { name: best.name, rank: best.rank }
}

/** The weights of the keys that are given, added up; undefined when any of them does not fit. */
function scoreOf(
  criterion: Criterion,
  { context, resourceId, class: wanted }: MatchRequest,
): number | undefined {
  const isGiven = (value: string | undefined): value is string => value !== undefined && value !== '*'
  if ((isGiven(criterion.class) ? criterion.class : 'default') !== wanted) return undefined
  const actual: Record<Key, string> = {
    envType: context.environmentType,
    appId: context.applicationId,
    envId: context.environmentId,
    resId: resourceId,
  }
  let score = 0
  for (const key in weights) {
    const value = criterion[key as Key] // its own keys
    if (!isGiven(value)) continue
    if (value !== actual[key as Key]) return undefined
    score += weights[key as Key]
  }
  return score
}

/** The shape of random criteria: the number of values of a key, and its frequency. */
interface Shape {
  readonly values: number
  readonly given: number
}

function randomCriterion(random: Random, { values, given }: Shape): Criterion {
  const criterion: Criterion = {}
  for (const key in weights) {
    if (random.chance(given)) criterion[key as Key] = random.chance(0.1) ? '*' : `v${random.below(values)}` // its own keys
  }
  if (random.chance(0.4)) criterion.class = random.pick(['default', '*', 'fast'])
  return criterion
}

function randomDefinitions(
  random: Random,
  count: number,
  prefix: string,
  shape: Shape,
): ResourceDefinition[] {
  return Array.from({ length: count }, (_, i) => {
    const criteria = Array.from({ length: random.below(4) }, () => randomCriterion(random, shape))
    const metadata = {
      creationTimestamp: `2026-01-0${1 + random.below(5)}T00:00:00Z`,
      ...(random.chance(0.05) ? { deletionTimestamp: '2026-02-01T00:00:00Z' } : {}),
    }
    return definition(
      `${prefix}${(i * 7919) % 10_007}`,
      random.pick(['dns', 'dns', 'acme/dns']),
      { criteria },
      metadata,
    )
  })
}

function randomRequest(random: Random, { values }: Shape): MatchRequest {
  const value = (): string => `v${random.below(values)}`
  return {
    type: random.pick(['dns', 'dns', 'acme/dns']),
    class: random.pick(['default', 'default', 'fast']),
    resourceId: value(),
    context: {
      organizationId: 'acme',
      applicationId: value(),
      environmentId: value(),
      environmentType: value(),
    },
  }
}

test.each([
  { catalogues: casesOf(10_000), smallest: 0, largest: 12, requests: 10 },
  { catalogues: casesOf(100), smallest: 200, largest: 600, requests: 100 },
])(
  'the matcher implements the rules: $catalogues times $smallest to $largest definitions, $requests requests each',
  ({ catalogues, smallest, largest, requests }) => {
    const disagreements: object[] = []
    let wins = 0
    for (let seed = 1; seed <= catalogues; seed++) {
      const random = createRandom(seed)
      const shape = { values: 1 + random.below(8), given: random.pick([0.2, 0.5, 0.8]) }
      const own = randomDefinitions(random, smallest + random.below(largest - smallest + 1), 'd', shape)
      const defaults = randomDefinitions(random, random.below(3), 'built-in', shape)
      const matcher = createMatcher(own, { defaults })
      for (let i = 0; i < requests; i++) {
        const request = randomRequest(random, shape)
        const expected = naiveWinner(own, request) ?? naiveWinner(defaults, request)
        const { definition: found, ...match } = matcher.match(request)
        const actual = found && 'rank' in match ? { name: found.metadata.name, rank: match.rank } : undefined
        if (expected) wins++
        if (expected?.name !== actual?.name || expected?.rank !== actual?.rank)
          disagreements.push({ seed, request, expected, actual })
      }
    }
    expect(disagreements).toEqual([])
    const share = wins / (catalogues * requests)
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(1)
  },
)
