import type { Criterion } from '../../api/resource-definition.ts'
import { type CriterionKey, rankedKeys, spelling } from './criterion.ts'
import { comparedValue, type MatchRequest } from './match-types.ts'

/** Maximum number of listed candidates. */
export const maxCandidates = 5

/** Greater than the distance of a criterion of which no key matches. */
export const farthest = Object.keys(spelling).length + 1

/** One criterion of a definition, in its normal form; undefined for a definition without criteria. */
export interface CriterionEntry {
  readonly definitionName: string
  readonly criterion: Criterion | undefined
}

/** An entry with its position, and the number of keys that do not match. */
interface Ranked extends CriterionEntry {
  readonly position: number
  readonly distance: number
}

/** The keys of a criterion whose values the request does not have. */
export function unmatchedKeys(criterion: Criterion, request: MatchRequest): CriterionKey[] {
  const keys = unmatchedRankedKeys(criterion, request)
  return criterion.class === request.class ? keys : [...keys, 'class']
}

function unmatchedRankedKeys(criterion: Criterion, request: MatchRequest): CriterionKey[] {
  return rankedKeys.filter(
    (key) => criterion[key] !== undefined && criterion[key] !== comparedValue[key](request),
  )
}

/**
 * Finds the criteria that are nearest to requests of one context, with constant work per request.
 *
 * Requests differ in class and Resource ID only. Each group has criteria that name a certain class or Resource ID, or any:
 * its first ones by the other keys. No other criterion of a group can be among the first ones of a request, because
 * those before it in the group are as near to the request or nearer.
 */
export class NearestCriteria {
  readonly #groups = new Map<string, Ranked[]>()

  constructor(entries: readonly CriterionEntry[], request: MatchRequest) {
    for (const [position, entry] of entries.entries()) {
      const { criterion } = entry
      const ranked = {
        ...entry,
        position,
        distance: criterion ? sharedDistance(criterion, request) : farthest,
      }
      const groups = criterion ? groupsOf(criterion.class, criterion.resId) : [groupOf(undefined)]
      for (const group of groups) this.#add(group, ranked)
    }
  }

  /** The nearest criteria to the request, in the order of the entries where they are equally near. */
  nearest(request: MatchRequest): CriterionEntry[] {
    const groups = [
      groupOf(undefined),
      ...groupsOf(request.class, undefined),
      ...groupsOf(request.class, request.resourceId),
    ]
    const found = new Set(groups.flatMap((group) => this.#groups.get(group) ?? []))
    return [...found]
      .map((each) => ({
        ...each,
        distance: each.criterion ? unmatchedKeys(each.criterion, request).length : farthest,
      }))
      .sort((a, b) => a.distance - b.distance || a.position - b.position)
      .slice(0, maxCandidates)
  }

  #add(group: string, entry: Ranked): void {
    const members = this.#groups.get(group) ?? []
    const after = members.findIndex(({ distance }) => distance > entry.distance)
    members.splice(after === -1 ? members.length : after, 0, entry)
    members.length = Math.min(members.length, maxCandidates)
    this.#groups.set(group, members)
  }
}

/** The number of keys that match no request of the context. */
function sharedDistance({ resId: _, ...criterion }: Criterion, request: MatchRequest): number {
  return unmatchedRankedKeys(criterion, request).length
}

/** The groups of criteria that name a Resource ID, or that name none: with this class, and with any. */
function groupsOf(resourceClass: string | undefined, resourceId: string | undefined): string[] {
  const ids = resourceId === undefined ? ['none'] : ['any', `id ${resourceId}`]
  return ids.flatMap((id) => [groupOf(id), groupOf(id, resourceClass)])
}

function groupOf(id: string | undefined, resourceClass = ''): string {
  return id === undefined ? '' : `${id}\0${resourceClass}`
}
