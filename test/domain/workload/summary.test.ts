import { describe, expect, test } from '@jest/globals'
import { summaryOf } from '../../../operator/domain/workload/summary.ts'

describe('the summary of a Workload', () => {
  test('names all environments with their states, those that need attention first', () => {
    const summary = summaryOf([
      { environmentId: 'prod', state: 'failed', url: 'https://shop.example.com' },
      { environmentId: 'dev', state: 'succeeded', url: 'http://dev.example.com' },
      { environmentId: 'qa', state: 'pending' },
      { environmentId: 'test', state: 'ModuleTaken' },
    ])
    expect(summary).toEqual({
      environments: 'dev, prod, qa, test',
      states: 'prod failed, test ModuleTaken, qa pending, dev succeeded',
      urls: 'http://dev.example.com, https://shop.example.com',
    })
  })

  test('names five of many, and counts the others', () => {
    const many = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'].map((environmentId) => ({
      environmentId,
      state: environmentId === 'a7' ? 'failed' : 'succeeded',
    }))
    expect(summaryOf(many)).toEqual({
      environments: 'a1, a2, a3, a4, a5 and 2 more',
      states: 'a7 failed, a1 succeeded, a2 succeeded, a3 succeeded, a4 succeeded and 2 more',
    })
  })

  test('is absent without environments', () => {
    expect(summaryOf([])).toBeUndefined()
  })
})
