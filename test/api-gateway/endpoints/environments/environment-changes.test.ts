import { describe, expect, test } from '@jest/globals'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { addEnvironment, addResource, finish, ready, stalled } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { behindItsBack } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(addEnvironment)

const app = '/orgs/acme/apps/shop'
const environment = `${app}/envs/development`

describe('a change of', () => {
  test.each<[string, string, unknown, number, object?]>([
    ['the name of an application', app, { name: 'The shop' }, 200, { id: 'shop', name: 'The shop' }],
    ['an application without a name', app, {}, 422],
    ['an application by more than its name', app, { name: 'x', id: 'y' }, 200, { id: 'shop', name: 'x' }],
    ['an application that is not there', '/orgs/acme/apps/missing', { name: 'x' }, 404],
    ['the name of an environment', environment, { name: 'Dev' }, 200, { id: 'development', name: 'Dev' }],
    ['the type of an environment', environment, { name: 'Dev', type: 'production' }, 400],
    [
      'the type of an environment to the same type',
      environment,
      { type: 'development' },
      200,
      { type: 'development' },
    ],
    ['the type of an environment to null', environment, { type: null }, 200, { type: 'development' }],
    ['the type of an environment to a number', environment, { type: 1 }, 422],
    ['nothing of an environment', environment, {}, 200, { name: 'development' }],
    ['an environment that is not there', `${app}/envs/missing`, { name: 'x' }, 404],
    [
      'the description of an environment type',
      '/orgs/acme/env-types/development',
      { description: 'To try things' },
      200,
      { id: 'development', description: 'To try things' },
    ],
    [
      'an environment type by null',
      '/orgs/acme/env-types/development',
      { description: null },
      200,
      { id: 'development', description: '' },
    ],
    ['an environment type that is not there', '/orgs/acme/env-types/missing', {}, 404],
  ])('%s', async (_, path, body, status, expected = {}) => {
    const answer = await gateway.send(`PATCH ${path}`, { body })
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject(expected)
    if (status === 200) expect((await gateway.send(`GET ${path}`)).body).toEqual(answer.body)
  })
})

describe('the deployment that an environment builds on', () => {
  test('is of any environment of the application; the next deployment starts from it', async () => {
    addEnvironment(gateway, 'production')
    await gateway.send(`POST ${environment}/deploys`, { body: {} })
    finish(gateway, 'shop.development.1')
    const path = `${app}/envs/production`
    const { status, body } = await gateway.send(`PUT ${path}/from_deploy_id`, { body: 'shop.development.1' })
    expect([status, body]).toEqual([204, undefined])
    expect((await gateway.send(`GET ${path}`)).body.from_deploy.id).toBe('shop.development.1')
    const next = await gateway.send(`POST ${path}/deploys`, { body: { comment: 'clone' } })
    expect(next.body.from_id).toBe('shop.development.1')
  })

  test.each<[string, string, unknown, number]>([
    ['is not there', environment, 'shop.development.9', 400],
    ['is of another application', environment, 'other.development.1', 400],
    ['is given in an object', environment, { id: 'shop.development.1' }, 422],
    ['is of an environment that is not there', `${app}/envs/missing`, 'shop.development.1', 404],
  ])('%s', async (_, path, body, status) => {
    addEnvironment(gateway, 'development', 'development', 'other')
    await gateway.send('POST /orgs/acme/apps/other/envs/development/deploys', { body: {} })
    expect((await gateway.send(`PUT ${path}/from_deploy_id`, { body })).status).toBe(status)
    const { spec } = gateway.cluster.store.get(Environment, 'acme', 'shop.development') ?? {}
    expect(spec?.fromDeploymentName).toBeUndefined()
  })

  test.each<[string, unknown]>([
    [`POST ${app}/envs`, { id: 'copy', name: 'Copy', from_deploy_id: 'shop.development.1' }],
    [`PUT ${environment}/from_deploy_id`, 'shop.development.1'],
  ])('is not one that is gone, although the gateway does not know that yet: %s', async (operation, body) => {
    await gateway.send(`POST ${environment}/deploys`, { body: {} })
    const restore = await behindItsBack(gateway, EnvironmentDeployment, (namespace, each) =>
      gateway.cluster.drop(EnvironmentDeployment, namespace, each),
    )
    const answer = await gateway.send(operation, { body })
    const message = "deployment 'shop.development.1' does not exist"
    expect(answer).toMatchObject({ status: 400, body: { error: 'Invalid', message } })
    restore()
    expect((await gateway.send(`GET ${app}/envs/copy`)).status).toBe(404)
    expect((await gateway.send(`GET ${environment}`)).body.from_deploy).toBeUndefined()
  })
})

test('the deployment that an environment builds on may have been made again a moment ago', async () => {
  await gateway.send(`POST ${environment}/deploys`, { body: {} })
  const made = gateway.cluster.store.get(EnvironmentDeployment, 'acme', 'shop.development.1')
  if (!made) throw new Error('no deployment')
  const restore = await behindItsBack(gateway, EnvironmentDeployment, (namespace, each) => {
    gateway.cluster.drop(EnvironmentDeployment, namespace, each)
    gateway.cluster.put(EnvironmentDeployment, { ...made, metadata: { ...made.metadata, uid: 'later' } })
  })
  const body = { id: 'copy', name: 'Copy', from_deploy_id: 'shop.development.1' }
  expect((await gateway.send(`POST ${app}/envs`, { body })).status).toBe(201)
  restore()
})

describe('a deployment by kubectl that has only a delta', () => {
  const name = 'shop.development.by-kubectl'
  const set = { setName: 'shop.some' }
  const place = (status: object) => {
    const spec = { environmentName: 'shop.development', deltaName: 'draft' }
    gateway.cluster.put(
      EnvironmentDeployment,
      newObject(EnvironmentDeployment, { namespace: 'acme', name }, spec),
    )
    gateway.cluster.setStatus(EnvironmentDeployment, 'acme', name, status)
  }
  const start = async () => {
    const { status } = await gateway.send(`PUT ${environment}/from_deploy_id`, { body: name })
    const { spec } = gateway.cluster.store.get(Environment, 'acme', 'shop.development') ?? {}
    return [status, spec?.fromDeploymentName]
  }

  test.each<[string, object, unknown[]]>([
    ['is not built on while it waits', {}, [400, undefined]],
    ['is not built on when it failed without a set', stalled, [400, undefined]],
    ['is built on when it has a set', set, [204, name]],
  ])('%s', async (_, status, expected) => {
    place(status)
    expect(await start()).toEqual(expected)
    const created = { id: 'copy', name: 'Copy', from_deploy_id: name }
    const { status: answer } = await gateway.send('POST /orgs/acme/apps/shop/envs', { body: created })
    expect(answer).toBe(expected[0] === 204 ? 201 : 400)
  })

  test('is built on when the gateway does not know its set yet', async () => {
    place({})
    const restore = await behindItsBack(gateway, EnvironmentDeployment, (namespace, each) =>
      gateway.cluster.setStatus(EnvironmentDeployment, namespace, each, set),
    )
    expect(await start()).toEqual([204, name])
    restore()
  })
})

describe('an environment and its running deployment', () => {
  test('has a namespace and no modules', async () => {
    const { status, headers, body } = await gateway.send(`GET ${environment}/runtime`)
    expect([status, body]).toEqual([200, { namespace: 'acme--shop--development', modules: {} }])
    expect(headers.get('content-type')).toBe('application/json')
    expect((await gateway.send(`GET ${app}/envs/missing/runtime`)).status).toBe(404)
  })

  test('has the namespace that its resource names', async () => {
    const resource = { type: 'k8s-namespace', resourceId: 'k8s-namespace' }
    addResource(gateway, resource, { status: { ...ready, outputs: { namespace: 'shop-dev' } } })
    expect((await gateway.send(`GET ${environment}/runtime`)).body.namespace).toBe('shop-dev')
  })
})

describe('a delta', () => {
  const web = { profile: 'humanitec/default-module', spec: {} }
  const full = { metadata: { env_id: 'development', name: 'x' }, modules: { add: { web } } }
  const newDelta = async (): Promise<string> =>
    (await gateway.send(`POST ${app}/deltas`, { body: full })).body.id
  const show = async (id: string) => (await gateway.send(`GET ${app}/deltas/${id}`)).body

  test('is replaced as a whole; its name and environment stay unless given', async () => {
    const id = await newDelta()
    const shared = [{ op: 'add', path: '/main', value: { type: 'dns' } }]
    expect(await gateway.send(`PUT ${app}/deltas/${id}`, { body: { shared } })).toMatchObject({ status: 204 })
    expect(await show(id)).toMatchObject({
      metadata: { env_id: 'development', name: 'x' },
      modules: { add: {}, remove: [], update: {} },
      shared: [{ path: '/main' }],
    })
    await gateway.send(`PUT ${app}/deltas/${id}`, { body: { metadata: { name: 'y' } } })
    expect(await show(id)).toMatchObject({ metadata: { env_id: 'development', name: 'y' }, shared: [] })
  })

  test.each<[string, string, unknown, number, object]>([
    ['is put away', 'archived', true, 204, { archived: true }],
    ['is put away by a word', 'archived', 'true', 422, { archived: false }],
    ['is for another environment', 'env_id', 'production', 204, { env_id: 'production' }],
    ['has an invalid id as its environment', 'env_id', 'No Id', 400, { env_id: 'development' }],
    ['is renamed', 'name', 'The "draft"', 204, { name: 'The "draft"' }],
    ['is renamed by an object', 'name', { name: 'y' }, 422, { name: 'x' }],
  ])('%s', async (_, field, body, status, metadata) => {
    const id = await newDelta()
    const answer = await gateway.send(`PUT ${app}/deltas/${id}/metadata/${field}`, { body })
    expect(answer.status).toBe(status)
    if (status === 204) expect(answer.body).toBeUndefined()
    expect((await show(id)).metadata).toMatchObject(metadata)
  })

  test('that is archived accepts no changes until it is taken back', async () => {
    const id = await newDelta()
    const put = async (field: string, body: unknown) =>
      (await gateway.send(`PUT ${app}/deltas/${id}/metadata/${field}`, { body })).status
    const archive = (body: boolean) => put('archived', body)
    const rename = () => put('name', 'y')
    expect([await archive(true), await archive(true), await rename()]).toEqual([204, 204, 400])
    expect((await gateway.send(`PUT ${app}/deltas/${id}`, { body: full })).status).toBe(400)
    expect([await archive(false), await rename()]).toEqual([204, 204])
  })

  test.each([
    ['PUT', '', {}],
    ['PUT', '/metadata/archived', true],
    ['PUT', '/metadata/name', 'x'],
    ['PUT', '/name', 'x'],
  ])('that is not there: %s%s answers 404 as a JSON string', async (method, rest, body) => {
    const answer = await gateway.send(`${method} ${app}/deltas/missing${rest}`, { body })
    expect([answer.status, typeof answer.body]).toEqual([404, 'string'])
  })
})
