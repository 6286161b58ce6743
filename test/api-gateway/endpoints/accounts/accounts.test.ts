import { beforeEach, describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceAccount } from '../../../../operator/api/resource-account.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const accounts = '/orgs/acme/resources/accounts'
const cloudflare = { id: 'cf', name: 'Cloudflare', type: 'cloudflare', credentials: { token: 'canary-1' } }
const definition = { id: 'dns', name: 'DNS', type: 'dns', driver_type: 'x/y', driver_account: 'cf' }

function specOf(id: string) {
  return gateway.cluster.store.get(ResourceAccount, 'acme', id)?.spec
}

function contentOf(index: number): Record<string, string> {
  const data = (gateway.cluster.secrets[index]?.['data'] ?? {}) as Record<string, string> // a Secret
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
}

describe('a new account', () => {
  test('answers 200, is listed, and never shows its credentials', async () => {
    const { status, body } = await gateway.send(`POST ${accounts}`, { body: cloudflare })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: 'cf',
      name: 'Cloudflare',
      type: 'cloudflare',
      is_used: false,
      created_by: 'admin',
      created_at: expect.any(String),
    })
    expect((await gateway.send(`GET ${accounts}/cf`)).body).toEqual(body)
    expect((await gateway.send(`GET ${accounts}`)).body).toEqual([body])
    expect(JSON.stringify([specOf('cf'), gateway.logged])).not.toContain('canary')
  })

  test('is written before its Secret, which it owns and names', async () => {
    await gateway.send(`POST ${accounts}`, { body: cloudflare })
    const [secret] = gateway.cluster.secrets
    const owner = gateway.cluster.store.get(ResourceAccount, 'acme', 'cf')
    expect(secret?.metadata.name).toMatch(/^cf-credentials-[0-9a-f]{8}$/)
    expect(secret?.metadata).toMatchObject({
      namespace: 'acme',
      ownerReferences: [{ kind: 'ResourceAccount', name: 'cf', uid: owner?.metadata.uid }],
    })
    expect(specOf('cf')?.credentialsSecretName).toBe(secret?.metadata.name)
    expect(gateway.cluster.writes).toEqual([
      'create ResourceAccount acme/cf',
      `create Secret acme/${secret?.metadata.name}`,
    ])
  })

  test('keeps one key for each field, with JSON for values other than text', async () => {
    const credentials = { token: 'x', nested: { a: [1] }, port: 5, 'key.json': 'text', 'tls.crt': 'pem' }
    await gateway.send(`POST ${accounts}`, { body: { ...cloudflare, credentials } })
    expect(contentOf(0)).toEqual({
      token: 'x',
      'nested.json': '{"a":[1]}',
      'port.json': '5',
      'key.json.json': '"text"',
      'tls.crt': 'pem',
    })
  })

  test('that needs no credentials has no Secret', async () => {
    const body = { ...cloudflare, type: 'none', credentials: {} }
    expect((await gateway.send(`POST ${accounts}`, { body })).status).toBe(200)
    expect(gateway.cluster.secrets).toEqual([])
    expect(specOf('cf')).not.toHaveProperty('credentialsSecretName')
  })

  test('whose credentials cannot be kept is not there', async () => {
    gateway.cluster.failNext('create Secret', new ApiError(500, 'InternalError', 'no'))
    expect((await gateway.send(`POST ${accounts}`, { body: cloudflare })).status).toBe(500)
    expect(specOf('cf')).toBeUndefined()
    expect((await gateway.send(`POST ${accounts}`, { body: cloudflare })).status).toBe(200)
  })

  test.each<[rule: string, changes: object, status: number]>([
    ['of an unknown type', { type: 'initech-cloud' }, 200],
    ['without credentials', { credentials: undefined }, 422],
    ['with credentials that are a text', { credentials: 'x' }, 422],
    ['without a name', { name: undefined }, 422],
    ['without a type', { type: undefined }, 422],
    ['of an empty type', { type: '' }, 400],
    ['without a field that its type requires', { credentials: { key: 'x' } }, 400],
    ['with null for a field that its type requires', { credentials: { token: null } }, 400],
    ['with more than its type requires', { credentials: { token: 'x', key: 'y' } }, 200],
    ['of an unknown type, without credentials', { type: 'initech-cloud', credentials: {} }, 200],
    ['of this cluster, with credentials', { type: 'local', credentials: { key: 'x' } }, 200],
    ['with an id that cannot be', { id: 'Cf' }, 400],
    ['with a field that cannot be a key', { credentials: { 'a b': 'x' } }, 400],
    ['with a field that begins with a dot', { credentials: { '..': 'x' } }, 400],
  ])('%s', async (_, changes, status) => {
    const response = await gateway.send(`POST ${accounts}`, { body: { ...cloudflare, ...changes } })
    expect(response.status).toBe(status)
    expect(gateway.cluster.writes.length > 0).toBe(status === 200)
  })

  test.each([
    ['true', 204],
    ['false', 200],
    ['perhaps', 400],
  ])('with dry_run=%s', async (value, status) => {
    const response = await gateway.send(`POST ${accounts}?dry_run=${value}`, { body: cloudflare })
    expect(response.status).toBe(status)
    expect(specOf('cf') !== undefined).toBe(status === 200)
    expect(gateway.cluster.secrets).toHaveLength(status === 200 ? 1 : 0)
  })

  test.each(['', '?dry_run=true'])('with an id that is taken is a conflict (%s)', async (query) => {
    await gateway.send(`POST ${accounts}`, { body: cloudflare })
    expect((await gateway.send(`POST ${accounts}${query}`, { body: cloudflare })).status).toBe(409)
  })
})

describe('a change of an account', () => {
  beforeEach(() => gateway.send(`POST ${accounts}`, { body: cloudflare }))

  test('of its credentials makes a new Secret first, and never touches the old one', async () => {
    const before = specOf('cf')?.credentialsSecretName
    gateway.cluster.writes.length = 0
    const body = { credentials: { token: 'canary-2' } }
    const { status, body: answer } = await gateway.send(`PATCH ${accounts}/cf`, { body })
    expect(status).toBe(200)
    expect(JSON.stringify(answer)).not.toContain('canary')
    const after = specOf('cf')?.credentialsSecretName
    expect(after).not.toBe(before)
    expect(contentOf(1)).toEqual({ token: 'canary-2' })
    expect(gateway.cluster.writes).toEqual([
      'patch ResourceAccount acme/cf',
      `create Secret acme/${after}`,
      'replace ResourceAccount acme/cf',
    ])
    expect(gateway.cluster.secrets[1]?.metadata.ownerReferences).toEqual(
      gateway.cluster.secrets[0]?.metadata.ownerReferences,
    )
  })

  test.each<[rule: string, body: object, status: number, spec: object, secrets: number]>([
    ['of its name leaves the credentials', { name: 'New' }, 200, { displayName: 'New' }, 1],
    ['to no credentials', { credentials: {} }, 400, { displayName: 'Cloudflare' }, 1],
    [
      'to others than its type requires',
      { credentials: { key: 'x' } },
      400,
      { displayName: 'Cloudflare' },
      1,
    ],
    ['of nothing', {}, 200, { displayName: 'Cloudflare' }, 1],
    [
      'of its type is ignored',
      { type: 'local', name: 'CF' },
      200,
      { type: 'cloudflare', displayName: 'CF' },
      1,
    ],
    ['of its type alone', { type: 'local' }, 422, { type: 'cloudflare' }, 1],
    ['to credentials that cannot be', { credentials: { '': 'x' } }, 400, { displayName: 'Cloudflare' }, 1],
  ])('%s', async (_, body, status, spec, secrets) => {
    const before = specOf('cf')
    expect((await gateway.send(`PATCH ${accounts}/cf`, { body })).status).toBe(status)
    expect({ ...specOf('cf') }).toEqual({ ...before, ...spec })
    expect(gateway.cluster.secrets).toHaveLength(secrets)
  })

  test('to no credentials, of a type that requires none', async () => {
    const path = `${accounts}/free`
    await gateway.send(`POST ${accounts}`, { body: { ...cloudflare, id: 'free', type: 'initech-cloud' } })
    expect(specOf('free')).toHaveProperty('credentialsSecretName')
    expect((await gateway.send(`PATCH ${path}`, { body: { credentials: {} } })).status).toBe(200)
    expect(specOf('free')).not.toHaveProperty('credentialsSecretName')
  })

  test.each<[rule: string, credentials: object]>([
    ['without a field that its type requires', {}],
    ['with a number in the place of a text', { token: 5 }],
    ['with an empty text', { token: '' }],
  ])('%s is refused in a dry run too', async (_, credentials) => {
    const body = { ...cloudflare, id: 'other', credentials }
    for (const [operation, sent] of [
      [`POST ${accounts}?dry_run=true`, body],
      [`PATCH ${accounts}/cf?dry_run=true`, { credentials }],
    ] as const) {
      const { status, body: answer } = await gateway.send(operation, { body: sent })
      expect([operation, status, answer.message]).toEqual([
        operation,
        400,
        expect.stringContaining("'token'"),
      ])
    }
  })

  test('that is a dry run writes nothing', async () => {
    gateway.cluster.writes.length = 0
    const response = await gateway.send(`PATCH ${accounts}/cf?dry_run=true`, {
      body: { name: 'New', credentials: { token: 'x' } },
    })
    expect(response.status).toBe(204)
    expect(gateway.cluster.writes).toEqual([])
  })

  test('of a missing account is not found', async () => {
    expect((await gateway.send(`PATCH ${accounts}/other`, { body: {} })).status).toBe(404)
  })
})

describe('deletion of an account', () => {
  beforeEach(() => gateway.send(`POST ${accounts}`, { body: cloudflare }))

  test('that nothing uses', async () => {
    expect((await gateway.send(`DELETE ${accounts}/cf`)).status).toBe(204)
    expect((await gateway.send(`GET ${accounts}/cf`)).status).toBe(404)
    expect((await gateway.send(`DELETE ${accounts}/cf`)).status).toBe(404)
  })

  test('that a definition and a resource use is a conflict that names both', async () => {
    await gateway.send('POST /orgs/acme/resources/defs', { body: definition })
    addEnvironment(gateway)
    const resource = addResource(
      gateway,
      {},
      { spec: { definition: { definitionName: 'gone', driverType: 'x/y', accountName: 'cf' } } },
    )
    const { status, body } = await gateway.send(`DELETE ${accounts}/cf`)
    expect(status).toBe(409)
    expect(body.details).toEqual({
      referencing_resources: { resource_definitions: ['dns'], active_resources: [resource] },
    })
    expect(specOf('cf')).toBeDefined()
  })

  test('is refused while a provisioned instance uses the account', async () => {
    addEnvironment(gateway)
    addResource(gateway, {}, { status: { provisioned: { driverType: 'x/y', accountName: 'cf' } } })
    expect((await gateway.send(`GET ${accounts}/cf`)).body.is_used).toBe(true)
    expect((await gateway.send(`DELETE ${accounts}/cf`)).status).toBe(409)
  })

  test('a definition of another organization does not use it', async () => {
    await gateway.send('POST /orgs/globex/resources/defs', { body: definition })
    expect((await gateway.send(`GET ${accounts}/cf`)).body.is_used).toBe(false)
    expect((await gateway.send(`DELETE ${accounts}/cf`)).status).toBe(204)
  })
})

test('an account made by kubectl is known by its id', async () => {
  const metadata = { namespace: 'acme', name: 'by.kubectl' }
  gateway.cluster.put(ResourceAccount, newObject(ResourceAccount, metadata, { type: 'local' }))
  const { body } = await gateway.send(`GET ${accounts}/by.kubectl`)
  expect(body).toMatchObject({ id: 'by.kubectl', name: 'by.kubectl', type: 'local', created_by: '' })
})

test('the account types are those that drivers take, and none', async () => {
  const { body } = await gateway.send('GET /orgs/acme/resources/account-types')
  expect(body.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['cloudflare', 'local', 'none']),
  )
})
