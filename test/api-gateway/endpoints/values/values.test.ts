import { beforeEach, describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { SharedValue } from '../../../../operator/api/shared-value.ts'
import { valueObjectName } from '../../../../operator/domain/graph/shared-values.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  addEnvironment(gateway, 'production')
})

const app = '/orgs/acme/apps/shop/values'
const env = '/orgs/acme/apps/shop/envs/development/values'
const production = '/orgs/acme/apps/shop/envs/production/values'
const level = { key: 'LOG_LEVEL', description: 'How much is said', value: 'info' }
const plainParts = { is_secret: false, secret_key: null, secret_store_id: null, secret_version: null }

const post = (path: string, body: object) => gateway.send(`POST ${path}`, { body })
const stored = () => gateway.cluster.store.list(SharedValue, 'acme')

async function listed(path: string): Promise<Record<string, string>> {
  const { body } = await gateway.send(`GET ${path}`)
  return Object.fromEntries(
    body.map((each: { key: string; source: string; value: string }) => [
      each.key,
      `${each.source} ${each.value}`,
    ]),
  )
}

describe('a new value', () => {
  test.each([
    [app, 'app'],
    [env, 'env'],
  ])('at %s answers 201 in the shape that clients know, and is listed', async (path, source) => {
    const { status, body } = await post(path, level)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...level,
      ...plainParts,
      created_at: expect.any(String),
      updated_at: body.created_at,
      source,
    })
    expect((await gateway.send(`GET ${path}`)).body).toEqual([body])
    expect(gateway.cluster.secrets).toEqual([])
  })

  test('is an object that kubectl sees, named by a hash', async () => {
    await post(env, level)
    const place = { applicationName: 'shop', environmentId: 'development', key: 'LOG_LEVEL' }
    expect(stored()).toMatchObject([
      {
        metadata: {
          name: valueObjectName(place),
          annotations: { 'quartermaster.dev/created-by': 'admin' },
        },
        spec: { ...place, value: 'info', description: 'How much is said' },
      },
    ])
    expect(stored()[0]?.metadata.name).toMatch(/^[0-9a-f]{40}$/)
  })

  test.each<[rule: string, changes: object, status: number]>([
    ['without a value is empty', { value: undefined }, 201],
    ['with a value of null is empty', { value: null }, 201],
    ['with an empty description', { description: '' }, 201],
    ['without a description', { description: undefined }, 422],
    ['without a key', { key: undefined }, 422],
    ['with a value that is no text', { value: 5 }, 422],
    ['with a key of all characters that are allowed', { key: '9_a.B-' }, 201],
    ['with a key that cannot be', { key: 'a b' }, 400],
    ['with an empty key', { key: '' }, 400],
    ['with a key that JavaScript has', { key: '__proto__' }, 400],
    ['with a key that clients remove from a path', { key: '..' }, 400],
    ['with the other such key', { key: '.' }, 400],
    ['with a key of three dots', { key: '...' }, 201],
    ['with a value that is too long', { value: 'x'.repeat(65_537) }, 400],
    ['that is secret without a value', { value: undefined, is_secret: true }, 400],
    [
      'that is not secret and has a secret_ref',
      { value: undefined, is_secret: false, secret_ref: { value: 'x' } },
      400,
    ],
    ['with an empty secret_ref is plain', { secret_ref: {} }, 201],
  ])('%s', async (_, changes, status) => {
    const { status: actual, body } = await post(app, { ...level, ...changes })
    expect(actual).toBe(status)
    expect(stored()).toHaveLength(status === 201 ? 1 : 0)
    if (status === 201) expect(typeof body.value).toBe('string')
  })

  test.each([app, env])('with a key that is taken is a conflict at %s', async (path) => {
    expect((await post(path, level)).status).toBe(201)
    expect((await post(path, { ...level, value: 'other' })).status).toBe(409)
    expect(await listed(path)).toEqual({ LOG_LEVEL: path === app ? 'app info' : 'env info' })
  })

  test('is one of the application, of each environment, and of each organization', async () => {
    for (const path of [app, env, production]) expect((await post(path, level)).status).toBe(201)
    expect(stored()).toHaveLength(3)
  })

  test.each([
    ['application', '/orgs/acme/apps/none/values'],
    ['environment', '/orgs/acme/apps/shop/envs/none/values'],
  ])('in a missing %s is not found', async (_, path) => {
    expect((await post(path, level)).status).toBe(404)
  })
})

describe('a change of a value', () => {
  beforeEach(() => post(app, level))

  test.each<[rule: string, operation: string, body: object, expected: object]>([
    ['PATCH of the value leaves the rest', 'PATCH', { value: 'debug' }, { ...level, value: 'debug' }],
    [
      'PATCH of the description leaves the rest',
      'PATCH',
      { description: 'x' },
      { ...level, description: 'x' },
    ],
    ['PATCH takes the description away', 'PATCH', { description: null }, { ...level, description: null }],
    ['PATCH of nothing', 'PATCH', {}, level],
    ['PATCH to the empty text', 'PATCH', { value: '' }, { ...level, value: '' }],
    ['PUT of everything', 'PUT', { description: 'x', value: 'debug' }, { value: 'debug', description: 'x' }],
    ['PUT with the key of the path', 'PUT', { ...level, value: 'debug' }, { ...level, value: 'debug' }],
    ['PUT without a value leaves it', 'PUT', { description: null }, { ...level, description: null }],
  ])('%s', async (_, method, body, expected) => {
    const { status, body: answer } = await gateway.send(`${method} ${app}/LOG_LEVEL`, { body })
    expect(status).toBe(200)
    expect(answer).toMatchObject({ key: 'LOG_LEVEL', ...expected, ...plainParts })
    expect((await gateway.send(`GET ${app}`)).body).toEqual([answer])
  })

  test('says when it was', async () => {
    const [before] = (await gateway.send(`GET ${app}`)).body
    const { body } = await gateway.send(`PATCH ${app}/LOG_LEVEL`, { body: { value: 'debug' } })
    expect(body.created_at).toBe(before.created_at)
    expect(Date.parse(body.updated_at)).not.toBe(Date.parse(before.updated_at))
    gateway.cluster.writes.length = 0
    expect((await gateway.send(`PATCH ${app}/LOG_LEVEL`, { body: { value: 'debug' } })).body).toEqual(body)
    expect(gateway.cluster.writes).toEqual([])
  })

  test.each<[rule: string, operation: string, body: object | undefined, status: number]>([
    ['PUT without a description', `PUT ${app}/LOG_LEVEL`, { value: 'x' }, 422],
    ['PUT with another key', `PUT ${app}/LOG_LEVEL`, { description: '', key: 'OTHER' }, 400],
    ['PUT of a missing value', `PUT ${app}/OTHER`, { description: '' }, 404],
    ['PATCH of a missing value', `PATCH ${app}/OTHER`, {}, 404],
    ['PATCH of a value that only the application has', `PATCH ${env}/LOG_LEVEL`, {}, 404],
    ['DELETE of a missing value', `DELETE ${app}/OTHER`, undefined, 404],
    ['DELETE of a value that only the application has', `DELETE ${env}/LOG_LEVEL`, undefined, 404],
    ['a key that cannot be', `PATCH ${app}/a%20b`, {}, 404],
  ])('%s', async (_, operation, body, status) => {
    expect((await gateway.send(operation, { body })).status).toBe(status)
    expect(await listed(app)).toEqual({ LOG_LEVEL: 'app info' })
  })
})

describe('the values of an environment', () => {
  beforeEach(async () => {
    await post(app, level)
    await post(app, { key: 'REGION', description: '', value: 'north' })
    await post(env, { ...level, value: 'debug' })
    await post(env, { key: 'ONLY', description: '', value: 'here' })
  })

  test('overlay those of the application, by key', async () => {
    expect(await listed(env)).toEqual({ LOG_LEVEL: 'env debug', ONLY: 'env here', REGION: 'app north' })
    expect(await listed(production)).toEqual({ LOG_LEVEL: 'app info', REGION: 'app north' })
    expect(await listed(app)).toEqual({ LOG_LEVEL: 'app info', REGION: 'app north' })
  })

  test('deleted one by one show those of the application again', async () => {
    expect((await gateway.send(`DELETE ${env}/LOG_LEVEL`)).status).toBe(204)
    expect(await listed(env)).toEqual({ LOG_LEVEL: 'app info', ONLY: 'env here', REGION: 'app north' })
  })

  test('deleted all at once leave those of the application', async () => {
    expect((await gateway.send(`DELETE ${env}`)).status).toBe(204)
    expect(await listed(env)).toEqual({ LOG_LEVEL: 'app info', REGION: 'app north' })
    expect((await gateway.send(`DELETE ${env}`)).status).toBe(204)
  })

  test('stay when those of the application are deleted', async () => {
    expect((await gateway.send(`DELETE ${app}`)).status).toBe(204)
    expect(await listed(env)).toEqual({ LOG_LEVEL: 'env debug', ONLY: 'env here' })
  })

  test('that are deleted are 400 in the list, as clients expect, and 404 elsewhere', async () => {
    const gone = '/orgs/acme/apps/shop/envs/gone/values'
    expect((await gateway.send(`GET ${gone}`)).status).toBe(400)
    expect((await gateway.send('GET /orgs/acme/apps/gone/values')).status).toBe(404)
    expect((await gateway.send(`DELETE ${gone}`)).status).toBe(404)
  })
})

describe('values made by kubectl', () => {
  const put = (name: string, value: string, creationTimestamp: string) =>
    gateway.cluster.put(
      SharedValue,
      newObject(
        SharedValue,
        { namespace: 'acme', name, creationTimestamp },
        { applicationName: 'shop', key: 'LOG_LEVEL', value },
      ),
    )
  beforeEach(() => {
    put('younger', 'b', '2026-01-01T00:00:02Z')
    put('older', 'a', '2026-01-01T00:00:01Z')
  })

  test('for one key: the older one is it, and a new one is a conflict', async () => {
    expect(await listed(app)).toEqual({ LOG_LEVEL: 'app a' })
    expect((await post(app, level)).status).toBe(409)
    await gateway.send(`PATCH ${app}/LOG_LEVEL`, { body: { value: 'c' } })
    expect(await listed(app)).toEqual({ LOG_LEVEL: 'app c' })
    expect(gateway.cluster.store.get(SharedValue, 'acme', 'younger')?.spec.value).toBe('b')
  })

  test('are deleted together, so that the key is free', async () => {
    expect((await gateway.send(`DELETE ${app}/LOG_LEVEL`)).status).toBe(204)
    expect(stored()).toEqual([])
  })
})

describe.each([
  ['an application', '/orgs/acme/apps/shop'],
  ['an environment', '/orgs/acme/apps/shop/envs/development'],
])('versions of the values of %s', (_, place) => {
  const versions = `${place}/value-set-versions`

  test('are the current one alone, by a hash of its content', async () => {
    await post(`${place}/values`, level)
    const [first, ...others] = (await gateway.send(`GET ${versions}`)).body
    expect(others).toEqual([])
    const [value] = (await gateway.send(`GET ${place}/values`)).body
    expect(first).toMatchObject({ values: { LOG_LEVEL: value }, change: [], comment: '', result_of: null })
    expect((await gateway.send(`GET ${versions}/${first.id}`)).body).toEqual(first)
    await gateway.send(`PATCH ${place}/values/LOG_LEVEL`, { body: { value: 'debug' } })
    const [second] = (await gateway.send(`GET ${versions}`)).body
    expect(second.id).not.toBe(first.id)
    expect((await gateway.send(`GET ${versions}/${first.id}`)).status).toBe(404)
  })

  test('are listed for an existing key', async () => {
    await post(`${place}/values`, level)
    expect((await gateway.send(`GET ${versions}?key_changed=LOG_LEVEL`)).body).toHaveLength(1)
    expect((await gateway.send(`GET ${versions}?key_changed=OTHER`)).body).toEqual([])
  })

  test.each(['restore', 'restore/LOG_LEVEL', 'purge/LOG_LEVEL'])('have no %s', async (action) => {
    const [{ id }] = (await gateway.send(`GET ${versions}`)).body
    expect((await gateway.send(`POST ${versions}/${id}/${action}`, { body: {} })).status).toBe(404)
  })
})
