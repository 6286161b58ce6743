import { beforeAll, expect, test } from '@jest/globals'
import { eventually, makeTestOrganization, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'clones')
const envs = '/apps/shop/envs'

const send = organization.rest

/** Deploys a module of that name to an environment, over any earlier content; answers the id. */
async function deploy(environment: string, module?: string): Promise<string> {
  const add = { [module ?? '']: { profile: 'humanitec/default-module', spec: {} } }
  const delta = module && (await send('POST', '/apps/shop/deltas', { modules: { add } })).body.id
  const body = delta ? { delta_id: delta } : {}
  return eventually(`a deployment to '${environment}'`, 20_000, async () => {
    const { status, body: made } = await send('POST', `${envs}/${environment}/deploys`, body)
    if (status !== 201) return undefined
    await eventually('its end', 20_000, async () => {
      const { body: now } = await send('GET', `${envs}/${environment}/deploys/${made.id}`)
      return now.status === 'succeeded' || undefined
    })
    return made.id as string
  })
}

const addEnvironment = (id: string, from_deploy_id?: string) =>
  eventually(`environment '${id}'`, 20_000, async () => {
    const body = { id, name: id, type: 'development', ...(from_deploy_id ? { from_deploy_id } : {}) }
    return (await send('POST', envs, body)).status === 201 || undefined
  })

async function modulesIn(environment: string): Promise<string[]> {
  const { body: deployments } = await send('GET', `${envs}/${environment}/deploys`)
  const { body: set } = await send('GET', `/apps/shop/sets/${deployments[0].set_id}`)
  return Object.keys(set.modules).sort()
}

async function removeSource() {
  await send('DELETE', `${envs}/source`)
  await eventually('the end of the source', 30_000, async () =>
    (await send('GET', `${envs}/source`)).status === 404 ? true : undefined,
  )
}

beforeAll(async () => {
  await organization.application('shop')
  await eventually('the application', 20_000, async () =>
    (await send('GET', '/apps/shop')).status === 200 ? true : undefined,
  )
  await addEnvironment('source')
})

test('an environment keeps its start content when its source is deleted, and when another environment gets that id', async () => {
  const start = await deploy('source', 'api')
  await addEnvironment('clone', start)
  await removeSource()
  expect((await send('GET', `${envs}/clone`)).body.from_deploy).toMatchObject({
    id: start,
    env_id: 'source',
    status: 'succeeded',
  })

  await addEnvironment('source')
  expect(await deploy('source', 'other')).toBe(start)
  expect(await modulesIn('source')).toEqual(['other'])

  await deploy('clone', 'web')
  expect(await modulesIn('clone')).toEqual(['api', 'web'])
})

test('a deployed environment still names its start deployment', async () => {
  await removeSource()
  await deploy('clone')
  expect((await send('GET', `${envs}/clone`)).body.from_deploy).toMatchObject({ env_id: 'source' })
  expect(await modulesIn('clone')).toEqual(['api', 'web'])
})

test('a deployment by kubectl continues when its base deployment arrives after the base set', async () => {
  await organization.environment('shop', 'late')
  await organization.environment('shop', 'early')
  const web = { profile: 'humanitec/default-module', spec: {} }
  const set = { applicationName: 'shop', modules: { api: web }, shared: {} }
  await organization.apply('deploymentsets', 'DeploymentSet', 'shop.there', set)
  const change = { applicationName: 'shop', modules: { add: { web } } }
  await organization.apply('deploymentdeltas', 'DeploymentDelta', 'add-web', change)
  const deploying = (name: string, spec: object) =>
    organization.apply('environmentdeployments', 'EnvironmentDeployment', name, spec)
  await deploying('shop.early.1', {
    environmentName: 'shop.early',
    deltaName: 'add-web',
    fromDeploymentName: 'shop.late.1',
  })
  await eventually('its wait', 20_000, async () => {
    const waiting = await organization.get('environmentdeployments', 'shop.early.1')
    return readyOf(waiting).reason === 'BaseNotFound' || undefined
  })
  await deploying('shop.late.1', { environmentName: 'shop.late', setName: 'shop.there' })
  expect(readyOf(await organization.ended('shop.early.1')).reason).toBe('Reconciled')
  expect(await modulesIn('early')).toEqual(['api', 'web'])
})
