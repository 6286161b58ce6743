import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import { ReconcileError } from '../../../operator/domain/base/errors.ts'
import { NoAnswer } from '../../../operator/kube/client/api-error.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster, type FakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { createWorld } from '../../controllers/support/world.ts'
import { activeResource } from '../../support/builders.ts'

/** Lets a reconcile of a resource fail; returns the warning with this message. */
async function warningOf(message: string, prepare: (cluster: FakeCluster) => void = () => {}) {
  const cluster = createFakeCluster()
  prepare(cluster)
  cluster.addOrganization('acme')
  cluster.put(ActiveResource, activeResource({ type: 's3', class: 'large', resourceId: 'shared.a' }))
  const lines: { readonly message: string }[] = []
  const loop = startController(
    cluster,
    {
      ...activeResourceController(createWorld([]).tools),
      reconcile: async () => {
        throw new ReconcileError('ProvisionFailed', 'not today')
      },
    },
    {
      log: { ...silentLog, warn: (message, fields) => lines.push({ message, ...fields }) },
      isActive: () => true,
    },
  )
  const line = await eventually('the log line', 5000, async () =>
    lines.find((each) => each.message === message),
  )
  await loop.stop()
  return line
}

test('a failure of a resource is logged with its descriptor', async () => {
  const line = await warningOf('reconcile failed')
  expect(line).toMatchObject({ object: 's3.large#shared.a', cause: 'not today' })
})

test('a failure to write the status of a resource is logged with its descriptor', async () => {
  const line = await warningOf('could not write status', (cluster) => {
    cluster.replaceStatus = () => Promise.reject(new NoAnswer('reset'))
  })
  expect(line).toMatchObject({ object: 's3.large#shared.a' })
})
