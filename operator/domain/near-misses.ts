import type { Criterion, ResourceDefinition } from '../api/resource-definition.ts'
import {
  type CriterionKey,
  criterionRank,
  formatCriterion,
  normalizeCriterion,
  rankedKeys,
  spelling,
} from './criterion.ts'
import { compareText } from './json.ts'
import type { Candidate, Match, MatchRequest, NoMatch } from './matching.ts'

/** How many definitions that did not win are listed. */
export const maxCandidates = 5

/** A candidate that did not win, with how specific it is. */
export interface Loser extends Candidate {
  readonly rank: number | undefined
}

const withoutCriteria = 'has no criteria'
/** Farther off than a criterion of which no key fits. */
const farthest = 6

/** Why none of these definitions of the type fits, the nearest first. */
export function explainMiss(request: MatchRequest, definitions: readonly ResourceDefinition[]): NoMatch {
  const nearest: (Candidate & { distance: number })[] = []
  let count = 0
  const consider = (definition: ResourceDefinition, criterion: Criterion | undefined): void => {
    count++
    const lacking = criterion ? lackingKeys(criterion, request) : []
    const distance = criterion ? lacking.length : farthest
    if (nearest.length === maxCandidates && distance >= (nearest.at(-1)?.distance ?? 0)) return
    const definitionName = definition.metadata.name
    const reason = criterion
      ? lacking.map((key) => lack(key, criterion, request)).join(', ')
      : withoutCriteria
    nearest.push({ definitionName, criterion, distance, reason })
    nearest.sort((a, b) => a.distance - b.distance || compareText(a.definitionName, b.definitionName))
    nearest.length = Math.min(nearest.length, maxCandidates)
  }
  for (const definition of [...definitions].sort((a, b) => compareText(a.metadata.name, b.metadata.name))) {
    const criteria = definition.spec.criteria ?? []
    if (criteria.length === 0) consider(definition, undefined)
    for (const criterion of criteria) consider(definition, normalizeCriterion(criterion))
  }
  const candidates = nearest.map(({ definitionName, criterion, reason }) => ({
    definitionName,
    criterion,
    reason,
  }))
  const more = count - candidates.length
  return { definition: undefined, candidates, more, explanation: explainLoss(request, candidates, more) }
}

/**
 * All criteria of the other definitions of the type, and why each did not win: those that fit first, then by how
 * many keys do not. `tiers` are the definitions by precedence.
 */
export function allLosers(
  request: MatchRequest,
  match: Match,
  tiers: readonly (readonly ResourceDefinition[])[],
): Loser[] {
  const winner = match.definition
  const winnersTier = tiers.findIndex((tier) => tier.some((each) => each === winner))
  return tiers
    .flatMap((tier, i) =>
      tier
        .filter((each) => each !== winner)
        .flatMap((each) => losersIn(each, request, match, i > winnersTier)),
    )
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        (b.rank ?? 0) - (a.rank ?? 0) ||
        compareText(a.definitionName, b.definitionName),
    )
    .map(({ distance: _, ...loser }) => loser)
}

function losersIn(
  { metadata: { name: definitionName }, spec: { criteria = [] } }: ResourceDefinition,
  request: MatchRequest,
  match: Match,
  isDefault: boolean,
): (Loser & { distance: number })[] {
  if (criteria.length === 0) {
    const none = { criterion: undefined, reason: withoutCriteria, rank: undefined }
    return [{ definitionName, ...none, distance: farthest }]
  }
  return criteria.map(normalizeCriterion).map((criterion) => {
    const rank = criterionRank(criterion)
    const lacking = lackingKeys(criterion, request)
    const reason =
      lacking.length > 0
        ? lacking.map((key) => lack(key, criterion, request)).join(', ')
        : beatenBy(match, criterion, rank, isDefault)
    return { definitionName, criterion, reason, rank, distance: lacking.length }
  })
}

/** Why a criterion that fits did not win. */
function beatenBy(match: Match, criterion: Criterion, rank: number, isDefault: boolean): string {
  if (!match.definition) return 'fits' // what fits wins, so there is none without a winner
  const { name } = match.definition.metadata
  if (isDefault) return `is built in, and '${name}' of the organization fits`
  if (rank === match.rank) return `has the same criterion as '${name}', which is older`
  return `${formatCriterion(criterion)} has rank ${rank}, below ${match.rank} of '${name}'`
}

function explainLoss({ type }: MatchRequest, candidates: readonly Candidate[], more: number): string {
  if (candidates.length === 0) return `there is no definition of type '${type}'`
  const each = candidates.map(({ definitionName, reason }) => `'${definitionName}' ${reason}`)
  return `no definition of type '${type}' fits: ${each.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function lackingKeys(criterion: Criterion, request: MatchRequest): CriterionKey[] {
  const keys: CriterionKey[] = rankedKeys.filter(
    (key) => criterion[key] !== undefined && criterion[key] !== actual(key, request),
  )
  return criterion.class === request.class ? keys : [...keys, 'class']
}

function lack(key: CriterionKey, criterion: Criterion, request: MatchRequest): string {
  return `needs ${spelling[key]} '${criterion[key]}' (is '${actual(key, request)}')`
}

function actual(key: CriterionKey, { context, resourceId, class: resourceClass }: MatchRequest): string {
  const values: Record<CriterionKey, string> = {
    envType: context.environmentType,
    appId: context.applicationId,
    envId: context.environmentId,
    resId: resourceId,
    class: resourceClass,
  }
  return values[key]
}
