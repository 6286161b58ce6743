import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Mismatch, ReconcileError } from '../../../operator/domain/base/errors.ts'
import { ApiError } from '../../../operator/kube/client/api-error.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { conditionOf, isObserved } from '../../../operator/kube/loop/outcome.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { activeResource } from '../../support/builders.ts'
import { keepingStatus } from '../support/kept-status.ts'

const namespace = 'acme'
const graceMs = 50

/** A loop whose reconciles fail, and one object. */
function failing(error: () => Error | undefined) {
  const fake = createFakeCluster()
  fake.addOrganization(namespace)
  const cluster = keepingStatus(fake)
  const made = activeResource({ type: 's3', resourceId: 'shared.a' })
  const { name } = made.metadata
  const put = (uid: string, generation: number, status?: ActiveResource['status']) => {
    const metadata = { ...made.metadata, finalizers: [], uid, generation }
    fake.put(ActiveResource, { ...made, metadata, status })
  }
  const now = () => fake.store.get(ActiveResource, namespace, name)
  let reconciles = 0
  put('first', 1)
  const controller = {
    kind: ActiveResource,
    async reconcile(): Promise<object> {
      reconciles += 1
      const thrown = error()
      if (thrown) throw thrown
      return {}
    },
  }
  const loop = startController(cluster, controller, {
    log: silentLog,
    isActive: () => true,
    backoffMs: { first: 20, most: 20 },
    graceMs,
  })
  /** The status of the current object and spec. */
  async function status() {
    for (let i = 0; i < 400; i += 1) {
      const current = now()
      if (current && isObserved(current)) return current
      await setTimeout(5)
    }
    throw new Error('no status')
  }
  return { fake, put, now, status, reconciles: () => reconciles, stop: () => loop.stop() }
}

const failure = () => new ReconcileError('ProvisionFailed', 'not today')
const misfit = () => new Mismatch('InvalidInputs', 'it does not fit')
const attemptsOf = (resource: ActiveResource) => resource.status?.attempts
const isStalled = (resource: ActiveResource) => conditionOf(resource, 'Stalled')?.status === 'True'

test.each([
  ['failures', failure],
  ['a settle time', misfit],
])('%s of a deleted object is not that of a later one of its name', async (_, error) => {
  const { fake, put, now, status, stop } = failing(error)
  const former = await eventually('a failure that lasts', 5000, async () => {
    const current = now()
    const isLasting = current && (isStalled(current) || Number(attemptsOf(current)) > 5)
    return isLasting ? current : undefined
  })
  fake.drop(ActiveResource, namespace, former.metadata.name)
  await setTimeout(10)
  put('second', 1)
  const later = await status()
  await stop()
  expect([attemptsOf(later) ?? 1, isStalled(later)]).toEqual([1, false])
})

test('failures of an earlier spec are not those of a later one', async () => {
  const { put, now, status, stop } = failing(failure)
  await setTimeout(300)
  const former = now()
  expect(Number(former && attemptsOf(former))).toBeGreaterThan(5)
  put('first', 2, former?.status)
  const later = await status()
  await stop()
  expect(attemptsOf(later)).toBe(1)
})

describe('conflicts', () => {
  const conflict = () => new ApiError(409, 'Conflict', 'Precondition failed: UID')
  const readyOf = (resource: ActiveResource | undefined) => resource && conditionOf(resource, 'Ready')

  test('that do not end are what the object waits for, with growing pauses', async () => {
    const { now, reconciles, stop } = failing(conflict)
    const condition = await eventually('a status', 10_000, async () => readyOf(now()))
    expect(condition).toMatchObject({ status: 'Unknown', reason: 'Failed', message: conflict().message })
    const before = reconciles()
    await setTimeout(1500)
    await stop()
    expect(reconciles() - before).toBeLessThanOrEqual(2)
  })

  test('of a few writers at the same time are not shown', async () => {
    let left = 4
    const { now, reconciles, stop } = failing(() => (left-- > 0 ? conflict() : undefined))
    const condition = await eventually('a status', 10_000, async () => readyOf(now()))
    await stop()
    expect([condition.status, reconciles()]).toEqual(['True', 5])
  })
})
