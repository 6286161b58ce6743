import type { Criterion, ResourceDefinition } from '../api/resource-definition.ts'
import { type CriterionKey, normalizeCriterion, rankedKeys, spelling } from './criterion.ts'
import { compareText } from './json.ts'
import type { Candidate, MatchRequest, NoMatch } from './matching.ts'

/** How many definitions that did not win are listed. */
export const maxCandidates = 5

/** Why none of these definitions of the type fits, the nearest first. */
export function explainMiss(request: MatchRequest, definitions: readonly ResourceDefinition[]): NoMatch {
  const nearest: (Candidate & { distance: number })[] = []
  let count = 0
  const consider = (definition: ResourceDefinition, criterion: Criterion | undefined): void => {
    count++
    const lacking = criterion ? lackingKeys(criterion, request) : []
    const distance = criterion ? lacking.length : 6
    if (nearest.length === maxCandidates && distance >= (nearest.at(-1)?.distance ?? 0)) return
    const definitionName = definition.metadata.name
    const reason = criterion
      ? lacking.map((key) => lack(key, criterion, request)).join(', ')
      : 'has no criteria'
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
