import { beforeEach, describe, expect, test } from '@jest/globals'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { addEnvironment, finish, ready } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

let setId: string
let deltaId: string

const app = '/orgs/acme/apps/shop'
const env = `${app}/envs/development`
const web = { profile: 'humanitec/default-module', spec: {} }

const gateway = await setUpGateway(async () => {
  addEnvironment(gateway)
  addEnvironment(gateway, 'old')
  deltaId = (await gateway.send(`POST ${app}/deltas`, { body: { modules: { add: { web } } } })).body.id
  setId = (await gateway.send(`POST ${env}/deploys`, { body: { delta_id: deltaId } })).body.set_id
  finish(gateway, 'shop.development.1')
  await gateway.send(`POST ${app}/envs/old/deploys`, { body: {} })
  finish(gateway, 'shop.old.1')
  const from = await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.old.1' })
  expect(from.status).toBe(204)
  gateway.cluster.drop(EnvironmentDeployment, 'acme', 'shop.old.1')
})

/** An environment whose start deployment is deleted. */

test.each<[string, () => object, number]>([
  ['of a set needs no start', () => ({ set_id: setId }), 201],
  ['of a delta is refused', () => ({ delta_id: deltaId }), 400],
  ['without changes is refused', () => ({}), 400],
])('when the start deployment is deleted, one %s', async (_, body, status) => {
  expect((await gateway.send(`POST ${env}/deploys?dry_run=true`, { body: body() })).status).toBe(
    status === 201 ? 200 : status,
  )
  expect((await gateway.send(`POST ${env}/deploys`, { body: body() })).status).toBe(status)
})

test('a run of the pipeline of a set needs no start either', async () => {
  const body = { env_id: 'development', set_id: setId }
  expect((await gateway.send(`POST ${app}/pipeline-runs`, { body })).status).toBe(201)
})

test('a deployment of a set uses up the deleted start: the next one builds on that set', async () => {
  await gateway.send(`POST ${env}/deploys`, { body: { set_id: setId } })
  finish(gateway, 'shop.development.2')
  const { status, body } = await gateway.send(`POST ${env}/deploys`, { body: {} })
  expect([status, body.from_id]).toEqual([201, 'shop.development.2'])
})

test('the environment and the delta are read at the same time', async () => {
  await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
  const { cluster } = gateway
  const read = cluster.read
  const begun: string[] = []
  const bothBegun = Promise.withResolvers<void>()
  const reading: typeof read = async (...given) => {
    begun.push(given[0].kind)
    if (begun.length === 2) bothBegun.resolve()
    await bothBegun.promise
    return read(...given)
  }
  Object.assign(cluster, { read: reading })
  const { status } = await gateway.send(`POST ${env}/deploys`, { body: { delta_id: deltaId } })
  Object.assign(cluster, { read })
  // The last one looks whether the environment is still there.
  expect([status, begun]).toEqual([201, ['Environment', 'DeploymentDelta', 'Environment']])
}, 5000)

test('an environment names the set that the next delta changes', async () => {
  const baseOf = async (path: string) => (await gateway.send(`GET ${path}`)).body.base_set_id
  expect(await baseOf(env)).toBeUndefined()
  await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
  expect(await baseOf(env)).toBe(setId)
  const delta = { modules: { add: { other: web } } }
  const { body } = await gateway.send(`POST ${env}/deploys`, { body: { delta } })
  finish(gateway, 'shop.development.2')
  expect(await baseOf(env)).toBe(body.set_id)
  addEnvironment(gateway, 'new')
  const empty = await baseOf(`${app}/envs/new`)
  expect((await gateway.send(`GET ${app}/sets/${empty}`)).body).toMatchObject({ modules: {}, shared: {} })
})

test('the same start can be named again after a later deployment, and is used once each time', async () => {
  const bad = { delta: { modules: { add: { bad: web } } } }
  await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
  for (const number of [2, 4]) {
    await gateway.send(`POST ${env}/deploys`, { body: bad })
    finish(gateway, `shop.development.${number}`)
    await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
    expect((await gateway.send(`GET ${env}`)).body.base_set_id).toBe(setId)
    const back = await gateway.send(`POST ${env}/deploys`, { body: {} })
    expect([back.body.set_id, back.body.from_id]).toEqual([setId, 'shop.development.1'])
    finish(gateway, `shop.development.${number + 1}`)
  }
  const next = await gateway.send(`POST ${env}/deploys`, { body: bad })
  expect(next.body.from_id).toBe('shop.development.5')
})

test('a start that Git restores is not used again, in place of one that was named over REST', async () => {
  await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
  for (const number of [2, 3]) {
    await gateway.send(`POST ${env}/deploys`, { body: {} })
    finish(gateway, `shop.development.${number}`)
  }
  await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.2' })
  const target = gateway.cluster.store.get(Environment, 'acme', 'shop.development') as Environment // put above
  await gateway.cluster.patch(Environment, target, { spec: { fromDeploymentName: 'shop.development.1' } })
  expect((await gateway.send(`POST ${env}/deploys`, { body: {} })).body.from_id).toBe('shop.development.3')
})

test.each<[what: string, isBuiltOnBase: true | undefined, body: () => object]>([
  ['a delta', true, () => ({ delta_id: deltaId })],
  ['a delta in its body', true, () => ({ delta: {} })],
  ['the deployed set again', true, () => ({})],
  ['a set', undefined, () => ({ set_id: setId })],
])(
  'whether a deployment of %s fails if its base changes before its turn: %s',
  async (_, isBuiltOnBase, body) => {
    await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
    const { body: deployment } = await gateway.send(`POST ${env}/deploys`, { body: body() })
    const made = gateway.cluster.store.get(EnvironmentDeployment, 'acme', deployment.id)
    expect(made?.spec.failIfBaseChanged).toBe(isBuiltOnBase)
  },
)

describe('a deployment with the base of its plan', () => {
  const add = (name: string) => ({ delta: { modules: { add: { [name]: web } } } })
  const deployTo = (query: string, body: object) => gateway.send(`POST ${env}/deploys${query}`, { body })
  beforeEach(() => gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' }))

  test.each<[what: string, body: () => object]>([
    ['a delta', () => add('api')],
    ['a set', () => ({ set_id: setId })],
    ['the deployed set again', () => ({})],
  ])('of %s is made if the base is the same, and fails if it changes before its turn', async (_, body) => {
    const { base_set_id } = (await deployTo('?dry_run=true', body())).body
    expect(base_set_id).toBe((await gateway.send(`GET ${env}`)).body.base_set_id)
    const deployed = await deployTo('', { ...body(), base_set_id })
    expect(deployed.status).toBe(201)
    const made = gateway.cluster.store.get(EnvironmentDeployment, 'acme', deployed.body.id)
    expect(made?.spec.failIfBaseChanged).toBe(true)
  })

  test.each(['', '?dry_run=true'])('is refused if another set is deployed since%s', async (query) => {
    const { base_set_id } = (await deployTo('?dry_run=true', add('api'))).body
    const { body: other } = await deployTo('', add('other'))
    finish(gateway, 'shop.development.2')
    const { status, body } = await deployTo(query, { ...add('api'), base_set_id })
    expect([status, body.error, body.details]).toEqual([409, 'Conflict', { base_set_id: other.set_id }])
    expect(gateway.cluster.store.get(EnvironmentDeployment, 'acme', 'shop.development.3')).toBeUndefined()
  })
})

test('another start can be named in its place', async () => {
  await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
  expect((await gateway.send(`POST ${env}/deploys`, { body: { delta_id: deltaId } })).status).toBe(201)
})

describe('an environment that remembers its start', () => {
  beforeEach(async () => {
    await gateway.send(`PUT ${env}/from_deploy_id`, { body: 'shop.development.1' })
    const start = {
      deploymentName: 'shop.old.1',
      deploymentUid: 'the-one-that-is-gone',
      environmentName: 'shop.old',
      setName: `shop.${setId}`,
      state: 'succeeded',
      comment: 'the first',
      creationTime: '2026-02-01T00:00:00Z',
      changeTime: '2026-02-01T00:01:00Z',
    }
    const { spec } = gateway.cluster.store.get(Environment, 'acme', 'shop.development') as Environment // put above
    const metadata = { namespace: 'acme', name: 'shop.development' }
    const from = { ...spec, fromDeploymentName: 'shop.old.1' }
    gateway.cluster.put(Environment, newObject(Environment, metadata, from))
    gateway.cluster.setStatus(Environment, 'acme', 'shop.development', { start })
  })

  test.each([
    ['deleted', () => Promise.resolve()],
    [
      'another one by now',
      async () => void (await gateway.send(`POST ${app}/envs/old/deploys`, { body: {} })),
    ],
  ])('shows it and builds on it when it is %s', async (_, change) => {
    await change()
    const { from_deploy } = (await gateway.send(`GET ${env}`)).body
    expect(from_deploy).toMatchObject({
      id: 'shop.old.1',
      env_id: 'old',
      set_id: setId,
      status: 'succeeded',
      comment: 'the first',
    })
    for (const body of [{}, { delta_id: deltaId }]) {
      expect((await gateway.send(`POST ${env}/deploys?dry_run=true`, { body })).status).toBe(200)
    }
    const { status, body } = await gateway.send(`POST ${env}/deploys`, { body: {} })
    expect([status, body.set_id, body.from_id]).toEqual([201, setId, 'shop.old.1'])
  })
})

describe('when the deployments of an environment are deleted', () => {
  beforeEach(() => gateway.cluster.drop(EnvironmentDeployment, 'acme', 'shop.old.1'))
  const old = `${app}/envs/old`

  test('the next one builds on the set that the environment remembers, and has a new number', async () => {
    await gateway.send(`POST ${old}/deploys`, { body: { set_id: setId } })
    finish(gateway, 'shop.old.2')
    gateway.cluster.drop(EnvironmentDeployment, 'acme', 'shop.old.2')
    const { status, body } = await gateway.send(`POST ${old}/deploys`, { body: {} })
    expect([status, body.id, body.set_id]).toEqual([201, 'shop.old.3', setId])
  })

  test('the last deployment is not found', async () => {
    expect((await gateway.send(`GET ${old}`)).body).not.toHaveProperty('last_deploy')
  })

  const repeated = {
    conditions: [...ready.conditions, { ...ready.conditions[0], type: 'AlreadyRan', reason: 'AlreadyRan' }],
  }
  test('one that repeats an earlier one is not the last', async () => {
    await gateway.send(`POST ${old}/deploys`, { body: {} })
    finish(gateway, 'shop.old.2')
    const spec = { environmentName: 'shop.old', deltaName: deltaId }
    const again = newObject(EnvironmentDeployment, { namespace: 'acme', name: 'release-1' }, spec)
    gateway.cluster.put(EnvironmentDeployment, again)
    gateway.cluster.setStatus(EnvironmentDeployment, 'acme', 'release-1', repeated)
    expect((await gateway.send(`GET ${old}`)).body.last_deploy.id).toBe('shop.old.2')
  })
})
