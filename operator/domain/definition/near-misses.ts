import type { Criterion, ResourceDefinition } from '../../api/resource-definition.ts'
import { compareText } from '../base/json.ts'
import type { WorkBudget } from '../base/work-budget.ts'
import {
  type CriterionKey,
  criterionRank,
  formatCriterion,
  normalizeCriterion,
  rankedKeys,
  spelling,
} from './criterion.ts'
import { type Candidate, comparedValue, type Match, type MatchRequest, type NoMatch } from './match-types.ts'

/** Maximum number of listed candidates. */
export const maxCandidates = 5

/** A candidate with its rank. */
export interface RankedCandidate extends Candidate {
  readonly rank: number | undefined
}

const withoutCriteria = 'has no criteria'
/** Greater than the distance of a criterion of which no key matches. */
const farthest = Object.keys(spelling).length + 1

/** One criterion of a definition, in its normal form; undefined for a definition without criteria. */
interface CriterionEntry {
  readonly definitionName: string
  readonly criterion: Criterion | undefined
}

/** All criteria of the definitions of a type, sorted by definition name. */
export interface CriterionEntries {
  readonly all: readonly CriterionEntry[]
  /** Whether the explanation depends on the Resource ID. */
  readonly byResourceId: boolean
}

/** Explanations that the requests of one context share, and the remaining work for more of them. */
export interface ExplanationCache {
  readonly budget: Pick<WorkBudget, 'candidates'>
  readonly known: Map<string, NoMatchDetails>
}

/** Why no definition matches. */
export type NoMatchDetails = Omit<NoMatch, 'definition'>

/** The criteria of the definitions of a type. */
export function criterionEntriesOf(definitions: readonly ResourceDefinition[]): CriterionEntries {
  const all = [...definitions]
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name))
    .flatMap(({ metadata: { name: definitionName }, spec: { criteria = [] } }): CriterionEntry[] =>
      criteria.length === 0
        ? [{ definitionName, criterion: undefined }]
        : criteria.map((criterion) => ({ definitionName, criterion: normalizeCriterion(criterion) })),
    )
  return { all, byResourceId: all.some(({ criterion }) => criterion?.resId !== undefined) }
}

/** Why no criterion matches, the nearest first. Without remaining budget, only the number of candidates. */
export function explainNoMatch(
  request: MatchRequest,
  entries: CriterionEntries,
  cache: ExplanationCache,
): NoMatchDetails {
  const { type, class: resourceClass, resourceId } = request
  const key = [type, resourceClass, entries.byResourceId ? resourceId : ''].join('\0')
  const known = cache.known.get(key)
  if (known) return known
  const count = entries.all.length
  if (count > cache.budget.candidates) {
    const explanation = `no definition of type '${type}' fits: there are ${count} candidates`
    return { candidates: [], more: count, explanation }
  }
  cache.budget.candidates -= count
  const candidates = nearest(request, entries)
  const more = count - candidates.length
  const details = { candidates, more, explanation: explainLoss(request, candidates, more) }
  cache.known.set(key, details)
  return details
}

function nearest(request: MatchRequest, { all }: CriterionEntries): Candidate[] {
  const found: (CriterionEntry & { readonly distance: number })[] = []
  for (const entry of all) {
    const { criterion } = entry
    const distance = criterion ? unmatchedKeys(criterion, request).length : farthest
    if (found.length === maxCandidates && distance >= (found.at(-1)?.distance ?? 0)) continue
    found.push({ ...entry, distance })
    // The sort is stable: equal distances stay in the order of names.
    found.sort((a, b) => a.distance - b.distance)
    found.length = Math.min(found.length, maxCandidates)
  }
  return found.map(({ definitionName, criterion }) => ({
    definitionName,
    criterion,
    reason: criterion ? explainUnmatched(criterion, request) : withoutCriteria,
  }))
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

function unmatchedKeys(criterion: Criterion, request: MatchRequest): CriterionKey[] {
  const keys: CriterionKey[] = rankedKeys.filter(
    (key) => criterion[key] !== undefined && criterion[key] !== comparedValue[key](request),
  )
  return criterion.class === request.class ? keys : [...keys, 'class']
}

function explainUnmatched(criterion: Criterion, request: MatchRequest): string {
  return unmatchedKeys(criterion, request)
    .map((key) => `needs ${spelling[key]} '${criterion[key]}' (is '${comparedValue[key](request)}')`)
    .join(', ')
}
