import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { Stalled } from '../../../operator/domain/base/errors.ts'
import { failureOf, openBench } from '../support/http-driver.ts'

const bench = openBench()

const password = 'k7Rq-29xZ"/+&v'
const secrets = {
  password,
  username: 'shop_admin',
  connection: { host: 'db01.eu-central-1.example.com', port: '5432' },
}
const account = {
  type: 'service_account',
  region: 'eu-central-1',
  project_id: 'my-project-318',
  client_email: 'operator@my-project-318.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.example.com/token',
  private_key: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIOdn\n-----END PRIVATE KEY-----\n',
  passphrase: 'correct horse battery',
  pin: 'a1b2c3',
}
const values = { bucket: 'kX92-hJ4m-plain' }

function provision(outputs: FreeForm, manifests: unknown[] = []) {
  bench.server.next.push({
    status: 200,
    body: { id: 'any', type: 's3', resource: { values: outputs, secrets: { password } }, manifests },
  })
  return bench
    .driver()
    .provision(bench.provisionOf({ secrets: { ...secrets, echo: values.bucket }, account, values }))
}

describe('an output that is not secret and holds a secret input is refused', () => {
  test.each<[form: string, outputs: FreeForm]>([
    ['as it is', { dsn: password }],
    ['within a text', { dsn: `postgres://shop:${encodeURIComponent(password)}@db:5432` }],
    ['in base64', { dsn: Buffer.from(`shop:${password}`).toString('base64') }],
    ['in base64 for URLs', { dsn: Buffer.from(`shop:${password}`).toString('base64url') }],
    ['in hexadecimal', { dsn: Buffer.from(password).toString('hex') }],
    ['as JSON in a text', { dsn: JSON.stringify({ password }) }],
    ['deep inside', { dsn: [{ a: { b: `x ${password}` } }] }],
    ['as a key', { dsn: { [password]: null } }],
    ['of an account', { dsn: account.private_key }],
    ['that consists of words, as its field says that it is secret', { dsn: account.passphrase }],
  ])('%s', async (_, outputs) => {
    const error = await failureOf(provision(outputs))
    expect(error).toBeInstanceOf(Stalled)
    expect(error).toMatchObject({ reason: 'SecretLeak', message: expect.stringContaining("'dsn'") })
    expect(error.message).not.toContain(password)
  })

  test.each<[rule: string, output: string, reason: string | undefined]>([
    ['also a secret of a module', password, 'SecretLeak'],
    ['but no text of a module that is plain elsewhere', 'shop_admin', undefined],
  ])('%s', async (_, output, reason) => {
    const params = { name: 'shop_admin', variables: { PASSWORD: password, USER: 'shop_admin' } }
    const secretParams = ['/variables/PASSWORD', '/variables/USER']
    bench.server.next.push({
      status: 200,
      body: {
        id: 'any',
        type: 'workload',
        resource: { values: { dsn: output }, secrets: {} },
        manifests: [],
      },
    })
    const made = bench.driver().provision(bench.provisionOf({ secrets: {}, params, secretParams }))
    if (reason === undefined) await expect(made).resolves.toBeDefined()
    else await expect(made).rejects.toMatchObject({ reason })
  })

  test('also in the name of an output, which is not shown', async () => {
    const error = await failureOf(provision({ [password]: 'a' }))
    expect(error).toMatchObject({ reason: 'SecretLeak' })
    expect(error.message).not.toContain(password)
  })

  test('also among the containers that it adds to pods', async () => {
    const container = { name: 'side', env: [{ name: 'PASSWORD', value: password }] }
    const error = await failureOf(provision({}, [{ location: 'containers', data: container }]))
    expect(error).toMatchObject({ reason: 'SecretLeak' })
  })
})

describe('a manifest that holds a secret input', () => {
  const manifest = (kind: string, fields: FreeForm, name = 'settings', apiVersion = 'v1') => ({
    location: 'namespace',
    data: { apiVersion, kind, metadata: { name }, ...fields },
  })

  test.each<[what: string, given: unknown, shown: string]>([
    ['a ConfigMap', manifest('ConfigMap', { data: { token: account.private_key } }), "ConfigMap 'settings'"],
    ['a name, which is not shown', manifest('ConfigMap', {}, password), 'the name'],
    [
      'a Secret of another group',
      manifest('Secret', { spec: { password } }, 'settings', 'example.test/v1'),
      "Secret 'settings'",
    ],
  ])('is refused: %s', async (_, given, shown) => {
    const error = await failureOf(provision({}, [given]))
    expect(error).toMatchObject({ reason: 'SecretLeak', message: expect.stringContaining(shown) })
    expect(error.message).not.toContain(password)
  })

  test('is applied when it is a Secret', async () => {
    const { objects } = await provision({}, [manifest('Secret', { stringData: { password } })])
    expect(objects).toMatchObject([{ kind: 'Secret', stringData: { password } }])
  })
})

describe('an identifier of the account', () => {
  const uuid = '9b6a7f0e-2c1d-4a57-8f3e-1d2c3b4a5f60'
  const hex = '023e105f4ecef8ad9ca31a8372d0c353'

  test.each<[field: string, text: string, reason: string | undefined]>([
    ['tenant_id', uuid, undefined],
    ['clientId', uuid, undefined],
    ['tenant', uuid, undefined],
    ['client_secret', uuid, 'SecretLeak'],
    ['secret_id', uuid, 'SecretLeak'],
    ['auth', uuid, 'SecretLeak'],
    ['account_id', hex, undefined],
    ['cloudflareZoneId', hex, undefined],
    ['tenant', hex, undefined],
    ['session_id', hex, 'SecretLeak'],
    ['appid', hex, 'SecretLeak'],
    ['token_account_id', hex, 'SecretLeak'],
    ['account_id', `${hex}00`, 'SecretLeak'],
  ])('may be in a manifest if its field is the name of an id: %s with %s', async (field, text, reason) => {
    const annotations = { 'example.com/owner': text }
    const data = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web', annotations } }
    const resource = { values: {}, secrets: {} }
    const manifests = [{ location: 'namespace', data }]
    bench.server.next.push({ status: 200, body: { id: 'any', type: 's3', resource, manifests } })
    const made = bench.driver().provision(bench.provisionOf({ secrets: {}, account: { [field]: text } }))
    if (reason === undefined) await expect(made).resolves.toBeDefined()
    else await expect(made).rejects.toMatchObject({ reason })
  })
})

test('oversized outputs are refused before they are searched', async () => {
  const error = await failureOf(provision({ much: 'x'.repeat(2 * 1024 * 1024), dsn: password }))
  expect(error).toMatchObject({ reason: 'OutputsTooLarge' })
})

test.each<[what: string, outputs: FreeForm]>([
  ['a host that the credentials name', { host: 'db01.eu-central-1.example.com', port: 5432 }],
  ['a region and a project', { region: 'eu-central-1', project: 'projects/my-project-318' }],
  ['a user name', { user: 'shop_admin', roles: ['admin'] }],
  ['a service account', { principal: 'operator@my-project-318.iam.gserviceaccount.com' }],
  ['an address', { token_uri: 'https://oauth2.example.com/token' }],
  ['a short text', { code: 'a1b2c3' }],
  ['values of the plain inputs, too', { bucket: values.bucket }],
  ['nothing of it', { id: 'i-0a1b2c3d4e5f', ready: true, size: 12, none: null }],
])('an output may hold %s', async (_, outputs) => {
  expect((await provision(outputs)).outputs.values).toEqual(outputs)
})
