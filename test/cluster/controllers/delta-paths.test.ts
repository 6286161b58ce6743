import { expect, test } from '@jest/globals'
import { makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()

test('a path of more than 64 steps is refused over REST, and ends a deployment through kubectl with the problem', async () => {
  const organization = await makeTestOrganization(cluster, 'path')
  await organization.application('shop')
  await organization.environment('shop', 'dev')
  const shared = [{ op: 'add', path: '/a'.repeat(1000), value: {} }]
  expect((await organization.rest('POST', '/apps/shop/deltas', { shared })).status).toBe(400)

  await organization.apply('deploymentdeltas', 'DeploymentDelta', 'long', { applicationName: 'shop', shared })
  await organization.apply('environmentdeployments', 'EnvironmentDeployment', 'shop.dev.1', {
    environmentName: 'shop.dev',
    deltaName: 'long',
  })
  const { status } = await organization.ended('shop.dev.1')
  expect(status?.problems).toMatchObject([{ reason: 'IncompatibleDelta' }])
  await organization.untilRest('/apps/shop/deltas/long')
  expect((await organization.rest('PATCH', '/apps/shop/deltas/long', [{ shared: [] }])).status).toBe(400)
  const corrected = { shared: [{ op: 'add', path: '/a', value: { type: 's3' } }] }
  expect((await organization.rest('PUT', '/apps/shop/deltas/long', corrected)).status).toBe(204)
})
