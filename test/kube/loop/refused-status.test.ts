import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { ReconcileError } from '../../../operator/domain/base/errors.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'

test('an object whose status cannot be written is reconciled again with growing pauses', async () => {
  const fake = createFakeCluster()
  fake.addOrganization('acme')
  const times: number[] = []
  const cluster = {
    ...fake,
    async replaceStatus() {
      times.push(performance.now())
      throw new ApiError(500, 'InternalError', 'failed calling webhook "policy.example.com"')
    },
  } as Cluster
  const made = activeResource({ type: 's3', resourceId: 'shared.a' })
  fake.put(ActiveResource, { ...made, metadata: { ...made.metadata, finalizers: [] }, status: undefined })
  const controller = { kind: ActiveResource, reconcile: async () => ({}) }
  const loop = startController(cluster, controller, {
    log: silentLog,
    isActive: () => true,
    backoffMs: { first: 20, most: 10_000 },
  })
  await eventually('some attempts', 10_000, async () => times.length >= 5 || undefined)
  await loop.stop()
  const pauses = times.slice(1, 5).map((time, index) => time - (times[index] ?? 0))
  // 20, 40, 80 and 160 ms, each a quarter more or less.
  expect(pauses[3]).toBeGreaterThan(110)
})

test('the attempts in a status do not count the writes of it that failed', async () => {
  const fake = createFakeCluster()
  fake.addOrganization('acme')
  const written: unknown[] = []
  let reconciles = 0
  let refusals = 3
  const cluster = {
    ...fake,
    async replaceStatus(_kind, _object, status): Promise<never> {
      refusals -= 1
      if (refusals >= 0) throw new ApiError(504, 'Timeout', 'the request took too long')
      written.push([reconciles, (status as { attempts?: number }).attempts])
      throw new ApiError(409, 'Conflict', 'it is enough')
    },
  } as Cluster
  const made = activeResource({ type: 's3', resourceId: 'shared.a' })
  fake.put(ActiveResource, { ...made, metadata: { ...made.metadata, finalizers: [] }, status: undefined })
  const controller = {
    kind: ActiveResource,
    async reconcile(): Promise<never> {
      reconciles += 1
      throw new ReconcileError('ProvisionFailed', 'not today')
    },
  }
  const backoffMs = { first: 10, most: 10 }
  const loop = startController(cluster, controller, { log: silentLog, isActive: () => true, backoffMs })
  await eventually('a status', 10_000, async () => written.length > 0 || undefined)
  await loop.stop()
  expect(written[0]).toEqual([4, 4])
})

test.each([
  ['a policy', 422, 'Rejected', "the cluster refuses to add a finalizer to 'ActiveResource' 'acme/"],
  [
    'a webhook that is away',
    500,
    'Rejected',
    "the cluster cannot add a finalizer to 'ActiveResource' 'acme/",
  ],
])(
  'an object whose finalizer is refused by %s says so, and is not stalled',
  async (_, status, reason, words) => {
    const fake = createFakeCluster()
    fake.addOrganization('acme')
    const written: unknown[] = []
    const refusal =
      status === 500
        ? 'Internal error occurred: failed calling webhook "labels.example.test": no route to host'
        : "ValidatingAdmissionPolicy 'owners' with binding 'owners' denied request: no owner"
    const cluster = {
      ...fake,
      async patch(): Promise<never> {
        throw new ApiError(status, 'Invalid', refusal)
      },
      async replaceStatus(_kind, _object, object): Promise<never> {
        written.push(object)
        throw new ApiError(409, 'Conflict', 'it is enough')
      },
    } as Cluster
    const made = activeResource({ type: 's3', resourceId: 'shared.a' })
    fake.put(ActiveResource, { ...made, metadata: { ...made.metadata, finalizers: [] }, status: undefined })
    let reconciles = 0
    const controller = {
      kind: ActiveResource,
      async reconcile() {
        reconciles += 1
        return {}
      },
      async finalize() {},
    }
    const backoffMs = { first: 300_000, most: 300_000 }
    const loop = startController(cluster, controller, { log: silentLog, isActive: () => true, backoffMs })
    await eventually('a status', 10_000, async () => written.length > 0 || undefined)
    await loop.stop()
    expect(reconciles).toBe(0)
    // No watch reports that a policy has changed, so the last pauses are no longer than those of other refused requests.
    const { nextAttemptTime } = written[0] as { nextAttemptTime: string }
    expect(Date.parse(nextAttemptTime) - Date.now()).toBeLessThanOrEqual(60_000)
    const message = expect.stringContaining(refusal)
    expect(written[0]).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Reconciling', reason, message })]),
    })
    expect(JSON.stringify(written[0])).toContain(words)
  },
)
