import type { Criterion } from '../../api/resource-definition.ts'
import { idPattern } from '../../api/schema.ts'
import { defaultClass, problemOfDescriptor } from '../resource/descriptor.ts'
import { type CriterionKey, normalizeCriterion, spelling } from './criterion.ts'

const maxListed = 10
const maxShown = 100
const idForm = new RegExp(idPattern)

/** What each key is compared with, and why a value can never be equal to it. */
const compared: Readonly<
  Record<CriterionKey, readonly [what: string, isPossible: (value: string) => boolean]>
> = {
  envType: ['an environment type', isId],
  appId: ['an application', isId],
  envId: ['an environment', isId],
  resId: [
    'a resource',
    (resourceId) => problemOfDescriptor({ type: 'any', class: defaultClass, resourceId }) === undefined,
  ],
  class: ['a class', (name) => problemOfDescriptor({ type: 'any', class: name }) === undefined],
}

const keys = Object.keys(compared) as readonly CriterionKey[] // the keys of the literal

/** The values of criteria that nothing can have, as warnings: values are compared as they are, without patterns. */
export function impossibleCriteria(criteria: readonly Criterion[] = []): string[] {
  const texts = criteria.flatMap((criterion) => [
    ...(criterion.class === '*' ? [`class '*' means '${defaultClass}', not any class`] : []),
    ...impossibleValues(normalizeCriterion(criterion)),
  ])
  const all = [...new Set(texts)]
  return all.length > maxListed
    ? [...all.slice(0, maxListed), `${all.length - maxListed} more criteria never match`]
    : all
}

function impossibleValues(criterion: Criterion): string[] {
  return keys.flatMap((key) => {
    const value = criterion[key]
    const [what, isPossible] = compared[key]
    if (value === undefined || isPossible(value)) return []
    const shown = value.slice(0, maxShown)
    return [`a criterion with ${spelling[key]} '${shown}' never matches: ${what} cannot have this id`]
  })
}

function isId(value: string): boolean {
  return idForm.test(value)
}
