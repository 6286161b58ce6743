import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { ReconcileError } from '../../../operator/domain/base/errors.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { storedObject } from '../../support/builders.ts'
import { keepingStatus } from '../support/kept-status.ts'

const startTime = '2026-02-01T00:00:00Z'
const setName = 'shop.set'

/** Reconciles a deployment twice; `first` is what happens while the first one works. */
async function reconcileTwice(first: (fake: ReturnType<typeof createFakeCluster>) => void) {
  const fake = createFakeCluster()
  fake.addOrganization('acme')
  const cluster = keepingStatus(fake)
  const name = 'shop.dev.one'
  fake.put(
    EnvironmentDeployment,
    storedObject(EnvironmentDeployment, { name }, { environmentName: 'shop.dev' }),
  )
  const begunWith: (string | undefined)[] = []
  const loop = startController(
    cluster,
    {
      kind: EnvironmentDeployment,
      async reconcile({ status }, { report }) {
        begunWith.push(status?.startTime)
        if (begunWith.length > 1) return { startTime: status?.startTime, setName: status?.setName }
        await report({ plan: undefined }, 'first')
        await report({ setName: 'shop.other' }, 'second')
        first(fake)
        throw new ReconcileError('Failed', 'made from the earlier status', {})
      },
    },
    { log: silentLog, isActive: () => true, backoffMs: { first: 20, most: 20 } },
  )
  await eventually('the second reconcile', 2000, async () => begunWith.length > 1 || undefined)
  await loop.queue.idle()
  await loop.stop()
  return { begunWith, status: fake.store.get(EnvironmentDeployment, 'acme', name)?.status }
}

test('a status that the watch brings during a reconcile, such as one whose answer was lost, is not replaced by an earlier one', async () => {
  const { begunWith, status } = await reconcileTwice((fake) =>
    fake.setStatus(EnvironmentDeployment, 'acme', 'shop.dev.one', { startTime, setName }),
  )
  expect(begunWith).toEqual([undefined, startTime])
  expect(status).toMatchObject({ startTime, setName })
})

test('a reconcile writes after what it has reported itself', async () => {
  const { status } = await reconcileTwice(() => {})
  expect(status?.setName).toBeUndefined()
})
