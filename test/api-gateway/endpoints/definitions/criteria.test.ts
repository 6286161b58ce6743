import { describe, expect, test } from '@jest/globals'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(async () => {
  addEnvironment(gateway)
  for (const [id, type, criteria] of [
    ['s3', 's3', [{ app_id: 'shop' }, { env_type: 'development' }]],
    ['other', 's3', [{ app_id: 'blog' }]],
    ['own', 'acme/s3', [{}]],
  ]) {
    const body = { id, name: 'n', type, driver_type: 'quartermaster/echo', criteria }
    expect((await gateway.send(`POST /orgs/acme/resources/defs`, { body })).status).toBe(200)
  }
})

const at = (path: string, id = 's3') => `/orgs/acme/resources/${path}/${id}/criteria`

async function criteria(id = 's3') {
  const { body } = await gateway.send(`GET /orgs/acme/resources/defs/${id}`)
  return body.criteria as { id: string }[]
}

describe.each(['defs', 'dynamic'])('criteria at %s', (path) => {
  test('a new one answers 200 with its id, and is there', async () => {
    const body = { app_id: '*', env_id: 'live', class: 'large' }
    const response = await gateway.send(`POST ${at(path)}`, { body })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]+$/),
      env_id: 'live',
      class: 'large',
    })
    expect((await criteria())[2]).toEqual(response.body)
  })

  test.each<[string, object, number, string]>([
    ['that this definition has', { app_id: 'shop' }, 409, 's3'],
    ['that it has, normalised', { app_id: 'shop', env_id: '*', class: 'default' }, 409, 's3'],
    ['that another one of the type has', { app_id: 'blog' }, 409, 'other'],
    ['that one of the override type has', {}, 200, ''],
    ['of another class', { app_id: 'blog', class: 'large' }, 200, ''],
    ['that is a list', [], 422, ''],
    ['with a number in it', { app_id: 1 }, 422, ''],
  ])('a new one %s', async (_, body, status, holder) => {
    const before = await criteria()
    const response = await gateway.send(`POST ${at(path)}`, { body })
    expect(response.status).toBe(status)
    if (status !== 200) expect(await criteria()).toEqual(before)
    if (holder) expect(response.body.details).toEqual({ definition: holder })
  })

  test.each<[rule: string, criterion: object, status: number, unknown: readonly string[]]>([
    ['of misspelt keys alone is refused', { appid: 'x', Env_type: 'y' }, 422, ['appid', 'Env_type']],
    ['of keys of another spelling alone is refused', { appId: 'x' }, 422, ['appId']],
    ['of a misspelt key beside null is refused', { appid: 'x', app_id: null }, 422, ['appid']],
    ['of a misspelt key beside the id of its answer is refused', { id: '0f', appid: 'x' }, 422, ['appid']],
    ['with an extra key beside a known one is taken', { env_id: 'live', colour: 'x' }, 200, []],
    ['with a misspelt key beside a known one is refused', { env_id: 'live', appid: 'x' }, 422, ['appid']],
    ['of a class alone is taken', { class: 'large' }, 200, []],
    ['of known keys that are null is `{}`', { app_id: null, env_type: null }, 200, []],
    ['of an unknown key that is null is `{}`', { appid: null }, 200, []],
    ['as it was answered is taken', { id: '0f' }, 200, []],
    [
      'with many unknown keys names few',
      Object.fromEntries([...Array(300).keys()].map((i) => [`k${i}`.padEnd(300), i])),
      422,
      [],
    ],
  ])('one %s', async (_, criterion, status, unknown) => {
    const definition = { name: 'n', type: 'dns', driver_type: 'quartermaster/echo' }
    for (const [operation, body] of [
      [`POST ${at(path)}`, criterion],
      [`PUT ${at(path)}`, [{ res_id: 'x' }, criterion]],
      [`POST /orgs/acme/resources/${path}?dry_run=true`, { ...definition, id: 'new', criteria: [criterion] }],
      [`POST /orgs/acme/resources/${path}`, { ...definition, id: 'new', criteria: [criterion] }],
    ] as const) {
      gateway.cluster.writes.length = 0
      const response = await gateway.send(operation, { body })
      expect([operation, response.status]).toEqual([operation, status])
      if (status !== 200) expect(gateway.cluster.writes).toEqual([])
      for (const key of unknown) expect(response.body.message).toContain(`'${key}'`)
    }
  })

  test.each<[string, unknown, number, string]>([
    ['others', [{ res_id: 'shared.x' }, { app_id: 'shop' }], 200, ''],
    ['the same again', [{ app_id: 'shop' }, { env_type: 'development' }], 200, ''],
    ['none', [], 200, ''],
    ['one that another definition has', [{ app_id: 'blog' }], 409, 'other'],
    ['one twice', [{ env_id: 'x' }, { env_id: 'x', class: 'default' }], 409, 's3'],
    ['an object', {}, 422, ''],
  ])('all are replaced by %s', async (_, body, status, holder) => {
    const before = await criteria()
    const response = await gateway.send(`PUT ${at(path)}`, { body })
    expect(response.status).toBe(status)
    expect(await criteria()).toEqual(status === 200 ? response.body : before)
    if (holder) expect(response.body.details).toEqual({ definition: holder })
  })

  test('of a missing definition are 404', async () => {
    expect((await gateway.send(`POST ${at(path, 'missing')}`, { body: {} })).status).toBe(404)
    expect((await gateway.send(`PUT ${at(path, 'missing')}`, { body: [] })).status).toBe(404)
    expect((await gateway.send(`DELETE ${at(path, 'missing')}/0f`)).status).toBe(404)
  })
})

describe('deletion of a criterion', () => {
  const remove = async (index: number, query = '') =>
    gateway.send(`DELETE ${at('defs')}/${(await criteria())[index]?.id}${query}`)

  test('that no resource needs', async () => {
    const [first, second] = await criteria()
    expect((await remove(0)).status).toBe(204)
    expect(await criteria()).toEqual([second])
    expect((await gateway.send(`DELETE ${at('defs')}/${first?.id}`)).status).toBe(404)
    expect((await remove(0)).status).toBe(204)
    expect(await criteria()).toEqual([])
  })

  test('succeeds while the resources still match the same definition', async () => {
    addResource(gateway, { type: 's3', definition: 's3' })
    expect((await remove(0)).status).toBe(204)
  })

  test.each([
    ['', 409],
    ['?force=false', 409],
    ['?force=true', 204],
    ['?force=perhaps', 400],
  ])('after which a resource would match none, with "%s"', async (query, status) => {
    addResource(gateway, { type: 's3', definition: 's3' })
    await gateway.send(`PUT ${at('defs')}`, { body: [{ app_id: 'shop' }] })
    const response = await remove(0, query)
    expect(response.status).toBe(status)
    expect(await criteria()).toHaveLength(status === 204 ? 0 : 1)
    const change = {
      app_id: 'shop',
      env_id: 'development',
      res_id: 'shared.main',
      from_def: 's3',
      to_def: '',
    }
    if (status === 409) expect(response.body).toEqual([change])
  })

  test('after which a resource would match another', async () => {
    addResource(gateway, { type: 's3', definition: 's3' })
    await gateway.send(`POST ${at('defs', 'other')}`, { body: { env_id: 'development' } })
    await gateway.send(`POST ${at('defs')}`, { body: { res_id: 'shared.main' } })
    const response = await remove(2)
    expect(response.status).toBe(409)
    expect(response.body).toMatchObject([{ from_def: 's3', to_def: 'other' }])
  })
})

test('a write that loses a race is decided again', async () => {
  gateway.cluster.failNext('replace ResourceDefinition', new ApiError(409, 'Conflict', 'modified'))
  expect((await gateway.send(`POST ${at('defs')}`, { body: { env_id: 'live' } })).status).toBe(200)
  expect(await criteria()).toHaveLength(3)
})
