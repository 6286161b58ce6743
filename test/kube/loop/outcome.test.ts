import { describe, expect, test } from '@jest/globals'
import { beforeAnyTransition, type Condition } from '../../../operator/api/kind.ts'
import { Mismatch, ReferenceNotFound, Stalled, Waiting } from '../../../operator/domain/base/errors.ts'
import { conditionsAfter, isReady, isStalled, outcomeOf } from '../../../operator/kube/loop/outcome.ts'
import { notServed } from '../../../operator/kube/objects/discovery.ts'

const [earlier, now] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']

describe('an outcome', () => {
  test.each<[rule: string, error: unknown, expected: ReturnType<typeof outcomeOf>]>([
    [
      'nothing thrown: ready',
      undefined,
      { ready: 'True', reason: 'Reconciled', message: '', secondCondition: undefined, retry: 'no' },
    ],
    [
      'Waiting: not yet, until something changes',
      new Waiting('DependencyNotReady', 'waiting for x'),
      {
        ready: 'Unknown',
        reason: 'DependencyNotReady',
        message: 'waiting for x',
        secondCondition: 'Reconciling',
        retry: 'no',
      },
    ],
    [
      'Waiting with a time: reconciled again then',
      new Waiting('SecretNotFound', 'no secret', 5),
      {
        ready: 'Unknown',
        reason: 'SecretNotFound',
        message: 'no secret',
        secondCondition: 'Reconciling',
        retry: 5,
      },
    ],
    [
      'Stalled: a person must act',
      new Stalled('Conflict', 'not ours'),
      { ready: 'False', reason: 'Conflict', message: 'not ours', secondCondition: 'Stalled', retry: 'no' },
    ],
    [
      'ReferenceNotFound: waits for another object',
      new ReferenceNotFound('TypeNotFound', 'no type'),
      {
        ready: 'Unknown',
        reason: 'TypeNotFound',
        message: 'no type',
        secondCondition: 'Reconciling',
        retry: 'no',
        dependsOn: 'reference',
      },
    ],
    [
      'Mismatch: stalled beside other objects',
      new Mismatch('WrongType', 'no'),
      {
        ready: 'False',
        reason: 'WrongType',
        message: 'no',
        secondCondition: 'Stalled',
        retry: 'no',
        dependsOn: 'fit',
      },
    ],
    [
      'Stalled with a time: retried then, since no event shows that the person acted',
      new Stalled('NotAllowed', 'no right', undefined, 60),
      { ready: 'False', reason: 'NotAllowed', message: 'no right', secondCondition: 'Stalled', retry: 60 },
    ],
    [
      'Stalled with a back-off: tried again, since the cause may end at any time',
      notServed({ apiVersion: 'example.com/v1', kind: 'Widget' }),
      {
        ready: 'False',
        reason: 'NotServed',
        message: "this cluster does not serve 'example.com/v1' 'Widget'",
        secondCondition: 'Stalled',
        retry: 'backoff',
      },
    ],
    [
      'any error: tried again',
      new Error('broken'),
      {
        ready: 'False',
        reason: 'Failed',
        message: 'broken',
        secondCondition: 'Reconciling',
        retry: 'backoff',
      },
    ],
    [
      'any other error: retried',
      'text',
      { ready: 'False', reason: 'Failed', message: 'text', secondCondition: 'Reconciling', retry: 'backoff' },
    ],
  ])('%s', (_, error, expected) => {
    expect(outcomeOf(error)).toEqual(expected)
  })

  test('of a deletion that is Stalled: tried again, since no change of the object shows that the person acted', () => {
    expect(outcomeOf(new Stalled('DriverRefused', 'not empty'), 'deletion')).toEqual({
      ready: 'False',
      reason: 'DriverRefused',
      message: 'not empty',
      secondCondition: 'Stalled',
      retry: 'backoff',
    })
  })

  test('of a deletion that is Stalled until a time: tried again then', () => {
    expect(outcomeOf(new Stalled('NotAllowed', 'no right', undefined, 60), 'deletion').retry).toBe(60)
  })
})

describe('conditions', () => {
  const condition = (
    type: string,
    status: Condition['status'],
    reason: Condition['reason'] = 'Pending',
  ): Condition => ({
    type,
    status,
    reason,
    message: '',
    observedGeneration: 1,
    lastTransitionTime: earlier,
  })
  const shown = (conditions: readonly Condition[]) =>
    conditions.map(({ type, status, reason, lastTransitionTime }) => [
      type,
      status,
      reason,
      lastTransitionTime === now ? 'now' : 'earlier',
    ])

  test.each<
    [
      rule: string,
      before: Condition[],
      error: unknown,
      extra: Omit<Condition, 'lastTransitionTime'>[],
      expected: string[][],
    ]
  >([
    ['a first outcome', [], undefined, [], [['Ready', 'True', 'Reconciled', 'now']]],
    [
      'the same status keeps its time',
      [condition('Ready', 'True')],
      undefined,
      [],
      [['Ready', 'True', 'Reconciled', 'earlier']],
    ],
    [
      'another status has another time',
      [condition('Ready', 'False')],
      undefined,
      [],
      [['Ready', 'True', 'Reconciled', 'now']],
    ],
    [
      'Reconciling is there only while true',
      [condition('Ready', 'Unknown'), condition('Reconciling', 'True')],
      undefined,
      [],
      [['Ready', 'True', 'Reconciled', 'now']],
    ],
    [
      'Stalled takes the place of Reconciling',
      [condition('Ready', 'Unknown'), condition('Reconciling', 'True')],
      new Stalled('Conflict', ''),
      [],
      [
        ['Ready', 'False', 'Conflict', 'now'],
        ['Stalled', 'True', 'Conflict', 'now'],
      ],
    ],
    [
      'an object that was ready is not ready when a reference is missing, and reconciles',
      [condition('Ready', 'True')],
      new ReferenceNotFound('TypeNotFound', ''),
      [],
      [
        ['Ready', 'False', 'TypeNotFound', 'now'],
        ['Reconciling', 'True', 'TypeNotFound', 'now'],
      ],
    ],
    [
      'a new object with a missing reference is Unknown',
      [condition('Ready', 'Unknown')],
      new ReferenceNotFound('TypeNotFound', ''),
      [],
      [
        ['Ready', 'Unknown', 'TypeNotFound', 'earlier'],
        ['Reconciling', 'True', 'TypeNotFound', 'now'],
      ],
    ],
    [
      'the first outcome of a new object has a time, also if its status is that of the schema',
      [{ ...condition('Ready', 'Unknown'), lastTransitionTime: beforeAnyTransition }],
      new Waiting('DependencyNotReady', ''),
      [],
      [
        ['Ready', 'Unknown', 'DependencyNotReady', 'now'],
        ['Reconciling', 'True', 'DependencyNotReady', 'now'],
      ],
    ],
    [
      'those of the controller are added to ours and cannot replace them',
      [condition('Unused', 'True')],
      undefined,
      [condition('Unused', 'True', 'NotReferenced'), condition('Ready', 'False')],
      [
        ['Ready', 'True', 'Reconciled', 'now'],
        ['Unused', 'True', 'NotReferenced', 'earlier'],
      ],
    ],
  ])('%s', (_, before, error, extra, expected) => {
    expect(shown(conditionsAfter(before, outcomeOf(error), extra, 2, now))).toEqual(expected)
  })

  test('have the reconciled generation, and at most the characters that the schema allows', () => {
    const [ready] = conditionsAfter([], outcomeOf(new Error('x'.repeat(40_000))), [], 7, now)
    expect(ready?.observedGeneration).toBe(7)
    expect(ready?.message.length).toBeLessThanOrEqual(32_768)
  })

  test.each<
    [
      rule: string,
      generation: number,
      status: Condition['status'],
      expected: { ready: boolean; stalled: boolean },
    ]
  >([
    ['an outcome of this spec counts', 2, 'True', { ready: true, stalled: true }],
    ['an outcome of an older spec does not', 3, 'True', { ready: false, stalled: false }],
    ['neither does another status', 2, 'Unknown', { ready: false, stalled: false }],
  ])('%s', (_, generation, status, expected) => {
    const conditions = [condition('Ready', status), condition('Stalled', status)]
    const object = { metadata: { generation }, status: { observedGeneration: 2, conditions } }
    expect({ ready: isReady(object), stalled: isStalled(object) }).toEqual(expected)
  })
})
