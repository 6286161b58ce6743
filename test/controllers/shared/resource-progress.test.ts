import { expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { progressOf } from '../../../operator/controllers/shared/resource-progress.ts'
import { activeResource } from '../../support/builders.ts'

function failing(
  reason: Reason,
  attempts: number,
  secondCondition: 'Reconciling' | 'Stalled',
): ActiveResource {
  const common = { reason, message: 'no', observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }
  const conditions = [
    { ...common, type: 'Ready', status: 'False' as const },
    { ...common, type: secondCondition, status: 'True' as const },
  ]
  const resource = activeResource({ type: 's3', resourceId: 'a' })
  const metadata = { ...resource.metadata, generation: 1 }
  return { ...resource, metadata, status: { attempts, observedGeneration: 1, conditions } }
}

test.each<[situation: string, reason: Reason, attempts: number, expected: string]>([
  ['two failures of its driver', 'ProvisionFailed', 2, 'pending'],
  ['three failures of its driver', 'ProvisionFailed', 3, 'failed'],
  ['three failures of the API server', 'Failed', 3, 'pending'],
  ['six failures of the API server', 'Failed', 6, 'pending'],
  ['seven failures of the API server', 'Failed', 7, 'failed'],
  ['six failures of a webhook', 'Rejected', 6, 'pending'],
  ['six failures to list a kind', 'NotListed', 6, 'pending'],
  ['seven failures to list a kind', 'NotListed', 7, 'failed'],
  ['three failures by a quota', 'QuotaExceeded', 3, 'failed'],
])('with three attempts, a resource after %s is as expected', (_, reason, attempts, expected) => {
  expect(progressOf(failing(reason, attempts, 'Reconciling'), 3)).toBe(expected)
})

test('a resource that the cluster refuses has failed at once', () => {
  expect(progressOf(failing('Rejected', 1, 'Stalled'), 3)).toBe('failed')
})
