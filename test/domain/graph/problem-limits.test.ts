import { describe, expect, test } from '@jest/globals'
import { moreProblems, Problems, problemCount } from '../../../operator/domain/graph/problems.ts'
import { previewChange } from '../../../operator/domain/plan/preview.ts'
import type { ResourceTypeInfo } from '../../../operator/domain/resource/type-info.ts'
import { definition, set } from '../../support/builders.ts'
import { planOf } from '../../support/plans.ts'

function collected(count: number, message: string) {
  const problems = new Problems()
  for (let i = 0; i < count; i++) problems.add('s3.default#shared.main', 'UnknownValue', `${message} ${i}`)
  return problems.listed()
}

describe('the problems of a plan', () => {
  test.each([
    ['all, when they are few', 1000, 'x', 1000],
    ['the first of many, with the number of the others', 1500, 'x', 1001],
    ['the first of long ones, with the number of the others', 1500, 'x'.repeat(8000), 132],
  ])('%s', (_, count, message, expected) => {
    const listed = collected(count, message)
    expect(listed).toHaveLength(expected)
    expect(problemCount(listed)).toBe(count)
    if (count > 1000) expect(listed.at(-1)).toEqual(moreProblems(count - expected + 1))
  })

  test('each only once', () => {
    const problems = new Problems()
    for (let i = 0; i < 2000; i++) problems.add('a', 'UnknownValue', 'text')
    expect(problems.listed()).toEqual([{ object: 'a', reason: 'UnknownValue', message: 'text' }])
  })
})

const required = Array.from({ length: 100 }, (_, i) => `${i}${'k'.repeat(240)}`)
const strict: ResourceTypeInfo = {
  type: 'acme/thing',
  name: 'Thing',
  category: 'things',
  use: 'direct',
  inputsSchema: { type: 'object', required },
  outputsSchema: {},
}
const planned = (count: number) =>
  planOf(
    set(
      {},
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`t${i}`, { type: 'acme/thing', params: {} }]),
      ),
    ),
    [definition('thing', 'acme/thing')],
    [],
    { types: [strict] },
  )

test('a plan of many resources with many faults lists about a mebibyte of them', () => {
  const { problems } = planned(300)
  expect(problemCount(problems)).toBe(30_000)
  expect(JSON.stringify(problems).length).toBeLessThan(1_300_000)
  expect(problems.at(-1)).toMatchObject({ object: '', reason: 'MoreProblems' })
})

test('more problems than the limit are a change only when they were not before', () => {
  const [none, many, more] = [planned(0), planned(300), planned(301)]
  expect(previewChange(many, more).problems).toEqual([])
  expect(previewChange(none, many).problems.at(-1)).toMatchObject({ reason: 'MoreProblems' })
})
