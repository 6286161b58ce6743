import { expect, test } from '@jest/globals'
import { conditionSchema } from '../../../operator/api/kind.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { conditionsAfter, outcomeOf } from '../../../operator/kube/loop/outcome.ts'

const now = '2026-01-02T00:00:00Z'
const { maxLength } = (conditionSchema as unknown as { properties: { message: { maxLength: number } } })
  .properties.message // an object schema

test.each([
  ['a short message stays as it is', 'x', 'x'],
  ['a long one is cut', 'x'.repeat(100_000), undefined],
  ['half a character is written as the store keeps it', 'x\ud800', 'x\ufffd'],
])('%s', (_, message, expected) => {
  const extra = [{ type: 'Unused', status: 'True', reason: 'NotReferenced', message }] as const
  const conditions = conditionsAfter([], outcomeOf(new Stalled('Conflict', message)), extra, 1, now)
  expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'Stalled', 'Unused'])
  for (const each of conditions) {
    expect(each.message.length).toBeLessThanOrEqual(maxLength)
    if (expected !== undefined) expect(each.message).toBe(expected)
  }
})
