import { describe, expect, test } from '@jest/globals'
import { AccessToken } from '../../../../operator/api/access.ts'
import { Application } from '../../../../operator/api/application.ts'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentType } from '../../../../operator/api/environment-type.ts'
import type { Kind, ObjectOf } from '../../../../operator/api/kind.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceClass } from '../../../../operator/api/resource-class.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import { ResourceDriver } from '../../../../operator/api/resource-driver.ts'
import { ResourceType } from '../../../../operator/api/resource-type.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { Webhook } from '../../../../operator/api/webhook.ts'
import { versionOf } from '../../../../operator/kube/cache/cache.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

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

/**
 * Does something to the newest object of a kind that the gateway hears nothing of until it asks the cluster itself;
 * answers what lets it know all again.
 */
async function behindItsBack(kind: Kind, work: (namespace: string, name: string) => unknown) {
  const newestFirst = Array.from(gateway.cluster.store.cacheOf(kind).all()).sort((left, right) =>
    versionOf(left) < versionOf(right) ? 1 : -1,
  )
  const [known] = newestFirst
  if (!known) throw new Error(`no object of kind '${kind.kind}'`)
  await work(known.metadata.namespace, known.metadata.name)
  return showStale(kind, known.metadata.name, [known])
}

/** Shows these objects in place of those of a name, until the gateway reads their kind; answers what ends it. */
function showStale(kind: Kind, name: string, known: ObjectOf<Kind>[]) {
  const { cluster } = gateway
  const { store, read } = cluster
  const { get, byIndex, list } = store
  const restore = () => {
    Object.assign(store, { get, byIndex, list })
    Object.assign(cluster, { read })
  }
  const outdated = (objects: readonly ObjectOf<Kind>[]) =>
    objects.filter(({ metadata }) => metadata.name !== name).concat(known)
  Object.assign(store, {
    get: (asked: Kind, ...of: [namespace: string, name: string]) =>
      asked === kind && of[1] === name ? known[0] : get(asked, ...of),
    byIndex: (asked: Kind, ...of: [index: string, value: string]) =>
      asked === kind ? outdated(byIndex(asked, ...of)) : byIndex(asked, ...of),
    list: (asked: Kind, namespace: string) =>
      asked === kind ? outdated(list(asked, namespace)) : list(asked, namespace),
  })
  const reading: typeof read = (...given) => {
    if (given[0].kind === kind.kind) restore()
    return read(...given)
  }
  Object.assign(cluster, { read: reading })
  return restore
}

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
    await behindItsBack(kind, () => rename('two'))
    expect(await rename('one')).toMatchObject({ status: 200, body: { name: 'one' } })
    expect((await gateway.send(`GET ${path}`)).body.name).toBe('one')
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
    const restore = await behindItsBack(kind, (...of) => {
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
    await behindItsBack(ResourceDefinition, (...of) => drop(ResourceDefinition, ...of))
    expect((await gateway.send(operation, { body })).status).toBe(200)
  })
})

describe('a deployment has the delta', () => {
  const shared = (id: string) => ({ shared: [{ op: 'add', path: `/${id}`, value: { type: 's3' } }] })
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
    await behindItsBack(DeploymentDelta, () => gateway.send(path, { body: [shared('b')] }))
    expect(await deployed(id)).toEqual(['a', 'b'])
  })

  test('that another gateway created a moment ago', async () => {
    const { id } = (await gateway.send(`POST ${app}/deltas`, { body: shared('a') })).body
    const restore = showStale(DeploymentDelta, id, [])
    expect(await deployed(id)).toEqual(['a'])
    restore()
  })

  test.each(['.', 'a/b', 'a%b', 'no', '\u0000', '\ud800'])('unless nothing is named %j', async (delta_id) => {
    const body = { delta_id }
    expect((await gateway.send(`POST ${app}/envs/development/deploys`, { body })).status).toBe(400)
  })
})

test('an id that is free costs no question to the cluster', async () => {
  const { read } = gateway.cluster
  let asked = 0
  const counting: typeof read = (...given) => {
    asked += 1
    return read(...given)
  }
  Object.assign(gateway.cluster, { read: counting })
  await gateway.send(`POST ${org}/apps`, { body: { id: 'web', name: 'Web' } })
  await gateway.send(`POST ${org}/resources/defs`, { body: definition('dns', { criteria: [{}] }) })
  Object.assign(gateway.cluster, { read })
  expect([asked, gateway.cluster.store.get(Application, 'acme', 'web') !== undefined]).toEqual([0, true])
})
