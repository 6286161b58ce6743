import { beforeEach, describe, expect, test } from '@jest/globals'
import { Mismatch, ReferenceNotFound, Stalled } from '../../../operator/domain/base/errors.ts'
import { createGracePeriod, type GracePeriod } from '../../../operator/kube/loop/grace-period.ts'
import { outcomeOf } from '../../../operator/kube/loop/outcome.ts'

const graceMs = 60_000
let now: number
let gracePeriod: GracePeriod

beforeEach(() => {
  now = 1000
  gracePeriod = createGracePeriod(graceMs, () => now)
})

const mismatch = (text = 'does not fit') => new Mismatch('InvalidInputs', text)
const stalled = (generation: number) => ({
  observedGeneration: generation,
  conditions: [
    {
      type: 'Stalled',
      status: 'True' as const,
      reason: 'Conflict' as const,
      message: '',
      lastTransitionTime: '',
    },
  ],
})

function outcomeAfter(error: unknown, generation = 1, status?: ReturnType<typeof stalled>) {
  const object = { metadata: { generation }, ...(status ? { status } : {}) }
  const { secondCondition, ready, retry } = gracePeriod.outcomeFor('acme/x', object, outcomeOf(error))
  return { secondCondition, ready, retry }
}

const reconciling = (retry: number) => ({ secondCondition: 'Reconciling', ready: 'False', retry })
const final = { secondCondition: 'Stalled', ready: 'False', retry: 'no' }

describe('an object that does not fit those beside it', () => {
  test('reconciles for the settle time, is reconciled again then, and stalls', () => {
    expect(outcomeAfter(mismatch())).toEqual(reconciling(60))
    now += 20_500
    expect(outcomeAfter(mismatch('in another way'))).toEqual(reconciling(40))
    now += 39_500
    expect(outcomeAfter(mismatch())).toEqual(final)
  })

  test.each<[rule: string, between: () => void]>([
    ['that fitted meanwhile', () => void outcomeAfter(undefined)],
    [
      'that waited for something missing meanwhile',
      () => void outcomeAfter(new ReferenceNotFound('TypeNotFound', '')),
    ],
    ['that is another of its name', () => gracePeriod.forget('acme/x')],
  ])('%s has the whole time again', (_, between) => {
    outcomeAfter(mismatch())
    now += 59_000
    between()
    expect(outcomeAfter(mismatch())).toEqual(reconciling(60))
  })

  test('has the whole time again when its spec changes', () => {
    outcomeAfter(mismatch())
    now += 59_000
    expect(outcomeAfter(mismatch(), 2)).toEqual(reconciling(60))
  })

  test('stays stalled after a restart, until its spec changes', () => {
    expect(outcomeAfter(mismatch(), 1, stalled(1))).toEqual(final)
    expect(outcomeAfter(mismatch(), 2, stalled(1))).toEqual(reconciling(60))
  })
})

test('an object that is wrong by itself stalls at once', () => {
  expect(outcomeAfter(new Stalled('InvalidSchema', ''))).toEqual(final)
})
