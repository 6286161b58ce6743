import { hash } from 'node:crypto'
import type { Criterion } from '../../api/resource-definition.ts'
import { canonicalJson } from '../base/json.ts'
import { defaultClass } from '../resource/descriptor.ts'

/** A key of a criterion. */
export type CriterionKey = keyof Criterion

type RankedKey = Exclude<CriterionKey, 'class'>

/** Names of the keys that make a criterion more specific in the REST API, in ascending order of weight. */
const rankedSpelling = {
  envType: 'env_type',
  appId: 'app_id',
  envId: 'env_id',
  resId: 'res_id',
} as const satisfies Record<RankedKey, string>

/** Names of the keys in the REST API. */
export const spelling = { ...rankedSpelling, class: 'class' } as const

/** Keys that make a criterion more specific, in ascending order of weight. */
export const rankedKeys = Object.keys(rankedSpelling) as readonly RankedKey[] // the keys of the literal

/** The criterion with its class, and without empty keys and `*`. */
export function normalizeCriterion(criterion: Criterion): Criterion {
  const normal: Criterion = { class: given(criterion.class) ?? defaultClass }
  for (const key of rankedKeys) {
    const value = given(criterion[key])
    if (value !== undefined) normal[key] = value
  }
  return normal
}

function given(value: string | undefined): string | undefined {
  return value === '*' || value === '' ? undefined : (value ?? undefined)
}

/** Id of a criterion: a hash of its content. */
export function criterionId(criterion: Criterion): string {
  return hash('sha256', canonicalJson(normalizeCriterion(criterion))).slice(0, 32)
}

/** Rank of a criterion. The highest rank wins. */
export function criterionRank(criterion: Criterion): number {
  return rankedKeys.reduce((rank, key, i) => (given(criterion[key]) === undefined ? rank : rank + 2 ** i), 0)
}

/** The text of a criterion, with keys as in the REST API. */
export function formatCriterion(criterion: Criterion): string {
  const normal = normalizeCriterion(criterion)
  const parts = keysOf(normal).map((key) => `${spelling[key]}: ${normal[key]}`)
  return `{${parts.join(', ')}}`
}

function keysOf(normal: Criterion): CriterionKey[] {
  const keys: CriterionKey[] = rankedKeys.filter((key) => normal[key] !== undefined)
  return normal.class === defaultClass ? keys : [...keys, 'class']
}
