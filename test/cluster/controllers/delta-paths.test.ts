import { expect, test } from '@jest/globals'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { eventually, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()

test('a path of more than 64 steps is refused over REST, and is the problem of a deployment through kubectl until it is corrected', async () => {
  const organization = await makeTestOrganization(cluster, 'path')
  await organization.application('shop')
  await organization.environment('shop', 'dev')
  const shared = [{ op: 'add', path: '/a'.repeat(1000), value: {} }]
  expect((await organization.rest('POST', '/apps/shop/deltas', { shared })).status).toBe(400)

  const untilProblem = (reason: string) =>
    eventually(`the problem ${reason}`, 20_000, async () => {
      const deployment = await organization.get<EnvironmentDeployment>('environmentdeployments', 'shop.dev.1')
      return deployment?.status?.problems?.[0]?.reason === reason || undefined
    })
  await organization.apply('deploymentdeltas', 'DeploymentDelta', 'long', { applicationName: 'shop', shared })
  await organization.apply('environmentdeployments', 'EnvironmentDeployment', 'shop.dev.1', {
    environmentName: 'shop.dev',
    deltaName: 'long',
  })
  await untilProblem('IncompatibleDelta')
  await organization.untilRest('/apps/shop/deltas/long')
  expect((await organization.rest('PATCH', '/apps/shop/deltas/long', [{ shared: [] }])).status).toBe(400)
  const corrected = { shared: [{ op: 'add', path: '/a', value: { type: 's3' } }] }
  expect((await organization.rest('PUT', '/apps/shop/deltas/long', corrected)).status).toBe(204)
  await untilProblem('NoMatchingDefinition')
})
