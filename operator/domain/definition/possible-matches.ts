import type { Manifest } from '../../api/kind.ts'
import type { Criterion, ResourceDefinition } from '../../api/resource-definition.ts'
import { compareText } from '../base/json.ts'
import { type CriterionKey, criterionRank, normalizeCriterion } from './criterion.ts'

/** The known part of a context. An absent key can have any value. */
export type MatchFilter = Readonly<Partial<Record<CriterionKey | 'type', string>>>

const neverMatches = -1

/** A definition and the highest rank of its criteria that can match; -1 without any. */
export interface PossibleMatch<T> {
  readonly definition: T
  readonly rank: number
}

/** The definitions that can match in such a context, sorted by type, then by descending rank. */
export function couldMatch<T extends Manifest<typeof ResourceDefinition>>(
  definitions: readonly T[],
  { type, ...context }: MatchFilter,
): PossibleMatch<T>[] {
  const given = (Object.keys(context) as CriterionKey[]).filter((key) => context[key] !== undefined) // all keys but `type`
  return definitions
    .filter(({ spec }) => type === undefined || spec.type === type)
    .map((definition) => ({ definition, rank: rankIn(definition, context, given) }))
    .filter(({ rank }) => given.length === 0 || rank > neverMatches)
    .sort(
      ({ definition: a, rank: rankOfA }, { definition: b, rank: rankOfB }) =>
        compareText(a.spec.type, b.spec.type) ||
        rankOfB - rankOfA ||
        compareText(a.metadata.name, b.metadata.name),
    )
}

/** The highest rank of the criteria that can match. */
function rankIn(
  { spec }: Pick<ResourceDefinition, 'spec'>,
  context: MatchFilter,
  given: readonly CriterionKey[],
): number {
  const fits = (criterion: Criterion) =>
    given.every((key) => criterion[key] === undefined || criterion[key] === context[key])
  return Math.max(
    neverMatches,
    ...(spec.criteria ?? []).map(normalizeCriterion).filter(fits).map(criterionRank),
  )
}
