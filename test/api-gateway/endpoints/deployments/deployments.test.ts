import { describe, expect, test } from '@jest/globals'
import { DeploymentDelta } from '../../../../operator/api/deployment-delta.ts'
import { DeploymentSet } from '../../../../operator/api/deployment-set.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../../operator/api/environment-deployment.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment, addResource, finish, ready, stalled } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(addEnvironment)

const app = '/orgs/acme/apps/shop'
const deploys = `${app}/envs/development/deploys`
const web = { profile: 'humanitec/default-module', spec: { containers: { web: { image: 'nginx' } } } }
const addWeb = { modules: { add: { web } } }
const addDns = { shared: [{ op: 'add', path: '/spec/shared/main', value: { type: 'dns' } }] }

async function newDelta(changes: object = addWeb): Promise<string> {
  return (await gateway.send(`POST ${app}/deltas`, { body: changes })).body.id
}

describe('deltas', () => {
  test('a new one answers 200 with every part present', async () => {
    const { status, body } = await gateway.send(`POST ${app}/deltas`, {
      body: { metadata: { env_id: 'development', name: 'x' } },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      metadata: {
        created_by: 'admin',
        created_at: expect.any(String),
        last_modified_at: expect.any(String),
        archived: false,
        env_id: 'development',
        name: 'x',
        contributers: ['admin'],
      },
      modules: { add: {}, remove: [], update: {} },
      shared: [],
    })
    expect((await gateway.send(`GET ${app}/deltas/${body.id}`)).body).toEqual(body)
  })

  test('a shared dependency is added as endpoint rule 1 says', async () => {
    const id = await newDelta({})
    const { status, body } = await gateway.send(`PATCH ${app}/deltas/${id}`, { body: [addDns] })
    expect(status).toBe(200)
    expect(body.shared).toHaveLength(1)
    expect(body.shared[0]).toMatchObject({ op: 'add', value: { type: 'dns' } })
  })

  test('a private dependency is added as endpoint rule 2 says', async () => {
    const id = await newDelta({})
    const update = { web: [{ op: 'add', path: '/externals/db', value: { type: 'postgres.large' } }] }
    const { body } = await gateway.send(`PATCH ${app}/deltas/${id}`, { body: [{ modules: { update } }] })
    expect(body.modules.update.web).toHaveLength(1)
  })

  test('the elements of a change are folded in order', async () => {
    const id = await newDelta()
    const update = { web: [{ op: 'add', path: '/externals/db', value: { type: 'postgres' } }] }
    const { body } = await gateway.send(`PATCH ${app}/deltas/${id}`, {
      body: [{ modules: { update } }, { modules: { remove: ['old'] } }, { modules: { add: { old: null } } }],
    })
    expect(body.modules).toEqual({
      add: { web: { ...web, externals: { db: { type: 'postgres' } } } },
      remove: [],
      update: {},
    })
  })

  test.each<[string, unknown, number]>([
    ['an object instead of a list', addDns, 422],
    ['a list of something else', ['x'], 422],
    ['operations that are no list', [{ shared: {} }], 422],
    ['an operation without a path', [{ shared: [{ op: 'add' }] }], 422],
    ['an unknown operation', [{ shared: [{ op: 'move', path: '/a' }] }], 400],
    ['an invalid path', [{ shared: [{ op: 'add', path: 'a', value: {} }] }], 400],
    ['a path to __proto__', [{ shared: [{ op: 'add', path: '/__proto__/x', value: {} }] }], 400],
    ['null for a part', [{ modules: null, shared: null, metadata: null }], 200],
    ['nothing', [], 200],
  ])('a change that is %s', async (_, body, status) => {
    const id = await newDelta()
    expect((await gateway.send(`PATCH ${app}/deltas/${id}`, { body })).status).toBe(status)
  })

  test('a message may be its name and the comment of its deployment', async () => {
    const message = 'A commit message.\n'.repeat(455)
    const { body } = await gateway.send(`POST ${app}/deltas`, { body: { metadata: { name: message } } })
    expect(body.metadata.name).toBe(message)
    const rename = `PUT ${app}/deltas/${body.id}/metadata/name`
    expect((await gateway.send(rename, { body: message })).status).toBe(204)
    const { status } = await gateway.send(`POST ${deploys}`, {
      body: { delta_id: body.id, comment: message },
    })
    expect(status).toBe(201)
  })

  test('an archived one accepts no changes', async () => {
    const id = await newDelta()
    const delta = gateway.cluster.store.get(DeploymentDelta, 'acme', id) as DeploymentDelta // just made
    gateway.cluster.put(DeploymentDelta, { ...delta, spec: { ...delta.spec, archived: true } })
    expect((await gateway.send(`PATCH ${app}/deltas/${id}`, { body: [addDns] })).status).toBe(400)
    expect((await gateway.send(`GET ${app}/deltas`)).body).toEqual([])
    expect((await gateway.send(`GET ${app}/deltas?archived=true`)).body).toHaveLength(1)
  })

  test('of another application are not found, as a JSON string', async () => {
    addEnvironment(gateway, 'development', 'development', 'other')
    const id = await newDelta()
    for (const operation of [`GET /orgs/acme/apps/other/deltas/${id}`, `GET ${app}/deltas/missing`]) {
      const { status, body } = await gateway.send(operation)
      expect([status, typeof body]).toEqual([404, 'string'])
    }
  })

  test('a change that loses a race is folded into the newer delta', async () => {
    const id = await newDelta()
    gateway.cluster.failNext('replace DeploymentDelta', new ApiError(409, 'Conflict', 'modified'))
    gateway.cluster.failNext('replace DeploymentDelta', new ApiError(409, 'Conflict', 'modified'))
    expect((await gateway.send(`PATCH ${app}/deltas/${id}`, { body: [addDns] })).body.shared).toHaveLength(1)
  })

  test('twenty changes at once are all kept', async () => {
    const id = await newDelta()
    const changes = Array.from({ length: 20 }, (_, i) => [
      { shared: [{ op: 'add', path: `/res-${i}`, value: { type: 'dns' } }] },
    ])
    const answers = await Promise.all(
      changes.map((body) => gateway.send(`PATCH ${app}/deltas/${id}`, { body })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await gateway.send(`GET ${app}/deltas/${id}`)).body.shared).toHaveLength(20)
  })

  test('are listed by environment', async () => {
    await newDelta({ metadata: { env_id: 'development' } })
    await newDelta({})
    expect((await gateway.send(`GET ${app}/deltas?env=development`)).body).toHaveLength(1)
    expect((await gateway.send(`GET ${app}/deltas`)).body).toHaveLength(2)
  })
})

describe('a deployment', () => {
  test('of a delta answers 201, and its set is the base with the delta', async () => {
    const delta_id = await newDelta()
    const { status, body } = await gateway.send(`POST ${deploys}`, { body: { delta_id, comment: 'first' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: 'shop.development.1',
      env_id: 'development',
      delta_id,
      from_id: '',
      comment: 'first',
      status: 'pending',
      created_by: 'admin',
      export_status: '',
      export_file: '',
    })
    expect((await gateway.send(`GET ${deploys}/shop.development.1`)).body).toEqual(body)
    const { body: set } = await gateway.send(`GET ${app}/sets/${body.set_id}`)
    expect(set).toEqual({
      id: body.set_id,
      version: 0,
      modules: { web: { ...web, externals: {} } },
      shared: {},
    })
    finish(gateway, 'shop.development.1')
    const second = await gateway.send(`POST ${deploys}`, { body: { delta_id: await newDelta(addDns) } })
    expect(second.body).toMatchObject({ id: 'shop.development.2', from_id: 'shop.development.1' })
    const { body: both } = await gateway.send(`GET ${app}/sets/${second.body.set_id}`)
    expect([Object.keys(both.modules), Object.keys(both.shared)]).toEqual([['web'], ['main']])
  })

  test('without delta and set deploys the current content again; equal content is the same set', async () => {
    const first = await gateway.send(`POST ${deploys}`, { body: { delta_id: await newDelta() } })
    finish(gateway, 'shop.development.1')
    const second = await gateway.send(`POST ${deploys}`, { body: { comment: 'again' } })
    expect(second.body.set_id).toBe(first.body.set_id)
    expect(gateway.cluster.store.list(DeploymentSet, 'acme')).toHaveLength(1)
  })

  test('of a set', async () => {
    const first = await gateway.send(`POST ${deploys}`, { body: { delta_id: await newDelta() } })
    finish(gateway, 'shop.development.1')
    await gateway.send(`POST ${deploys}`, { body: { delta_id: await newDelta(addDns) } })
    finish(gateway, 'shop.development.2')
    const third = await gateway.send(`POST ${deploys}`, { body: { set_id: first.body.set_id } })
    expect(third.body).toMatchObject({ set_id: first.body.set_id, status: 'pending' })
    expect(third.body).not.toHaveProperty('delta_id')
  })

  test('starts once from the deployment that the environment names', async () => {
    const first = await gateway.send(`POST ${deploys}`, { body: { delta_id: await newDelta() } })
    finish(gateway, 'shop.development.1')
    await gateway.send(`POST ${deploys}`, { body: { delta_id: await newDelta(addDns) } })
    finish(gateway, 'shop.development.2')
    const environment = gateway.cluster.store.get(Environment, 'acme', 'shop.development') as Environment // put above
    gateway.cluster.put(Environment, {
      ...environment,
      spec: { ...environment.spec, fromDeploymentName: 'shop.development.1' },
    })
    const third = await gateway.send(`POST ${deploys}`, { body: { comment: 'roll back' } })
    expect(third.body).toMatchObject({ set_id: first.body.set_id, from_id: 'shop.development.1' })
    finish(gateway, 'shop.development.3')
    const fourth = await gateway.send(`POST ${deploys}`, { body: { comment: 'go on' } })
    expect(fourth.body.from_id).toBe('shop.development.3')
  })

  test.each<[string, object, number]>([
    ['of a delta that is not there', { delta_id: 'missing' }, 400],
    ['of a set that is not there', { set_id: 'f'.repeat(64) }, 400],
    ['of a set by a strange id', { set_id: '../x' }, 400],
    ['in an unknown mode', { mode: 'quick' }, 400],
    ['with a comment that is no text', { comment: 1 }, 422],
    ['of the empty set', { comment: 'nothing yet', value_set_version_id: null }, 201],
  ])('%s: %j', async (_, body, status) => {
    expect((await gateway.send(`POST ${deploys}`, { body })).status).toBe(status)
  })

  test('of a delta that does not apply is refused, and nothing is written', async () => {
    const delta_id = await newDelta({
      modules: { update: { missing: [{ op: 'add', path: '/externals/a', value: { type: 's3' } }] } },
    })
    gateway.cluster.writes.length = 0
    expect((await gateway.send(`POST ${deploys}`, { body: { delta_id } })).status).toBe(400)
    expect(gateway.cluster.writes).toEqual([])
  })

  test('is refused while another one has not finished', async () => {
    await gateway.send(`POST ${deploys}`, { body: {} })
    expect((await gateway.send(`POST ${deploys}`, { body: {} })).status).toBe(409)
    finish(gateway, 'shop.development.1', stalled)
    expect((await gateway.send(`POST ${deploys}`, { body: {} })).status).toBe(201)
  })

  test('of two that race, one answers 409', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => gateway.send(`POST ${deploys}`, { body: {} })),
    )
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ])
  })

  test('a collision that the cache did not see answers 409', async () => {
    gateway.cluster.failNext(
      'create EnvironmentDeployment',
      new ApiError(409, 'AlreadyExists', 'already exists'),
    )
    const { status, body } = await gateway.send(`POST ${deploys}`, { body: {} })
    expect([status, body.message]).toEqual([
      409,
      "another request has just started deployment 'shop.development.1' of this environment",
    ])
  })

  test.each([
    ['pending', {}],
    ['in progress', { startTime: '2026-02-01T00:00:00Z' }],
    ['succeeded', { startTime: '2026-02-01T00:00:00Z', ...ready }],
    ['failed', stalled],
  ])('shows as %s', async (state, status) => {
    await gateway.send(`POST ${deploys}`, { body: {} })
    gateway.cluster.setStatus(EnvironmentDeployment, 'acme', 'shop.development.1', status)
    expect((await gateway.send(`GET ${deploys}/shop.development.1`)).body.status).toBe(state)
    expect((await gateway.send(`GET ${app}/envs/development`)).body.last_deploy.status).toBe(state)
  })

  test('the newest is listed first', async () => {
    for (let i = 1; i <= 11; i += 1) {
      await gateway.send(`POST ${deploys}`, { body: {} })
      finish(gateway, `shop.development.${i}`)
    }
    const { body } = await gateway.send(`GET ${deploys}`)
    expect(body.map(({ id }: { id: string }) => id).slice(0, 3)).toEqual([
      'shop.development.11',
      'shop.development.10',
      'shop.development.9',
    ])
  })

  test('of another environment is not found', async () => {
    addEnvironment(gateway, 'production')
    await gateway.send(`POST ${deploys}`, { body: {} })
    expect((await gateway.send(`GET ${app}/envs/production/deploys/shop.development.1`)).status).toBe(404)
  })

  test('shows why it waits', async () => {
    await gateway.send(`POST ${deploys}`, { body: {} })
    expect((await gateway.send(`GET ${deploys}/shop.development.1/errors`)).body).toEqual([])
    const problems = [
      { object: 's3.default#shared.main', reason: 'NoMatch', message: 'no definition fits' },
      { object: 'web', reason: 'Invalid', message: 'no image' },
    ]
    finish(gateway, 'shop.development.1', { ...stalled, problems })
    const { body } = await gateway.send(`GET ${deploys}/shop.development.1/errors`)
    expect(body).toMatchObject([
      {
        scope: 'environment',
        object_id: 's3.default#shared.main',
        code: 'NoMatch',
        message: 'no definition fits',
      },
      { scope: 'workload', object_id: 'web', code: 'Invalid' },
    ])
  })

  test('shows why it failed, also before its problems were computed', async () => {
    await gateway.send(`POST ${deploys}`, { body: {} })
    finish(gateway, 'shop.development.1', stalled)
    const { body } = await gateway.send(`GET ${deploys}/shop.development.1/errors`)
    expect(body).toMatchObject([
      { scope: 'environment', object_id: '', code: 'Failed', summary: 'it failed', message: 'it failed' },
    ])
  })

  const [startTime, finishTime] = ['2026-02-01T00:00:00Z', '2026-02-01T00:01:00Z']
  test.each<[what: string, status: object, since: string | undefined]>([
    ['was made', {}, undefined],
    ['began', { startTime }, startTime],
    ['ended', { startTime, finishTime, ...ready }, finishTime],
  ])('shows when it %s', async (_, status, since) => {
    const { created_at } = (await gateway.send(`POST ${deploys}`, { body: {} })).body
    gateway.cluster.setStatus(EnvironmentDeployment, 'acme', 'shop.development.1', status)
    const { body } = await gateway.send(`GET ${deploys}/shop.development.1`)
    expect(body.status_changed_at).toBe(since ?? created_at)
  })
})

describe('active resources', () => {
  const outputs = { host: 'shop.example.test' }

  test('are listed with the flat fields, metadata and status', async () => {
    const name = addResource(gateway, {}, { status: { ...ready, outputs } })
    const { body } = await gateway.send(`GET ${app}/envs/development/resources`)
    expect(body).toMatchObject([
      {
        org_id: 'acme',
        app_id: 'shop',
        env_id: 'development',
        env_type: 'development',
        res_id: 'shared.main',
        type: 'dns',
        class: 'default',
        def_id: 'dns-any',
        driver_type: 'quartermaster/echo',
        deploy_id: 'shop.development.1',
        gu_res_id: name,
        resource: outputs,
        metadata: { res_id: 'shared.main', type: 'dns', class: 'default' },
        status: { gu_res_id: name, state: 'active' },
      },
    ])
  })

  test('have a plain status for client libraries', async () => {
    addResource(gateway, {}, { status: ready })
    const headers = { 'humanitec-user-agent': 'app x/1; sdk y/1' }
    const { body } = await gateway.send(`GET ${app}/envs/development/resources`, { headers })
    expect(body[0].status).toBe('active')
  })

  test.each([
    ['pending', {}, undefined],
    ['pending', {}, stalled],
    ['active', {}, ready],
    ['deleting', { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['x/y'] }, ready],
  ])('are %s', async (state, metadata, status) => {
    addResource(gateway, {}, { metadata, ...(status ? { status } : {}) })
    const { body } = await gateway.send(`GET ${app}/envs/development/resources`)
    expect(body[0].status.state).toBe(state)
  })

  test('name the newest deployment that uses them', async () => {
    for (const n of [1, 2]) {
      await gateway.send(`POST ${deploys}`, { body: {} })
      finish(gateway, `shop.development.${n}`)
    }
    addResource(gateway, { resourceId: 'shared.used' })
    addResource(gateway, { resourceId: 'shared.unused' }, { spec: { unusedSince: '2026-02-01T00:00:00Z' } })
    const { body } = await gateway.send(`GET ${app}/envs/development/resources`)
    expect(
      body.map(({ res_id, deploy_id }: { res_id: string; deploy_id: string }) => [res_id, deploy_id]),
    ).toEqual([
      ['shared.unused', 'shop.development.1'],
      ['shared.used', 'shop.development.2'],
    ])
  })

  test('name the deployment that has just written them, which their environment does not know yet', async () => {
    await gateway.send(`POST ${deploys}`, { body: {} })
    finish(gateway, 'shop.development.1')
    await gateway.send(`POST ${deploys}`, { body: {} })
    addResource(gateway, {}, { spec: { deploymentName: 'shop.development.2' } })
    const { body } = await gateway.send(`GET ${app}/envs/development/resources`)
    expect(body[0].deploy_id).toBe('shop.development.2')
  })

  test.each([
    ['are ready', ready, false],
    ['failed', stalled, true],
    ['are not provisioned yet', undefined, false],
  ])('that %s say whether they fail', async (_, status, expected) => {
    addResource(gateway, {}, { status })
    const { body } = await gateway.send(`GET ${app}/envs/development/resources`)
    expect(body[0].is_failing).toBe(expected)
  })

  test('of a virtual driver name the driver that it calls', async () => {
    addResource(gateway, {}, { status: { ...ready, provisioned: { driverType: 'quartermaster/ingress' } } })
    const { body } = await gateway.send(`GET ${app}/envs/development/resources`)
    expect(body[0].driver_type).toBe('quartermaster/ingress')
  })

  test('are listed by definition', async () => {
    addEnvironment(gateway, 'production')
    addResource(gateway)
    addResource(gateway, { environment: 'production' })
    addResource(gateway, { definition: 'another', resourceId: 'shared.x' })
    const { body } = await gateway.send('GET /orgs/acme/resources/defs/dns-any/resources')
    expect(body.map(({ env_id }: { env_id: string }) => env_id)).toEqual(['development', 'production'])
  })
})
