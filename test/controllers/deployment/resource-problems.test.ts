import { expect, test } from '@jest/globals'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Reason } from '../../../operator/api/reasons/reasons.ts'
import { problemsOf } from '../../../operator/controllers/deployment/resource-problems.ts'
import { Renewals } from '../../../operator/controllers/shared/renewals.ts'
import { environmentKeyOf } from '../../../operator/kube/cache/kinds-in-store.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'

const notYet = { reason: 'Pending', message: expect.stringMatching(/^not provisioned yet /) }

test.each<[situation: string, reason: Reason | undefined, observedGeneration: number, expected: object]>([
  ['was not looked at', undefined, 0, notYet],
  ['was ready before its last change', 'Reconciled', 1, notYet],
  ['failed before its last change', 'ProvisionFailed', 1, notYet],
  ['fails since its last change', 'ProvisionFailed', 2, { reason: 'ProvisionFailed' }],
])(
  'a deployment says of a pending resource that %s only what is true now',
  (_, reason, observed, expected) => {
    const cluster = createFakeCluster()
    cluster.addOrganization('acme')
    const resource = activeResource({ type: 's3', resourceId: 'a' })
    const status = reason === 'Reconciled' ? ('True' as const) : ('False' as const)
    const ready = reason && {
      type: 'Ready',
      status,
      reason,
      message: 'no',
      observedGeneration: observed,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const metadata = { ...resource.metadata, generation: 2 }
    const conditions = ready ? [ready] : []
    cluster.put(ActiveResource, {
      ...resource,
      metadata,
      status: { observedGeneration: observed, conditions },
    })
    const renewals = new Renewals(cluster.store)
    const tools = { store: cluster.store, renewals, attempts: 3 }
    expect(problemsOf('pending', environmentKeyOf(resource), tools)).toMatchObject([expected])
  },
)
