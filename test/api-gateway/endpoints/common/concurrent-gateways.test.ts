import { describe, expect, test } from '@jest/globals'
import { AccessToken, Membership } from '../../../../operator/api/access.ts'
import { Application } from '../../../../operator/api/application.ts'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../../../operator/api/environment-type.ts'
import { type Kind, newObject } from '../../../../operator/api/kind.ts'
import { Registry } from '../../../../operator/api/registry.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceClass } from '../../../../operator/api/resource-class.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../../../operator/api/resource-driver.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { Workload } from '../../../../operator/api/workload.ts'
import { emptySetId } from '../../../../operator/domain/delta/delta.ts'
import { addEnvironment, finish } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { behindItsBack, showStale } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  gateway.addUser('service', { type: 'service', organizationName: 'acme' })
})

const org = '/orgs/acme'
const app = `${org}/apps/shop`
const echo = 'quartermaster/echo'
const definition = (id: string, more: object = {}) => ({
  id,
  name: 'n',
  type: 'dns',
  driver_type: echo,
  ...more,
})
const driver = {
  id: 'own',
  type: 'redis',
  target: 'https://driver.example.com',
  account_types: [],
  inputs_schema: {},
}
const webhook = { id: 'hook', url: 'h.example.com', headers: {}, payload: {}, triggers: [] }
const secret = { value: 'v', description: 'd', is_secret: true }

describe('a change that another gateway undid a moment ago is made again:', () => {
  test.each<[string, Kind, string, unknown, string]>([
    ['of a definition', ResourceDefinition, `${org}/resources/defs`, definition('own'), 'own'],
    ['of a type', ResourceType, `${org}/resources/types`, { type: 'acme/own', use: 'direct' }, 'acme%2Fown'],
    [
      'of an account',
      ResourceAccount,
      `${org}/resources/accounts`,
      { id: 'own', name: 'n', type: 'local', credentials: {} },
      'own',
    ],
  ])('%s', async (_, kind, folder, body, id) => {
    await gateway.send(`POST ${folder}`, { body })
    const path = `${folder}/${id}`
    const rename = (name: string) => gateway.send(`PATCH ${path}`, { body: { name } })
    expect((await rename('one')).status).toBe(200)
    await behindItsBack(gateway, kind, () => rename('two'))
    expect(await rename('one')).toMatchObject({ status: 200, body: { name: 'one' } })
    expect((await gateway.send(`GET ${path}`)).body.name).toBe('one')
  })
})

describe('a change that another gateway allowed a moment ago is made:', () => {
  const send = async (operation: string, body?: unknown) =>
    (await gateway.send(operation, body === undefined ? {} : { body })).status
  const role = { role: 'viewer' }

  test('of a delta that is no longer archived', async () => {
    const { id } = (await gateway.send(`POST ${app}/deltas`, { body: {} })).body
    const archived = `PUT ${app}/deltas/${id}/metadata/archived`
    await send(archived, true)
    expect(await send(`PATCH ${app}/deltas/${id}`, [])).toBe(400)
    await behindItsBack(gateway, DeploymentDelta, () => send(archived, false))
    expect(await send(`PATCH ${app}/deltas/${id}`, [])).toBe(200)
  })

  test('of a type whose class was deleted', async () => {
    await send(`POST ${org}/resources/types`, { type: 'acme/own', use: 'direct' })
    const classes = `${org}/resources/types/acme%2Fown/classes`
    const post = () => send(`POST ${classes}`, { id: 'fast', description: 'd' })
    await post()
    expect(await post()).toBe(409)
    await behindItsBack(gateway, ResourceType, () => send(`DELETE ${classes}/fast`))
    expect(await post()).toBe(200)
  })

  test('of a user whose role was removed', async () => {
    gateway.addUser('ana')
    gateway.addMember('acme', 'ana', { role: 'member' })
    const post = () => send(`POST ${app}/users`, { id: 'ana', ...role })
    await post()
    expect(await post()).toBe(409)
    await behindItsBack(gateway, Membership, () => send(`DELETE ${app}/users/ana`))
    expect(await post()).toBe(200)
  })

  test('to plain text of a value that is no longer secret', async () => {
    await send(`POST ${app}/values`, { ...secret, key: 'KEY' })
    const toPlain = (more: object = {}) =>
      send(`PUT ${app}/values/KEY`, { description: 'd', is_secret: false, ...more })
    expect(await toPlain()).toBe(400)
    await behindItsBack(gateway, SharedValue, () => toPlain({ value: 'v' }))
    expect(await toPlain()).toBe(200)
  })

  test('of the credentials of a registry whose type was changed', async () => {
    await send(`POST ${org}/registries`, { id: 'own', registry: 'r.example.com', type: 'public' })
    const patch = (body: object) => send(`PATCH ${org}/registries/own`, body)
    const creds = { username: 'a', password: 'b' }
    expect(await patch({ creds })).toBe(400)
    const [old] = gateway.cluster.store.list(Registry, 'acme')
    await patch({ type: 'basic', creds })
    const restore = showStale(gateway, Registry, 'own', old ? [old] : [])
    const status = await patch({ creds })
    restore()
    expect(status).toBe(200)
  })
})

describe('an id that another gateway freed a moment ago is free, one that is taken is not:', () => {
  test.each<[string, unknown, Kind]>([
    [`${org}/apps`, { id: 'web', name: 'Web' }, Application],
    [`${app}/envs`, { id: 'other', name: 'n', type: 'development' }, Environment],
    [`${org}/env-types`, { id: 'staging' }, EnvironmentType],
    [`${org}/resources/accounts`, { id: 'cf', name: 'n', type: 'local', credentials: {} }, ResourceAccount],
    [`${org}/resources/defs`, definition('dns'), ResourceDefinition],
    [`${org}/resources/drivers`, driver, ResourceDriver],
    [`${org}/resources/types`, { type: 'acme/own', use: 'direct' }, ResourceType],
    [`${org}/resources/types/dns/classes`, { id: 'fast', description: 'd' }, ResourceClass],
    [`${app}/webhooks`, webhook, Webhook],
    [`${app}/values`, { ...secret, key: 'KEY' }, SharedValue],
    ['/users/service/tokens', { id: 'ci' }, AccessToken],
  ])('POST %s', async (path, body, kind) => {
    const post = async () => (await gateway.send(`POST ${path}`, { body })).status
    const first = await post()
    expect([200, 201]).toContain(first)
    expect(await post()).toBe(409)
    const { drop } = gateway.cluster
    const restore = await behindItsBack(gateway, kind, (...of) => {
      drop(kind, ...of)
      drop(Environment, 'acme', 'web.development') // an application has one
    })
    const again = await post()
    restore()
    expect([again, await post()]).toEqual([first, 409])
  })

  test.each<[string, string, unknown]>([
    ['of a new definition', `POST ${org}/resources/defs`, definition('other', { criteria: [{}] })],
    ['that is given', `POST ${org}/resources/defs/without/criteria`, {}],
    ['that is given in the place of all', `PUT ${org}/resources/defs/without/criteria`, [{}]],
  ])('a criterion %s', async (_, operation, body) => {
    await gateway.send(`POST ${org}/resources/defs`, { body: definition('without') })
    await gateway.send(`POST ${org}/resources/defs`, { body: definition('holder', { criteria: [{}] }) })
    expect((await gateway.send(operation, { body })).status).toBe(409)
    const { drop } = gateway.cluster
    await behindItsBack(gateway, ResourceDefinition, (...of) => drop(ResourceDefinition, ...of))
    expect((await gateway.send(operation, { body })).status).toBe(200)
  })
})

describe('a deployment that another gateway created a moment ago', () => {
  const deploy = async () => (await gateway.send(`POST ${app}/envs/development/deploys`, { body: {} })).status

  test('is unfinished: the next one is refused', async () => {
    expect(await deploy()).toBe(201)
    gateway.cluster.setStatus(Environment, 'acme', 'shop.development', { lastDeploymentNumber: 1 })
    const restore = showStale(gateway, EnvironmentDeployment, 'shop.development.1', [])
    const status = await deploy()
    restore()
    expect(status).toBe(409)
  })

  test('and that has ended since does not delay the next one', async () => {
    expect(await deploy()).toBe(201)
    gateway.cluster.setStatus(Environment, 'acme', 'shop.development', { lastDeploymentNumber: 1 })
    const restore = await behindItsBack(gateway, EnvironmentDeployment, (_, name) => finish(gateway, name))
    const status = await deploy()
    restore()
    expect(status).toBe(201)
  })

  test('and that is deleted does not delay the next one', async () => {
    expect(await deploy()).toBe(201)
    finish(gateway, 'shop.development.1')
    gateway.cluster.drop(EnvironmentDeployment, 'acme', 'shop.development.1')
    expect(await deploy()).toBe(201)
  })
})

const addWeb = { modules: { add: { web: { profile: 'humanitec/default-module', spec: {} } } } }
const shared = (id: string) => ({ shared: [{ op: 'add', path: `/${id}`, value: { type: 's3' } }] })

describe('an environment that another gateway created a moment ago is deployed to', () => {
  const pipelineRun = { trigger: 'deployment_request', set_id: emptySetId }
  test.each<[string, (env_id: string) => object]>([
    [`POST ${app}/envs/ENV/deploys`, () => ({})],
    [`POST ${app}/pipeline-runs`, (env_id) => ({ ...pipelineRun, env_id })],
  ])('%s', async (operation, bodyFor) => {
    const deploy = async (id: string) =>
      (await gateway.send(operation.replace('ENV', id), { body: bodyFor(id) })).status
    const restore = showStale(gateway, Environment, 'shop.development', [])
    const status = await deploy('development')
    restore()
    expect([status, await deploy('missing')]).toEqual([201, 404])
  })
})

describe('a deployment has the delta', () => {
  const deployed = async (delta_id: string) => {
    const { status, body } = await gateway.send(`POST ${app}/envs/development/deploys`, {
      body: { delta_id },
    })
    expect(status).toBe(201)
    return Object.keys((await gateway.send(`GET ${app}/sets/${body.set_id}`)).body.shared)
  }

  test('that another gateway changed a moment ago', async () => {
    const { id } = (await gateway.send(`POST ${app}/deltas`, { body: shared('a') })).body
    const path = `PATCH ${app}/deltas/${id}`
    await behindItsBack(gateway, DeploymentDelta, () => gateway.send(path, { body: [shared('b')] }))
    expect(await deployed(id)).toEqual(['a', 'b'])
  })

  test('that another gateway created a moment ago', async () => {
    const { id } = (await gateway.send(`POST ${app}/deltas`, { body: shared('a') })).body
    const restore = showStale(gateway, DeploymentDelta, id, [])
    expect(await deployed(id)).toEqual(['a'])
    restore()
  })

  test.each(['.', 'a/b', 'a%b', 'no', '\u0000', '\ud800'])('unless nothing is named %j', async (delta_id) => {
    const body = { delta_id }
    expect((await gateway.send(`POST ${app}/envs/development/deploys`, { body })).status).toBe(400)
  })
})

describe('a set that another gateway created a moment ago', () => {
  const deploys = `POST ${app}/envs/development/deploys`
  /** Sends a request to the gateway, whose cache lacks the set. */
  const sendWithout = async (set: string, operation: string, body: unknown) => {
    const restore = showStale(gateway, DeploymentSet, `shop.${set}`, [])
    const answer = await gateway.send(operation, { body })
    restore()
    return answer
  }
  const createSet = async () =>
    (await gateway.send(`POST ${app}/sets/${emptySetId}`, { body: shared('a') })).body

  test('is deployed', async () => {
    const set_id = await createSet()
    expect(await sendWithout(set_id, deploys, { set_id })).toMatchObject({ status: 201, body: { set_id } })
  })

  test('is changed to another one', async () => {
    const set = await createSet()
    const { status, body } = await sendWithout(set, `POST ${app}/sets/${set}`, shared('b'))
    expect(status).toBe(200)
    expect(Object.keys((await gateway.send(`GET ${app}/sets/${body}`)).body.shared)).toEqual(['a', 'b'])
  })

  test('is the base of the next deployment', async () => {
    const set = (await gateway.send(deploys, { body: { delta: shared('a') } })).body.set_id
    finish(gateway, 'shop.development.1')
    const { status, body } = await sendWithout(set, deploys, { delta: shared('b') })
    expect(status).toBe(201)
    const next = await gateway.send(`GET ${app}/sets/${body.set_id}`)
    expect(Object.keys(next.body.shared)).toEqual(['a', 'b'])
  })

  test('has the modules that no new Workload may take', async () => {
    const { set_id: deployed } = (await gateway.send(deploys, { body: { delta: addWeb } })).body
    finish(gateway, 'shop.development.1')
    const next = await gateway.send(`POST ${app}/sets/${deployed}`, { body: shared('a') })
    const spec = { applicationName: 'shop', environmentIds: ['development'], score: {} }
    gateway.cluster.put(Workload, newObject(Workload, { namespace: 'acme', name: 'shop.web' }, spec))
    expect(await sendWithout(deployed, deploys, { set_id: next.body })).toMatchObject({ status: 201 })
  })

  test.each(['.', 'a/b', 'no', '\ud800', 'a'.repeat(253)])('is not one named %j', async (set_id) => {
    expect((await gateway.send(deploys, { body: { set_id } })).status).toBe(400)
  })
})

/** The kinds of the objects that the gateway reads from the cluster during some work. */
async function readsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const { read } = gateway.cluster
  const kinds: string[] = []
  const counting: typeof read = (...given) => {
    kinds.push(given[0].kind)
    return read(...given)
  }
  Object.assign(gateway.cluster, { read: counting })
  await work()
  Object.assign(gateway.cluster, { read })
  return kinds
}

test('an id that is free costs no question to the cluster', async () => {
  const reads = await readsDuring(async () => {
    const body = { id: 'web', name: 'Web', skip_environment_creation: true }
    await gateway.send(`POST ${org}/apps`, { body })
    await gateway.send(`POST ${org}/resources/defs`, { body: definition('dns', { criteria: [{}] }) })
  })
  expect(reads).toEqual([])
  expect(gateway.cluster.store.get(Application, 'acme', 'web')).toBeDefined()
})

test('a deployment costs a read of its delta, and two of the environment, before it and after it', async () => {
  const { id } = (await gateway.send(`POST ${app}/deltas`, { body: shared('a') })).body
  for (const [index, body] of [{}, { delta_id: id }, {}].entries()) {
    const reads = await readsDuring(() => gateway.send(`POST ${app}/envs/development/deploys`, { body }))
    expect(reads).toEqual(['Environment', ...('delta_id' in body ? ['DeploymentDelta'] : []), 'Environment'])
    finish(gateway, `shop.development.${index + 1}`)
  }
})
