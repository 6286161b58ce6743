import { beforeEach, describe, expect, test } from '@jest/globals'
import { Mismatch, ReferenceNotFound, Stalled } from '../../../operator/domain/base/errors.ts'
import { outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { createSettling, type Settling } from '../../../operator/kube/loop/settling.ts'

const settleMs = 60_000
let now: number
let settling: Settling

beforeEach(() => {
  now = 1000
  settling = createSettling(settleMs, () => now)
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

function look(error: unknown, generation = 1, status?: ReturnType<typeof stalled>) {
  const object = { metadata: { generation }, ...(status ? { status } : {}) }
  const { also, ready, retry } = settling.outcomeFor('acme/x', object, outcomeOf(error))
  return { also, ready, retry }
}

const reconciling = (retry: number) => ({ also: 'Reconciling', ready: 'False', retry })
const final = { also: 'Stalled', ready: 'False', retry: 'no' }

describe('an object that does not fit those beside it', () => {
  test('reconciles for the settle time, is looked at again then, and stalls', () => {
    expect(look(mismatch())).toEqual(reconciling(60))
    now += 20_500
    expect(look(mismatch('in another way'))).toEqual(reconciling(40))
    now += 39_500
    expect(look(mismatch())).toEqual(final)
  })

  test.each<[rule: string, between: () => void]>([
    ['that fitted meanwhile', () => void look(undefined)],
    [
      'that waited for something missing meanwhile',
      () => void look(new ReferenceNotFound('TypeNotFound', '')),
    ],
    ['that is another of its name', () => settling.forget('acme/x')],
  ])('%s has the whole time again', (_, between) => {
    look(mismatch())
    now += 59_000
    between()
    expect(look(mismatch())).toEqual(reconciling(60))
  })

  test('has the whole time again when its spec changes', () => {
    look(mismatch())
    now += 59_000
    expect(look(mismatch(), 2)).toEqual(reconciling(60))
  })

  test('stays stalled after a restart, until its spec changes', () => {
    expect(look(mismatch(), 1, stalled(1))).toEqual(final)
    expect(look(mismatch(), 2, stalled(1))).toEqual(reconciling(60))
  })
})

test('an object that is wrong by itself stalls at once', () => {
  expect(look(new Stalled('InvalidSchema', ''))).toEqual(final)
})
