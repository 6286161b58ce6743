import { beforeEach, describe, expect, test } from '@jest/globals'
import { newObject } from '../../../../operator/api/kind.ts'
import { ResourceDefinition } from '../../../../operator/api/resource-definition.ts'
import type { FreeForm } from '../../../../operator/api/schema.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { showStale } from '../../support/stale-objects.ts'

const gateway = await setUpGateway()

const defs = '/orgs/acme/resources/defs'
const s3 = { id: 's3', name: 'S3', type: 's3', driver_type: 'quartermaster/echo' }
const { id: _, type: _type, ...replacement } = s3
const secrets = { token: 'canary' }
const secret_refs = { token: { store: 'kubernetes', ref: 'creds/token' } }
const inOurs = { token: { secret: expect.stringMatching(/^s3-inputs-/), key: 'token' } }
const inTheirs = { token: { secret: 'creds', key: 'token' } }

function keptReferences() {
  return gateway.cluster.store.get(ResourceDefinition, 'acme', 's3')?.spec.driverInputs?.secretRefs ?? {}
}

/** Stores a definition as kubectl does. */
function putManifest(secretRefs: FreeForm) {
  const spec = { type: 's3', driverType: 'quartermaster/echo', driverInputs: { secretRefs } }
  return gateway.cluster.put(
    ResourceDefinition,
    newObject(ResourceDefinition, { namespace: 'acme', name: 's3' }, spec),
  )
}

describe.each<[string, string, object]>([
  ['a new definition', `POST ${defs}`, s3],
  ['a replacement', `PUT ${defs}/s3`, replacement],
  ['a change', `PATCH ${defs}/s3`, {}],
])('in %s', (_, operation, rest) => {
  beforeEach(async () => {
    if (!operation.startsWith('POST')) await gateway.send(`POST ${defs}`, { body: s3 })
  })
  const send = (inputs: object) =>
    gateway.send(operation, { body: { ...rest, driver_inputs: { values: {}, ...inputs } } })

  test.each<[string, object, object]>([
    ['empty references beside secrets count as absent', { secrets, secret_refs: {} }, inOurs],
    ['empty secrets beside references count as absent', { secrets: {}, secret_refs }, inTheirs],
    ['both may be empty', { secrets: {}, secret_refs: {} }, {}],
  ])('%s', async (_, inputs, expected) => {
    expect((await send(inputs)).status).toBe(200)
    expect(keptReferences()).toEqual(expected)
    expect(gateway.cluster.secrets).toHaveLength(expected === inOurs ? 1 : 0)
  })

  test('secrets and references exclude each other: 400', async () => {
    expect((await send({ secrets, secret_refs })).status).toBe(400)
    expect(keptReferences()).toEqual({})
  })
})

test('a driver checks the secret part of its inputs', async () => {
  const driver_inputs = {
    values: { zone_id: 'zone-1', domain: 'example.com' },
    secrets: {},
    secret_refs: { tls: { store: 'kubernetes', ref: 'certificate' } },
  }
  const body = { ...s3, type: 'dns', driver_type: 'quartermaster/dns-cloudflare', driver_inputs }
  expect((await gateway.send(`POST ${defs}`, { body })).status).toBe(200)
})

describe.each(['PUT', 'PATCH'])('a text of a manifest that %s sends', (method) => {
  const send = (secret_refs: object) =>
    gateway.send(`${method} ${defs}/s3`, {
      body: { ...(method === 'PUT' ? replacement : {}), name: 'New', driver_inputs: { secret_refs } },
    })

  test('stays in the definition', async () => {
    const secretRefs = { token: { value: 'canary' } }
    putManifest(secretRefs)
    expect((await send(secretRefs)).status).toBe(200)
    expect(keptReferences()).toEqual(secretRefs)
  })

  test.each([
    ['alone', {}],
    ['with another text', { other: { value: 'canary-2' } }],
  ])('gets into a Secret if another gateway moved it into one a moment ago, %s', async (_, others) => {
    const sent = { token: { value: 'canary' } }
    const old = putManifest(sent)
    const body = { driver_inputs: { secrets } }
    expect((await gateway.send(`PATCH ${defs}/s3`, { body })).status).toBe(200)
    const end = showStale(gateway, ResourceDefinition, 's3', [old])
    const { status } = await send({ ...sent, ...others })
    end()
    expect(status).toBe(200)
    expect(keptReferences()).toMatchObject(inOurs)
    const { secret } = keptReferences()['token'] as { secret: string }
    const data = gateway.cluster.secrets.find(({ metadata }) => metadata.name === secret)?.data
    expect(Object.keys(data ?? {})).toEqual(['token', ...Object.keys(others)])
  })
})

test('a version of a manifest stays when the definition is written back', async () => {
  const secretRefs = { token: { secret: 's3-inputs-prod', key: 'token', version: '1' } }
  putManifest(secretRefs)
  const { body } = await gateway.send(`GET ${defs}/s3`)
  expect((await gateway.send(`PUT ${defs}/s3`, { body })).status).toBe(200)
  expect(keptReferences()).toEqual(secretRefs)
})

test('keys that a Secret cannot have get different names, however many they are', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 9000 }, (_, i) => [String.fromCodePoint(0x4e00 + i), 'x']),
  )
  const inputs = { values: {}, secrets: many }
  expect((await gateway.send(`POST ${defs}`, { body: { ...s3, driver_inputs: inputs } })).status).toBe(200)
  const keys = Object.values(keptReferences()).map((each) => (each as { key: string }).key)
  expect(new Set(keys).size).toBe(9000)
})

describe('a reference of a request', () => {
  const post = (token: unknown) =>
    gateway.send(`POST ${defs}`, { body: { ...s3, driver_inputs: { values: {}, secret_refs: { token } } } })
  const { token: inCluster } = inTheirs
  const other = { store: 'vault', ref: 'a/b/c' }

  test.each<[rule: string, token: FreeForm, expected: FreeForm]>([
    ['names a key of a Secret', secret_refs.token, inCluster],
    ['names one without a store', { ref: 'creds/token' }, inCluster],
    ['names one with a store that is null', { store: null, ref: 'creds/token', version: null }, inCluster],
    ['names one with an empty store', { store: '', ref: 'creds/token' }, inCluster],
    ['names a Secret as a whole', { ref: 'creds' }, { secret: 'creds' }],
    [
      'keeps the version of a Secret of others',
      { ref: 'creds/token', version: '1' },
      { ...inCluster, version: '1' },
    ],
    ['names a secret of another store', { ...other, version: '7' }, { ...other, version: '7' }],
    ['of another store may have no version', { ...other, version: null }, other],
  ])('%s', async (_, token, expected) => {
    expect((await post(token)).status).toBe(200)
    expect(keptReferences()).toEqual({ token: expected })
    expect(gateway.cluster.secrets).toEqual([])
  })

  test.each<[rule: string, token: unknown]>([
    ['a text', 'creds/token'],
    ['a store that is no text', { store: 7, ref: 'creds/token' }],
    ['no name', { ref: '' }],
    ['no Secret', { ref: '/token' }],
    ['an empty key', { ref: 'creds/' }],
    ['a key of a key', { ref: 'creds/token/a' }],
    ['a Secret that cannot exist', { ref: 'Creds/token' }],
    ['a Secret of another namespace', { ref: '../creds' }],
    ['a key that cannot exist', { ref: 'creds/to ken' }],
  ])('is refused with %s', async (_, token) => {
    const { status, body } = await post(token)
    expect([status, body.message]).toEqual([400, expect.stringContaining("'secret_refs.token'")])
    expect(keptReferences()).toEqual({})
  })

  test.each<[what: string, value: unknown, key: string, text: string]>([
    ['a text', 'canary', 'token', 'canary'],
    ['a list', ['canary'], 'token.json', '["canary"]'],
    ['no truth', false, 'token.json', 'false'],
    ['a number', 0, 'token.json', '0'],
  ])('becomes a Secret from %s', async (_, value, key, text) => {
    expect((await post({ value })).status).toBe(200)
    const [secret] = gateway.cluster.secrets
    expect(keptReferences()).toEqual({ token: { secret: secret?.metadata.name, key } })
    expect(secret?.data).toEqual({ [key]: Buffer.from(text).toString('base64') })
  })
})
