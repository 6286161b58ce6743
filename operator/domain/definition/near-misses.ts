import type { Criterion, ResourceDefinition } from '../../api/resource-definition.ts'
import { compareText } from '../base/json.ts'
import type { WorkBudget } from '../base/work-budget.ts'
import { criterionRank, formatCriterion, normalizeCriterion, spelling } from './criterion.ts'
import { type Candidate, comparedValue, type Match, type MatchRequest, type NoMatch } from './match-types.ts'
import { type CriterionEntry, farthest, NearestCriteria, unmatchedKeys } from './nearest-criteria.ts'

const withoutCriteria = 'has no criteria'

/** A candidate with its rank. */
export interface RankedCandidate extends Candidate {
  readonly rank: number | undefined
}

/** What the explanations of one context share, and the remaining work for them. */
export interface ExplanationCache {
  readonly budget: Pick<WorkBudget, 'candidates'>
  /** By type. */
  readonly known: Map<string, NearestCriteria>
}

/** Why no definition matches. */
export type NoMatchDetails = Omit<NoMatch, 'definition'>

/** All criteria of the definitions of a type, sorted by definition name. */
export function criterionEntriesOf(definitions: readonly ResourceDefinition[]): CriterionEntry[] {
  return [...definitions]
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name))
    .flatMap(({ metadata: { name: definitionName }, spec: { criteria = [] } }): CriterionEntry[] =>
      criteria.length === 0
        ? [{ definitionName, criterion: undefined }]
        : criteria.map((criterion) => ({ definitionName, criterion: normalizeCriterion(criterion) })),
    )
}

/** Why no criterion matches, the nearest first. Without remaining budget, only the number of candidates. */
export function explainNoMatch(
  request: MatchRequest,
  entries: readonly CriterionEntry[],
  cache: ExplanationCache,
): NoMatchDetails {
  const nearest = nearestIn(request, entries, cache)
  const count = entries.length
  if (!nearest) {
    const explanation = `no definition of type '${request.type}' fits: there are ${count} candidates`
    return { candidates: [], more: count, explanation }
  }
  const candidates = nearest.nearest(request).map(({ definitionName, criterion }) => ({
    definitionName,
    criterion,
    reason: criterion ? explainUnmatched(criterion, request) : withoutCriteria,
  }))
  const more = count - candidates.length
  return { candidates, more, explanation: explainLoss(request, candidates, more) }
}

/** The criteria of a type by their distance; undefined without remaining budget. */
function nearestIn(
  request: MatchRequest,
  entries: readonly CriterionEntry[],
  { budget, known }: ExplanationCache,
): NearestCriteria | undefined {
  const found = known.get(request.type)
  if (found || entries.length > budget.candidates) return found
  budget.candidates -= entries.length
  const made = new NearestCriteria(entries, request)
  known.set(request.type, made)
  return made
}

/**
 * All criteria of the other definitions of the type, and why each was not chosen, sorted by the number of keys that do not
 * match. `tiers` are the definitions by precedence.
 */
export function rankCandidates(
  request: MatchRequest,
  match: Match,
  tiers: readonly (readonly ResourceDefinition[])[],
): RankedCandidate[] {
  const winner = match.definition
  const winnersTier = tiers.findIndex((tier) => tier.some((each) => each === winner))
  return tiers
    .flatMap((tier, i) =>
      tier
        .filter((each) => each !== winner)
        .flatMap((each) => candidatesIn(each, request, match, i > winnersTier)),
    )
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        (b.rank ?? 0) - (a.rank ?? 0) ||
        compareText(a.definitionName, b.definitionName),
    )
    .map(({ distance: _, ...candidate }) => candidate)
}

function candidatesIn(
  { metadata: { name: definitionName }, spec: { criteria = [] } }: ResourceDefinition,
  request: MatchRequest,
  match: Match,
  isDefault: boolean,
): (RankedCandidate & { distance: number })[] {
  if (criteria.length === 0) {
    const none = { criterion: undefined, reason: withoutCriteria, rank: undefined }
    return [{ definitionName, ...none, distance: farthest }]
  }
  return criteria.map(normalizeCriterion).map((criterion) => {
    const rank = criterionRank(criterion)
    const lacking = unmatchedKeys(criterion, request)
    const reason =
      lacking.length > 0 ? explainUnmatched(criterion, request) : beatenBy(match, criterion, rank, isDefault)
    return { definitionName, criterion, reason, rank, distance: lacking.length }
  })
}

/** Why a matching criterion was not chosen. */
function beatenBy(match: Match, criterion: Criterion, rank: number, isDefault: boolean): string {
  if (!match.definition) return 'fits' // unreachable: a matching criterion implies a match
  const { name } = match.definition.metadata
  if (isDefault) return `is built in, and '${name}' of the organization takes precedence`
  if (rank === match.rank) return `has the same criterion as '${name}', which is older`
  return `${formatCriterion(criterion)} has rank ${rank}, below ${match.rank} of '${name}'`
}

function explainLoss({ type }: MatchRequest, candidates: readonly Candidate[], more: number): string {
  if (candidates.length === 0) return `no definition of type '${type}' exists`
  const each = candidates.map(({ definitionName, reason }) => `'${definitionName}' ${reason}`)
  return `no definition of type '${type}' fits: ${each.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function explainUnmatched(criterion: Criterion, request: MatchRequest): string {
  return unmatchedKeys(criterion, request)
    .map((key) => `needs ${spelling[key]} '${criterion[key]}' (is '${comparedValue[key](request)}')`)
    .join(', ')
}
