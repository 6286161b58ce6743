import { describe, expect, test } from '@jest/globals'
import type { Criterion } from '../../../operator/api/resource-definition.ts'
import { impossibleCriteria } from '../../../operator/domain/definition/impossible-criteria.ts'

const never = (key: string, value: string, what: string) =>
  `a criterion with ${key} '${value}' never matches: ${what} cannot have this id`

describe('a value that nothing can have is a warning', () => {
  test.each<[rule: string, criterion: Criterion, expected: string]>([
    ['a pattern', { appId: 'shop-*' }, never('app_id', 'shop-*', 'an application')],
    ['another case', { envType: 'Production' }, never('env_type', 'Production', 'an environment type')],
    ['a placeholder', { envId: '${context.env.id}' }, never('env_id', '${context.env.id}', 'an environment')],
    ['a list', { envType: 'staging,live' }, never('env_type', 'staging,live', 'an environment type')],
    ['a space', { appId: ' shop' }, never('app_id', ' shop', 'an application')],
    ['a whole descriptor', { resId: 's3.default#one' }, never('res_id', 's3.default#one', 'a resource')],
    ['a pattern of classes', { class: 'large|small' }, never('class', 'large|small', 'a class')],
    ['any class', { class: '*' }, "class '*' means 'default', not any class"],
  ])('%s', (_, criterion, expected) => {
    expect(impossibleCriteria([{ envId: 'live' }, criterion, criterion])).toEqual([expected])
  })

  test('ten are shown at most', () => {
    const criteria = Array.from({ length: 256 }, (_, i) => ({ appId: `App${i}` }))
    const warnings = impossibleCriteria(criteria)
    expect(warnings).toHaveLength(11)
    expect(warnings.at(-1)).toBe('246 more criteria never match')
  })
})

test.each<[rule: string, criterion: Criterion]>([
  ['ids', { envType: 'production', appId: 'shop-2', envId: 'live', resId: 'modules.web.externals.db' }],
  ['the id of a shared resource', { resId: 'shared.My_DB' }],
  ['values that mean any', { envType: '*', appId: '', envId: '*', resId: '*' }],
  ['classes', { class: 'Large_2' }],
])('nothing is said about %s', (_, criterion) => {
  expect(impossibleCriteria([criterion])).toEqual([])
})

test('a definition without criteria has no warning', () => {
  expect(impossibleCriteria()).toEqual([])
})
