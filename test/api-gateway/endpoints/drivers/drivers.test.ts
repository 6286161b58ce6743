import { describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ResourceDriver } from '../../../../operator/api/resource-driver.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const drivers = '/orgs/acme/resources/drivers'
const driver = {
  id: 'buckets',
  type: 's3',
  target: 'https://driver.example.test/s3/',
  inputs_schema: {
    properties: {
      values: { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] },
      secrets: { type: 'object', properties: { key: { type: 'string', minLength: 3 } } },
    },
  },
  account_types: ['aws'],
}
const { id: _, ...replaced } = driver
const wrapping = {
  id: 'small',
  type: 's3',
  target: 'driver://acme/buckets',
  template: { values: { region: '{{ .driver.values.where }}' } },
  inputs_schema: {},
  account_types: [],
}

async function register(body: object = driver) {
  const answer = await gateway.send(`POST ${drivers}`, { body })
  expect(answer.status).toBe(200)
  return answer.body
}

describe('a built-in driver', () => {
  test('is got as it is listed', async () => {
    const { body: listed } = await gateway.send(`GET ${drivers}`)
    expect(listed.length).toBeGreaterThan(0)
    for (const each of listed)
      expect(await gateway.send(`GET ${drivers}/${each.id}`)).toMatchObject({ status: 200, body: each })
  })

  test.each([
    ['PUT', replaced],
    ['DELETE', undefined],
  ])('is nothing that can be changed: %s', async (method, body) => {
    expect((await gateway.send(`${method} ${drivers}/echo`, body ? { body } : {})).status).toBe(404)
  })
})

describe('a driver of an organization', () => {
  test('is registered with 200, and returned unchanged with its plain id', async () => {
    expect(await register()).toEqual({ org_id: 'acme', ...driver })
    expect((await gateway.send(`GET ${drivers}/buckets`)).body).toEqual({ org_id: 'acme', ...driver })
  })

  test('is an object that kubectl sees', async () => {
    await register()
    const { inputs_schema: inputsSchema, account_types: accountTypes, type, target } = driver
    expect(gateway.cluster.store.get(ResourceDriver, 'acme', 'buckets')?.spec).toEqual({
      type,
      target,
      inputsSchema,
      accountTypes,
    })
  })

  test('is listed after those that are built in, for its own organization alone', async () => {
    await register()
    const { body } = await gateway.send(`GET ${drivers}`)
    expect(body.map(({ org_id, id }: Record<string, string>) => `${org_id}/${id}`)).toEqual([
      ...body.slice(0, -1).map(({ id }: Record<string, string>) => `quartermaster/${id}`),
      'acme/buckets',
    ])
    // Its name in a definition is that of no built-in driver.
    expect(body).not.toContainEqual(expect.objectContaining({ id: expect.stringContaining('/') }))
    expect(body).toContainEqual(expect.objectContaining({ id: 'echo', type: '*', account_types: [] }))
    const { body: others } = await gateway.send('GET /orgs/globex/resources/drivers')
    expect(others.map(({ org_id }: Record<string, string>) => org_id)).not.toContain('acme')
  })

  test('takes the place of a built-in one of its id', async () => {
    await register({ ...driver, id: 'echo' })
    expect((await gateway.send(`GET ${drivers}/echo`)).body).toMatchObject({ org_id: 'acme', id: 'echo' })
  })

  test('is replaced as a whole by PUT', async () => {
    await register(wrapping)
    const body = { ...replaced, target: 'http://elsewhere.example.test' }
    const answer = await gateway.send(`PUT ${drivers}/small`, { body })
    expect(answer).toMatchObject({ status: 200, body: { org_id: 'acme', ...body, id: 'small' } })
    expect(answer.body).not.toHaveProperty('template')
  })

  test('is deleted with 204 when it is unused', async () => {
    await register()
    expect((await gateway.send(`DELETE ${drivers}/buckets`)).status).toBe(204)
    expect((await gateway.send(`GET ${drivers}/buckets`)).status).toBe(404)
  })

  test('stays while a definition or another driver names it: 409 with their ids', async () => {
    await register()
    await register(wrapping)
    const definition = {
      id: 'bucket',
      name: 'Bucket',
      type: 's3',
      driver_type: 'acme/buckets',
      driver_inputs: { values: { region: 'eu' } },
    }
    expect((await gateway.send('POST /orgs/acme/resources/defs', { body: definition })).status).toBe(200)
    const { status, body } = await gateway.send(`DELETE ${drivers}/buckets`)
    expect(status).toBe(409)
    expect(body.message).toBe(
      "driver 'buckets' is used by the resource definition 'bucket' and by the driver 'small'",
    )
    expect(body.details.referencing_resources).toEqual({
      resource_definitions: ['bucket'],
      drivers: ['small'],
    })
  })

  test.each<[rule: string, changes: object, message: string]>([
    ['an address of another scheme', { target: 'ftp://x.test' }, 'neither an HTTP URL'],
    ['an address with a password', { target: 'https://me:canary@x.test' }, 'or password'],
    ['half the name of a driver', { target: 'driver://acme' }, 'driver://<organization or vendor>/<driver>'],
    ['an invalid schema', { inputs_schema: { type: 'wrong' } }, "'inputs_schema'"],
    ['a template for an address', { template: { values: {} } }, "'template'"],
    ['a template that cannot be read', { target: 'driver://acme/x', template: '{{ .a' }, "'template'"],
    [
      'a text in a template that cannot be read',
      { target: 'driver://acme/x', template: { values: { a: ['{{ if }}'] } } },
      "'template.values.a.0'",
    ],
    ['being public', { is_public: true }, 'belongs to its organization'],
  ])('%s is refused: 400', async (_rule, changes, message) => {
    const { status, body } = await gateway.send(`POST ${drivers}`, { body: { ...driver, ...changes } })
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)])
    expect(JSON.stringify(body)).not.toContain('canary')
  })

  test('an id is taken once: 409', async () => {
    await register()
    expect((await gateway.send(`POST ${drivers}`, { body: driver })).status).toBe(409)
  })
})

describe('the schema of a driver', () => {
  const send = (inputs: object) =>
    gateway.send('POST /orgs/acme/resources/defs', {
      body: { id: 'bucket', name: 'Bucket', type: 's3', driver_type: 'acme/buckets', driver_inputs: inputs },
    })

  test.each<[rule: string, inputs: object, status: number]>([
    ['inputs that fit are taken', { values: { region: 'eu' }, secrets: { key: 'long' } }, 200],
    ['a placeholder fits any schema', { values: { region: '${context.env.id}' } }, 200],
    ['a missing value is refused', { values: {} }, 400],
    ['a value of a wrong type is refused', { values: { region: 5 } }, 400],
    ['a secret that does not fit is refused', { values: { region: 'eu' }, secrets: { key: 'x' } }, 400],
    [
      'a secret given beside references does not fit',
      { values: { region: 'eu' }, secret_refs: { key: { value: 'x' } } },
      400,
    ],
    [
      'a secret given beside references fits',
      { values: { region: 'eu' }, secret_refs: { key: { value: 'long' } } },
      200,
    ],
    [
      'a reference to a secret passes',
      { values: { region: 'eu' }, secret_refs: { key: { store: 's', ref: 'r' } } },
      200,
    ],
  ])('%s', async (_rule, inputs, status) => {
    await register()
    expect((await send(inputs)).status).toBe(status)
  })

  test('of a driver that is not known yet is judged later', async () => {
    expect((await send({ values: {} })).status).toBe(200)
  })
})

describe('POST …/accounts/{id}/actions/check', () => {
  const path = 'POST /orgs/acme/resources/accounts/cf/actions/check'
  const answerWith = (check: object) => {
    gateway.cluster.put(
      ResourceAccount,
      newObject(ResourceAccount, { namespace: 'acme', name: 'cf' }, { type: 'cloudflare' }),
    )
    gateway.cluster.store.cacheOf(ResourceAccount).subscribe(({ after }) => {
      const request = after?.metadata.annotations?.[annotations.check]
      if (!after || request === undefined || after.status?.check?.request === request) return
      queueMicrotask(() =>
        gateway.cluster.put(ResourceAccount, { ...after, status: { check: { request, ...check } } } as never),
      )
    })
  }

  test('answers whose credentials they are', async () => {
    const fields = [{ id: 'token_id', description: 'Token', value: 'abc' }]
    answerWith({ accepted: true, fields })
    expect(await gateway.send(path)).toMatchObject({ status: 200, body: { identity_fields: fields } })
  })

  test('answers 400 with the reason when they do not work', async () => {
    answerWith({ accepted: false, message: 'the token was revoked' })
    const { status, body } = await gateway.send(path)
    expect([status, body.message]).toEqual([
      400,
      "the credentials of account 'cf' do not work: the token was revoked",
    ])
  })

  test('warns of credentials that it cannot check', async () => {
    answerWith({ accepted: true, message: 'nothing can try it' })
    expect((await gateway.send(path)).body).toEqual({
      identity_fields: [],
      warnings: ['nothing can try it'],
    })
  })

  test('of an account that is missing: 404', async () => {
    expect((await gateway.send(path)).status).toBe(404)
  })
})
