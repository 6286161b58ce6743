import { describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { definition, quota, set } from '../../support/builders.ts'
import { carriedOut, planOf } from '../../support/plans.ts'
import { casesOf, fc } from '../../support/properties.ts'

const counted = 'count/activeresources.quartermaster.dev'
const quotaOf = (limit: number, used: number) =>
  quota('team', { [counted]: String(limit) }, { [counted]: String(used) })
const s3 = definition('s3', 's3')
const edited = definition('s3', 's3', { driverInputs: { values: { region: 'b' } } })
const setOf = (ids: readonly string[]) => set({}, Object.fromEntries(ids.map((id) => [id, { type: 's3' }])))
const deleted = (resource: ActiveResource): ActiveResource => ({
  ...resource,
  metadata: { ...resource.metadata, deletionTimestamp: '2026-02-01T00:00:00Z' },
})

describe('a plan', () => {
  test('exceeds a quota if and only if its new resources do not fit in beside the used ones', () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
    const fits = fc.property(ids, ids, fc.nat(8), fc.nat(8), (before, after, limit, used) => {
      const active = carriedOut(planOf(setOf(before), [s3]))
      const { problems } = planOf(setOf(after), [s3], active, { quotas: [quotaOf(limit, used)] })
      const more = after.filter((id) => !before.includes(id)).length
      const isExceeded = more > 0 && used + more > limit
      expect(problems.map(({ reason }) => reason)).toEqual(isExceeded ? ['QuotaExceeded'] : [])
    })
    fc.assert(fits, { numRuns: casesOf(500) })
  })

  test('names the quota, the kind, the use, the limit and how many more it needs', () => {
    const { problems } = planOf(setOf(['a', 'b']), [s3], [], { quotas: [quotaOf(5, 4)] })
    expect(problems).toEqual([
      {
        object: '',
        reason: 'QuotaExceeded',
        message:
          "the quota 'team' of the namespace 'acme' allows 5 'activeresources.quartermaster.dev' (4 used, 2 more needed)",
      },
    ])
  })

  test('has a problem for each quota that it exceeds', () => {
    const other = { ...quotaOf(3, 3), metadata: { ...quotaOf(3, 3).metadata, name: 'also' } }
    const { problems } = planOf(setOf(['a']), [s3], [], { quotas: [quotaOf(1, 1), other, quotaOf(9, 1)] })
    expect(problems.map(({ message }) => /quota '(\w+)'/.exec(message)?.[1])).toEqual(['also', 'team'])
  })

  test.each<[rule: string, ids: string[], isEdited: boolean, active: readonly ActiveResource[]]>([
    ['an update', ['a'], true, carriedOut(planOf(setOf(['a']), [s3]))],
    ['a resource that is no longer used', [], false, carriedOut(planOf(setOf(['a']), [s3]))],
    [
      'the successor of a resource that is being deleted',
      ['a'],
      false,
      carriedOut(planOf(setOf(['a']), [s3])).map(deleted),
    ],
  ])('needs no room for %s', (_, ids, isEdited, active) => {
    expect(active).toHaveLength(1)
    const { steps, problems } = planOf(setOf(ids), [isEdited ? edited : s3], active, {
      quotas: [quotaOf(1, 1)],
    })
    expect([steps.length, problems]).toEqual([1, []])
  })

  test('finds no room where another resource is being deleted: it is counted until it is gone', () => {
    const active = [...carriedOut(planOf(setOf(['a']), [s3]))].map(deleted)
    const { problems } = planOf(setOf(['b']), [s3], active, { quotas: [quotaOf(1, 1)] })
    expect(problems).toMatchObject([{ reason: 'QuotaExceeded' }])
  })
})
