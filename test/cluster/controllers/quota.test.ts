import { beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { startOrganizationQuotas } from '../../../operator/controllers/organization/quota.ts'
import { stateOfDeployment } from '../../../operator/domain/deployment/deployment.ts'
import { openCluster } from '../../../operator/kube/cache/cluster.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { createClient } from '../../../operator/kube/client/client.ts'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { silentLog } from '../../../operator/log.ts'
import { conditionStatus, makeTestOrganization, readyOf } from '../support/client.ts'
import { changeQuota, createQuota } from '../support/quotas.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const { access } = cluster
const organization = await makeTestOrganization(cluster, 'quota')
const { id } = organization
const resources = 'count/activeresources.quartermaster.dev'
const webhooks = 'count/webhooks.quartermaster.dev'
const secrets = 'count/secrets'
const redis = (...names: string[]) => ({
  shared: names.map((name) => ({ op: 'add', path: `/${name}`, value: { type: 'redis' } })),
})

/** The id of a new delta. */
async function draft(content: object): Promise<string> {
  const { body } = await organization.rest('POST', '/apps/shop/deltas', content)
  return String(body.id ?? body)
}

async function deploy(deltaId: string, environment = 'dev'): Promise<EnvironmentDeployment> {
  const path = `/apps/shop/envs/${environment}/deploys`
  const { status, body } = await organization.rest('POST', path, { delta_id: deltaId })
  expect(status).toBe(201)
  const deployment = await organization.ended(String(body.id))
  const state = stateOfDeployment(deployment)
  await organization.untilRest(`${path}/${body.id}`, (found: { status: string }) => found.status === state)
  return deployment
}

beforeAll(async () => {
  await organization.application('shop')
  for (const name of ['dev', 'secret']) await organization.environment('shop', name)
  await organization.define('redis', { type: 'redis', driverType: 'quartermaster/echo', criteria: [{}] })
  await apiCall(access, 'POST', `/api/v1/namespaces/${id}/secrets`, {
    metadata: { name: 'password' },
    stringData: { key: 'canary' },
  })
  await organization.define('s3', {
    type: 's3',
    driverType: 'quartermaster/echo',
    driverInputs: { secretRefs: { password: { secret: 'password', key: 'key' } } },
    criteria: [{}],
  })
})

describe('a ResourceQuota of the namespace of an organization', () => {
  test('stops a deployment before it makes anything, in its dry run too, and lets it through when it is raised', async () => {
    await createQuota(access, id, 'team', { [resources]: 2 })
    const three = await draft(redis('a', 'b', 'c'))
    const said = `the quota 'team' of the namespace '${id}' allows 2 'activeresources.quartermaster.dev' (0 used, 3 more needed)`
    await eventually('the quota in the gateway', 30_000, async () => {
      const path = '/apps/shop/envs/dev/deploys?dry_run=true'
      const { body } = await organization.rest('POST', path, { delta_id: three })
      return body.problems.some(
        ({ reason, message }: { reason: string; message: string }) =>
          reason === 'QuotaExceeded' && message === said,
      )
        ? true
        : undefined
    })
    const failed = await deploy(three)
    expect([stateOfDeployment(failed), readyOf(failed)]).toMatchObject([
      'failed',
      { reason: 'QuotaExceeded', message: said },
    ])
    expect(await organization.allResources()).toEqual([])
    expect(stateOfDeployment(await deploy(await draft(redis('a', 'b'))))).toBe('succeeded')
    await changeQuota(access, id, 'team', { [resources]: 3 })
    expect(stateOfDeployment(await deploy(await draft(redis('c'))))).toBe('succeeded')
  })

  test('answers a request that would create too many objects with 400 and the numbers', async () => {
    await createQuota(access, id, 'hooks', { [webhooks]: 1 })
    const create = (name: string) =>
      organization.rest('POST', '/apps/shop/webhooks', { id: name, url: 'hooks.example.com' })
    expect((await create('one')).status).toBe(201)
    const { status, body } = await create('two')
    expect([status, body]).toMatchObject([
      400,
      {
        error: 'QuotaExceeded',
        details: { quotas: [{ quota: 'hooks', kind: 'webhooks.quartermaster.dev', used: 1, limit: 1 }] },
      },
    ])
    expect((await organization.list('webhooks')).length).toBe(1)
  })

  test('that refuses an object of a resource is its condition, until the quota has room', async () => {
    const used = Number((await createQuota(access, id, 'secrets', { [secrets]: 1 }))[secrets])
    await changeQuota(access, id, 'secrets', { [secrets]: used })
    await changeQuota(access, id, 'team', { [resources]: 9 })
    const delta = await draft({ shared: [{ op: 'add', path: '/files', value: { type: 's3' } }] })
    const { body } = await organization.rest('POST', '/apps/shop/envs/secret/deploys', { delta_id: delta })
    const find = async () =>
      (await organization.resources()).find(({ spec }: ActiveResource) => spec.type === 's3')
    const refused = await eventually('the condition', 30_000, async () => {
      const found = await find()
      return found && readyOf(found).reason === 'QuotaExceeded' ? found : undefined
    })
    expect(readyOf(refused).message).toContain(`allows ${used} 'secrets' (${used} used, 1 more needed)`)
    expect(conditionStatus(refused, 'Stalled')).toBeUndefined()
    await changeQuota(access, id, 'secrets', { [secrets]: used + 1 })
    await eventually('the resource', 30_000, async () =>
      conditionStatus(await find(), 'Ready') === 'True' ? true : undefined,
    )
    await organization.ended(String(body.id))
  })
})

test('the default quota is created in an organization, and the cluster enforces it', async () => {
  const other = await makeTestOrganization(cluster, 'quota-default')
  const counts = await createQuota(access, id, 'known', { [webhooks]: 9 })
  expect(counts).toHaveProperty([webhooks])
  const client = createClient(await loadConnection({ kubeconfig: cluster.operatorKubeconfig }))
  const shared = openCluster({ client, log: silentLog, kinds: kindsInStore })
  await shared.ready
  const { store } = shared
  // The organizations of other test files keep theirs.
  const isOrganization = (namespace: string) => namespace === other.id
  const task = startOrganizationQuotas(
    { ...shared, store: Object.assign(Object.create(store), { isOrganization }) },
    {
      limits: { [webhooks]: 0, [resources]: 5 },
      log: silentLog,
      isActive: () => true,
      graceMs: 0,
      startMs: 0,
    },
  )
  try {
    await eventually('the quota', 60_000, async () => {
      const [found] = store.quotas.inNamespace(other.id)
      return found?.metadata.name === 'quartermaster' && found.status?.used?.[webhooks] === '0'
        ? true
        : undefined
    })
    await other.application('shop')
    const hook = { id: 'one', url: 'hooks.example.com' }
    expect(await other.rest('POST', '/apps/shop/webhooks', hook)).toMatchObject({
      status: 400,
      body: { error: 'QuotaExceeded', details: { quotas: [{ quota: 'quartermaster', used: 0, limit: 0 }] } },
    })
  } finally {
    await task.stop()
    await shared.close()
  }
})
