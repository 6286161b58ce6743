import { describe, expect, test } from '@jest/globals'
import { Registry } from '../../../../operator/api/registry.ts'
import { storedObject } from '../../../support/builders.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway()

const registries = '/orgs/acme/registries'
const canary = 'canary-of-a-password'
const basic = {
  id: 'builds',
  registry: 'registry.example.com/shop',
  type: 'basic',
  creds: { username: 'canary-of-a-user', password: canary },
}
const referring = {
  id: 'builds',
  registry: 'registry.example.com',
  type: 'secret_ref',
  enable_ci: true,
  secrets: {
    'cluster-a': { namespace: 'example-namespace', secret: 'path/to/secret' },
    'cluster-b': { namespace: 'example-namespace', secret: 'path/to/secret' },
  },
}
const send = (operation: string, body?: unknown) => gateway.send(operation, { body })
const specOf = (name = 'builds') => gateway.cluster.store.get(Registry, 'acme', name)?.spec

test('a registry keeps its credentials in a Secret, and returns them nowhere', async () => {
  const { status, body } = await send(`POST ${registries}`, basic)
  expect([status, body]).toEqual([
    201,
    {
      id: 'builds',
      registry: 'registry.example.com/shop',
      type: 'basic',
      enable_ci: false,
      created_by: 'admin',
      created_at: expect.any(String),
    },
  ])
  const [secret] = gateway.cluster.secrets
  expect(secret).toMatchObject({
    metadata: { name: specOf()?.credentialsSecretName, namespace: 'acme' },
    data: { username: expect.any(String), password: Buffer.from(canary).toString('base64') },
  })
  const answers = await Promise.all(
    [`GET ${registries}`, `GET ${registries}/builds`, `GET ${registries}/builds/creds`].map((each) =>
      send(each),
    ),
  )
  const all = JSON.stringify([body, answers, Array.from(gateway.cluster.store.cacheOf(Registry).all())])
  for (const text of [basic.creds.username, canary]) {
    expect(all).not.toContain(text)
    expect(all).not.toContain(Buffer.from(text).toString('base64'))
  }
})

test('members can read where the credentials are', async () => {
  await send(`POST ${registries}`, { ...basic, creds: { ...basic.creds, expires: '2030-01-01T00:00:00Z' } })
  const { status, body } = await send(`GET ${registries}/builds/creds`)
  expect([status, body]).toEqual([
    200,
    {
      registry: 'registry.example.com/shop',
      expires: '2030-01-01T00:00:00Z',
      secrets: { '*': { namespace: 'acme', secret: specOf()?.credentialsSecretName } },
    },
  ])
})

test('references to Secrets come back as they were sent', async () => {
  const { body } = await send(`POST ${registries}`, referring)
  expect(body).toMatchObject(referring)
  const { body: credentials } = await send(`GET ${registries}/builds/creds`)
  expect(credentials).toEqual({ registry: referring.registry, secrets: referring.secrets })
})

test('a change keeps what it omits, and new credentials are a new Secret', async () => {
  await send(`POST ${registries}`, basic)
  const former = specOf()?.credentialsSecretName
  const { status, body } = await send(`PATCH ${registries}/builds`, { enable_ci: true })
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({ enable_ci: true, registry: basic.registry }),
  ])
  expect(specOf()?.credentialsSecretName).toBe(former)
  await send(`PATCH ${registries}/builds`, { ...basic, creds: { username: 'a', password: 'b' } })
  expect(specOf()?.credentialsSecretName).not.toBe(former)
  expect(gateway.cluster.secrets).toHaveLength(2)
})

const token = { ...basic, type: 'google_gcr' }
const publicOne = { id: 'builds', registry: basic.registry, type: 'public' }
test.each<[rule: string, before: object, changes: object, credentials: object | undefined]>([
  [
    'references become credentials',
    referring,
    basic,
    { '*': { namespace: 'acme', secret: expect.stringMatching(/^builds-registry-/) } },
  ],
  ['credentials become references', basic, referring, referring.secrets],
  [
    'credentials stay for another type that has some',
    basic,
    { type: 'google_gcr' },
    { '*': expect.anything() },
  ],
  ['credentials are dropped', token, { type: 'public' }, undefined],
  ['references are dropped', referring, { type: 'public' }, undefined],
  ['a type that is sent again keeps references', referring, { type: 'secret_ref' }, referring.secrets],
  ['a public registry gets references', publicOne, referring, referring.secrets],
])('a change of the type: %s', async (_, before, changes, credentials) => {
  await send(`POST ${registries}`, before)
  expect((await send(`PATCH ${registries}/builds`, changes)).status).toBe(200)
  const { body } = await send(`GET ${registries}/builds/creds`)
  expect(body.secrets).toEqual(credentials)
})

test.each(['r.test', 'r.test:5000/a/b_c', '[::1]:5000', 'http://r.test/', 'https://index.docker.io/v1/'])(
  'a registry may be at %s',
  async (registry) => {
    const answer = await send(`POST ${registries}`, { id: 'other', type: 'public', registry })
    expect(answer).toMatchObject({ status: 201, body: { registry } })
  },
)

test('a registry at an address that an earlier version took is read and deleted', async () => {
  const registry = 'ana@r.test/shop:1.0'
  const metadata = { namespace: 'acme', name: 'old' }
  gateway.cluster.put(Registry, storedObject(Registry, metadata, { registry, type: 'public' }))
  expect(await send(`GET ${registries}/old/creds`)).toMatchObject({ body: { registry } })
  expect((await send(`GET ${registries}`)).body).toMatchObject([{ registry }])
  expect((await send(`DELETE ${registries}/old`)).status).toBe(204)
})

describe('a registry at whose address kubectl has created another one', () => {
  const add = async () => {
    await send(`POST ${registries}`, basic)
    const metadata = { namespace: 'acme', name: 'second' }
    const { registry } = basic
    gateway.cluster.put(Registry, storedObject(Registry, metadata, { registry, type: 'public' }))
  }

  test('gets new credentials', async () => {
    await add()
    const before = specOf()?.credentialsSecretName
    expect((await send(`PATCH ${registries}/builds`, { creds: basic.creds })).status).toBe(200)
    expect(specOf()?.credentialsSecretName).not.toBe(before)
  })

  test.each(['builds', 'second'])('can be sent back as it is shown, such as %s', async (id) => {
    await add()
    const { body } = await send(`GET ${registries}/${id}`)
    const writes = gateway.cluster.writes.length
    expect((await send(`PATCH ${registries}/${id}`, body)).status).toBe(200)
    expect(gateway.cluster.writes).toHaveLength(writes)
  })
})

test('a registry is deleted', async () => {
  await send(`POST ${registries}`, basic)
  expect((await send(`DELETE ${registries}/builds`)).status).toBe(204)
  expect((await send(`GET ${registries}/builds`)).status).toBe(404)
})

describe('a registry is refused', () => {
  test.each<[rule: string, operation: string, body: object, status: number]>([
    ['when its id is taken', `POST ${registries}`, { ...basic, registry: 'other.test' }, 409],
    ['when another object is for the same address', `POST ${registries}`, { ...basic, id: 'second' }, 409],
    [
      'also in another spelling',
      `POST ${registries}`,
      { ...basic, id: 'second', registry: 'https://registry.example.com/shop/' },
      409,
    ],
    ['of an unknown type', `POST ${registries}`, { ...basic, id: 'second', type: 'azure' }, 400],
    [
      'with credentials without use',
      `POST ${registries}`,
      { ...basic, id: 'second', registry: 'other.test', type: 'public' },
      400,
    ],
    ['with references without use', `POST ${registries}`, { ...referring, id: 'second', type: 'basic' }, 400],
    [
      'with references for a type without use for them',
      `PATCH ${registries}/builds`,
      { secrets: referring.secrets },
      400,
    ],
    ['without an address', `POST ${registries}`, { id: 'second', type: 'public' }, 422],
    ['with another id', `PATCH ${registries}/builds`, { id: 'second' }, 400],
    ...['*', 'ana@r.test', 'r.test/shop:1.0', 'r.test/a b', 'ftp://r.test', ''].map(
      (registry): [string, string, object, number] => [
        `at '${registry}', which is no address`,
        `POST ${registries}`,
        { id: 'second', type: 'public', registry },
        400,
      ],
    ),
  ])('%s', async (_, operation, body, status) => {
    await send(`POST ${registries}`, basic)
    expect((await send(operation, body)).status).toBe(status)
  })

  test('when the address becomes that of another object', async () => {
    await send(`POST ${registries}`, basic)
    await send(`POST ${registries}`, { id: 'second', registry: 'other.test', type: 'public' })
    expect((await send(`PATCH ${registries}/second`, { registry: basic.registry })).status).toBe(409)
  })
})
