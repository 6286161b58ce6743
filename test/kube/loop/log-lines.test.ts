import { expect, test } from '@jest/globals'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { activeResourceController } from '../../../operator/controllers/active-resource/active-resource.ts'
import { ReconcileError } from '../../../operator/domain/base/errors.ts'
import { startController } from '../../../operator/kube/loop/controller-loop.ts'
import { silentLog } from '../../../operator/log.ts'
import { createFakeCluster } from '../../api-gateway/support/fake-cluster.ts'
import { createWorld } from '../../controllers/support/world.ts'
import { activeResource } from '../../support/builders.ts'

test('a failure of a resource is logged with its descriptor', async () => {
  const cluster = createFakeCluster()
  cluster.addOrganization('acme')
  cluster.put(ActiveResource, activeResource({ type: 's3', class: 'large', resourceId: 'shared.a' }))
  const lines: object[] = []
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
  const line = await eventually('the log line', 5000, async () => lines[0])
  expect(line).toMatchObject({ message: 'reconcile failed', object: 's3.large#shared.a', cause: 'not today' })
  await loop.stop()
})
