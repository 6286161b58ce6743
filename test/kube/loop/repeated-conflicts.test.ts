import { setTimeout } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'

const namespace = 'acme'

/** A loop over one object; each reconcile conflicts, as the API server answers, while `conflicts` says so. */
function conflicting(conflicts: (reconcile: number) => boolean) {
  const fake = createFakeCluster()
  fake.addOrganization(namespace)
  const cluster = {
    ...fake,
    async replaceStatus(kind, { metadata: { name } }, status) {
      fake.setStatus(kind, namespace, name, JSON.parse(JSON.stringify(status)) as object) // as it is kept
      return fake.store.get(kind, namespace, name)
    },
  } as Cluster
  const made = activeResource({ type: 's3', resourceId: 'shared.a' })
  const { name } = made.metadata
  fake.put(ActiveResource, { ...made, metadata: { ...made.metadata, finalizers: [] } })
  let reconciles = 0
  const controller = {
    kind: ActiveResource,
    async reconcile() {
      reconciles += 1
      if (conflicts(reconciles)) throw new ApiError(409, 'Conflict', 'Precondition failed: UID')
      return {}
    },
  }
  const loop = startController(cluster, controller, { log: silentLog, isActive: () => true })
  const ready = async () => {
    const now = fake.store.get(ActiveResource, namespace, name)
    return now && conditionOf(now, 'Ready')
  }
  return { ready, reconciles: () => reconciles, stop: () => loop.stop() }
}

test('a conflict that does not end is what the object waits for, with growing pauses', async () => {
  const { ready, reconciles, stop } = conflicting(() => true)
  const condition = await eventually('a status', 10_000, ready)
  expect(condition).toMatchObject({
    status: 'Unknown',
    reason: 'Failed',
    message: 'Precondition failed: UID',
  })
  const before = reconciles()
  await setTimeout(1500)
  await stop()
  expect(reconciles() - before).toBeLessThanOrEqual(2)
})

test('a few conflicts, as of several writers, are not shown', async () => {
  const { ready, reconciles, stop } = conflicting((reconcile) => reconcile < 5)
  const condition = await eventually('a status', 10_000, ready)
  await stop()
  expect([condition.status, reconciles()]).toEqual(['True', 5])
})
