import { describe, expect, test } from '@jest/globals'
import { Membership } from '../../../../operator/api/access.ts'
import { Application } from '../../../../operator/api/application.ts'
import { EnvironmentType } from '../../../../operator/api/environment-type.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { behindItsBack } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(() => {})

const shop = { id: 'shop', name: 'The shop' }

describe('organizations', () => {
  test('GET /orgs lists those that the caller can access', async () => {
    gateway.addUser('ann')
    gateway.addMember('globex', 'ann', { role: 'member' })
    const { body } = await gateway.send('GET /orgs', { as: 'ann' })
    expect(body).toMatchObject([{ id: 'globex', name: 'globex', trial_expires_at: null, logo: {} }])
  })

  test('one by its id', async () => {
    expect((await gateway.send('GET /orgs/acme')).body.id).toBe('acme')
  })
})

describe('a new application', () => {
  test('answers 201 with all fields that clients need', async () => {
    const { status, body } = await gateway.send('POST /orgs/acme/apps', { body: shop })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: 'shop',
      name: 'The shop',
      org_id: 'acme',
      created_at: expect.stringMatching(/Z$/),
      created_by: 'admin',
      status: 'active',
      status_changed_at: body.created_at,
      envs: [{ id: 'development', name: 'Development', type: 'development' }],
    })
    expect((await gateway.send('GET /orgs/acme/apps/shop')).body).toEqual(body)
    expect((await gateway.send('GET /orgs/acme/apps')).body).toEqual([body])
  })

  test.each([
    [
      'the given environment instead',
      { env: { id: 'live', name: 'Live', type: 'production' } },
      201,
      ['live'],
    ],
    ['none when the request disables it', { skip_environment_creation: true }, 201, []],
    [
      'the given one, even when the request disables the default',
      { env: { id: 'live', name: 'Live', type: 'production' }, skip_environment_creation: true },
      201,
      ['live'],
    ],
    [
      'nothing at all when the given type is not there',
      { env: { id: 'live', name: 'Live', type: 'nowhere' } },
      400,
      undefined,
    ],
  ])('has %s', async (_, more, status, environments) => {
    const response = await gateway.send('POST /orgs/acme/apps', { body: { ...shop, ...more } })
    expect(response.status).toBe(status)
    expect(response.body.envs?.map(({ id }: { id: string }) => id)).toEqual(environments)
    expect(gateway.cluster.store.get(Application, 'acme', 'shop') !== undefined).toBe(status === 201)
  })

  test('has no environment where the type `development` does not exist', async () => {
    gateway.cluster.drop(EnvironmentType, 'acme', 'development')
    const { status, body } = await gateway.send('POST /orgs/acme/apps', { body: shop })
    expect([status, body.envs]).toEqual([201, []])
  })

  test('with an id that is taken is a conflict', async () => {
    await gateway.send('POST /orgs/acme/apps', { body: shop })
    expect((await gateway.send('POST /orgs/acme/apps', { body: shop })).status).toBe(409)
    expect((await gateway.send('POST /orgs/globex/apps', { body: shop })).status).toBe(201)
  })

  test('leaves nothing when its environment cannot be made', async () => {
    gateway.cluster.failNext('create Environment', new Error('reset'))
    expect((await gateway.send('POST /orgs/acme/apps', { body: shop })).status).toBe(500)
    expect((await gateway.send('GET /orgs/acme/apps/shop')).status).toBe(404)
    expect((await gateway.send('POST /orgs/acme/apps', { body: shop })).status).toBe(201)
  })

  test('makes a manager its owner', async () => {
    gateway.addUser('max')
    gateway.addMember('acme', 'max', { role: 'manager' })
    expect((await gateway.send('POST /orgs/acme/apps', { as: 'max', body: shop })).status).toBe(201)
    expect(gateway.cluster.store.get(Membership, 'acme', 'max')?.spec).toEqual({
      role: 'manager',
      applications: [{ applicationName: 'shop', role: 'owner' }],
    })
    expect((await gateway.send('GET /orgs/acme/apps/shop', { as: 'max' })).status).toBe(200)
  })

  test('is made and owned although the API server was away for a moment', async () => {
    gateway.addUser('max')
    gateway.addMember('acme', 'max', { role: 'manager' })
    gateway.cluster.failNext('read Application', new ApiError(503, 'ServiceUnavailable', 'no leader'))
    expect((await gateway.send('POST /orgs/acme/apps', { as: 'max', body: shop })).status).toBe(201)
    expect((await gateway.send('GET /orgs/acme/apps/shop', { as: 'max' })).status).toBe(200)
  })

  test('that is deleted while its creator becomes its owner leaves no role', async () => {
    gateway.addUser('max')
    gateway.addMember('acme', 'max', { role: 'manager' })
    let isFirst = true
    gateway.cluster.store.cacheOf(Membership).subscribe(() => {
      if (isFirst) gateway.cluster.drop(Application, 'acme', 'shop')
      isFirst = false
    })
    expect((await gateway.send('POST /orgs/acme/apps', { as: 'max', body: shop })).status).toBe(404)
    const { applications } = gateway.cluster.store.get(Membership, 'acme', 'max')?.spec ?? {}
    expect(applications).toEqual([])
  })

  test('that is deleted and made again in the meantime is owned by its creator', async () => {
    gateway.addUser('max')
    gateway.addMember('acme', 'max', { role: 'manager' })
    const body = { ...shop, skip_environment_creation: true }
    const create = () => gateway.send('POST /orgs/acme/apps', { as: 'max', body })
    const { read } = gateway.cluster
    let again: ReturnType<typeof create> | undefined
    let isFirst = true
    gateway.cluster.store.cacheOf(Membership).subscribe(() => {
      if (!isFirst) return
      isFirst = false
      gateway.cluster.drop(Application, 'acme', 'shop')
      again = create()
    })
    Object.assign(gateway.cluster, {
      async read(...given: Parameters<typeof read>) {
        if (given[0].kind === Application.kind) await again
        return read(...given)
      },
    })
    const first = await create()
    Object.assign(gateway.cluster, { read })
    expect([first.status, (await again)?.status]).toEqual([404, 201])
    expect((await gateway.send('GET /orgs/acme/apps/shop', { as: 'max' })).status).toBe(200)
  })

  test('is owned by its creator, whose role on an earlier one was withdrawn a moment ago', async () => {
    gateway.addUser('max')
    gateway.addMember('acme', 'max', { role: 'manager' })
    const body = { ...shop, skip_environment_creation: true }
    await gateway.send('POST /orgs/acme/apps', { as: 'max', body })
    const restore = await behindItsBack(gateway, Membership, (namespace, name) => {
      gateway.cluster.drop(Application, 'acme', 'shop')
      const known = gateway.cluster.store.get(Membership, namespace, name)
      if (known) gateway.cluster.put(Membership, { ...known, spec: { role: 'manager' } })
    })
    const { status } = await gateway.send('POST /orgs/acme/apps', { as: 'max', body })
    restore()
    expect(status).toBe(201)
    expect((await gateway.send('GET /orgs/acme/apps/shop', { as: 'max' })).status).toBe(200)
  })

  test('is made however many its manager makes at once, and each of them is owned', async () => {
    gateway.addUser('max')
    gateway.addMember('acme', 'max', { role: 'manager' })
    gateway.cluster.failNext('replace Membership acme/max', new ApiError(409, 'Conflict', 'modified'))
    const ids = ['one', 'two', 'three', 'four']
    const answers = ids.map((id) =>
      gateway.send('POST /orgs/acme/apps', { as: 'max', body: { id, name: id } }),
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const { applications = [] } = gateway.cluster.store.get(Membership, 'acme', 'max')?.spec ?? {}
    expect(applications.map(({ applicationName }) => applicationName).sort()).toEqual(ids.toSorted())
  })
})

describe('environments', () => {
  const path = '/orgs/acme/apps/shop/envs'

  test('are created, listed and shown in the same form', async () => {
    await gateway.send('POST /orgs/acme/apps', { body: { ...shop, skip_environment_creation: true } })
    const { status, body } = await gateway.send(`POST ${path}`, {
      body: { id: 'live', name: 'Live', type: 'production' },
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: 'live',
      name: 'Live',
      type: 'production',
      created_at: expect.any(String),
      created_by: 'admin',
      status: 'active',
      status_changed_at: body.created_at,
      base_set_id: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await gateway.send(`GET ${path}`)).body).toEqual([body])
    expect((await gateway.send(`GET ${path}/live`)).body).toEqual(body)
  })

  test.each([
    ['of type `development` when none is named', { id: 'one', name: 'One' }, 201],
    ['of a type that is not there', { id: 'one', name: 'One', type: 'nowhere' }, 400],
    [
      'from a deployment that is not there',
      { id: 'one', name: 'One', from_deploy_id: 'shop.development.9' },
      400,
    ],
    ['without a name', { id: 'one' }, 422],
    ['with an id that is taken', { id: 'development', name: 'Again' }, 409],
  ])('%s', async (_, body, status) => {
    addEnvironment(gateway)
    expect((await gateway.send(`POST ${path}`, { body })).status).toBe(status)
  })

  test('of another application or organization are not found', async () => {
    addEnvironment(gateway)
    addEnvironment(gateway, 'development', 'development', 'other')
    addEnvironment(gateway, 'secret', 'development', 'shop', 'globex')
    expect((await gateway.send(`GET ${path}/secret`)).status).toBe(404)
    expect((await gateway.send('GET /orgs/acme/apps/missing/envs/development')).status).toBe(404)
  })
})

describe('environment types', () => {
  const path = '/orgs/acme/env-types'

  test('are made, listed, shown and deleted', async () => {
    const type = { id: 'staging', description: 'Before production' }
    expect(await gateway.send(`POST ${path}`, { body: type })).toMatchObject({ status: 201, body: type })
    expect((await gateway.send(`GET ${path}`)).body.map(({ id }: { id: string }) => id)).toEqual([
      'development',
      'production',
      'staging',
    ])
    expect((await gateway.send(`GET ${path}/staging`)).body).toEqual(type)
    expect((await gateway.send(`POST ${path}`, { body: type })).status).toBe(409)
    expect((await gateway.send(`DELETE ${path}/staging`)).status).toBe(204)
    expect((await gateway.send(`GET ${path}/staging`)).status).toBe(404)
    expect((await gateway.send(`DELETE ${path}/staging`)).status).toBe(404)
  })

  test('in use are not deleted, and the answer lists the uses', async () => {
    addEnvironment(gateway)
    const { status, body } = await gateway.send(`DELETE ${path}/development`)
    expect([status, body]).toEqual([409, [{ app_id: 'shop', env_id: 'development' }]])
  })
})
