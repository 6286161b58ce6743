import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { kinds } from '../../../operator/api/kinds.ts'
import { finalizer } from '../../../operator/api/names.ts'
import type { HttpDriverServer } from '../../drivers/support/http-driver-server.ts'
import { conditionStatus, eventually, makeTestOrganization, readyOf } from '../support/client.ts'
import { endEnvironment, gone, namespaceOf, objectAt, readinessIn, secretAt } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { thirdPartyOf } from '../support/third-party.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'third-party')
const secretsPath = `/api/v1/namespaces/${organization.id}/secrets`
const canaries = { token: 'canary-secret-input', account: 'canary-account', output: 'canary-secret-output' }
const { serve, registerByRest, registerByKubectl, deploy, redeploy, bucketIn, close } =
  thirdPartyOf(organization)

beforeAll(async () => {
  await organization.application('shop')
  await organization.kube('POST', secretsPath, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    stringData: { token: canaries.token },
  })
  const credentials = { aws_access_key_id: 'key', aws_secret_access_key: canaries.account }
  const account = { id: 'cloud', name: 'Cloud', type: 'aws', credentials }
  expect((await organization.rest('POST', '/resources/accounts', account)).status).toBe(200)
})

afterAll(close)

const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'bucket' },
  spec: { defaultBackend: { service: { name: 'bucket', port: { number: 80 } } } },
}

describe.each([
  [
    'over REST',
    'by-rest',
    async (target: string) => (await registerByRest('by-rest', target)).status === 200,
  ],
  [
    'by kubectl',
    'by-kubectl',
    async (target: string) => Boolean(await registerByKubectl('by-kubectl', target)),
  ],
])('a driver registered %s', (_, id, register) => {
  const objectPath = `/apis/networking.k8s.io/v1/namespaces/${namespaceOf(organization, id)}/ingresses/bucket`
  let server: HttpDriverServer
  let guResId = ''
  let cookiePath = ''

  beforeAll(async () => {
    server = await serve({
      answer: (_input, each) => ({
        type: 's3',
        resource: { values: { bucket: each.slice(0, 8) }, secrets: { key: canaries.output } },
        manifests: [{ location: 'namespace', data: ingress }],
      }),
    })
    expect(await register(server.target)).toBe(true)
    const deployment = await deploy(id, id, {
      accountName: 'cloud',
      driverInputs: {
        values: { region: '${context.env.id}' },
        secretRefs: { token: { secret: 'login', key: 'token' } },
      },
    })
    expect(readyOf(deployment)).toEqual({ reason: 'Reconciled', message: '' })
    guResId = (await bucketIn(id)).metadata.name
  })

  test('receives PUT at the target and the GUResID with the values of the definition and the workload', () => {
    expect(server.journal.map(({ method, url }) => [method, url])).toEqual([['PUT', `/driver/${guResId}`]])
    expect(JSON.parse(server.journal[0]?.body ?? '')).toEqual({
      type: 's3',
      resource: { size: 3 },
      driver: {
        values: { region: id },
        secrets: {
          token: canaries.token,
          account: { aws_access_key_id: 'key', aws_secret_access_key: canaries.account },
        },
      },
    })
  })

  test('gives outputs, the secret ones into the Secret of the outputs', async () => {
    const { status } = await bucketIn(id)
    expect(status?.outputs).toEqual({ bucket: guResId.slice(0, 8) })
    expect(status?.outputsSecretName).toBe(`${guResId}-outputs`)
    expect(await secretAt(organization, `${secretsPath}/${guResId}-outputs`)).toEqual({
      key: canaries.output,
    })
  })

  test('gives manifests, which are applied in the namespace of the environment', async () => {
    expect(await objectAt(organization, objectPath)).toMatchObject({ spec: ingress.spec })
  })

  test('gives a cookie, which is kept in a Secret with our finalizer', async () => {
    const names = (await bucketIn(id)).status?.secretNames ?? []
    const name = names.find((each) => each.startsWith(`${guResId}-cookie-`)) ?? ''
    cookiePath = `${secretsPath}/${name}`
    expect(await secretAt(organization, cookiePath)).toEqual({ cookie: `made-${guResId.slice(0, 4)}` })
    const { metadata } = (await objectAt(organization, cookiePath)) ?? {}
    expect(metadata?.finalizers).toContain(finalizer)
  })

  test('is asked no more when nothing changed', async () => {
    await redeploy(id)
    expect(server.journal).toHaveLength(1)
  })

  test('receives DELETE with its cookie when the environment is deleted, and all its outputs are deleted too', async () => {
    await endEnvironment(organization, id)
    const last = server.journal.at(-1)
    expect([last?.method, last?.url]).toEqual(['DELETE', `/driver/${guResId}`])
    expect(last?.headers['humanitec-driver-cookie']).toBe(`made-${guResId.slice(0, 4)}`)
    expect(server.existing.size).toBe(0)
    await gone(organization, [cookiePath, objectPath, `/api/v1/namespaces/${namespaceOf(organization, id)}`])
  })
})

test('another driver at the same target takes the resource over, with its cookie', async () => {
  const server = await serve()
  await registerByKubectl('former-name', server.target)
  await registerByKubectl('new-name', `${server.target}/`)
  await deploy('renamed', 'former-name')
  const { name: guResId } = (await bucketIn('renamed')).metadata
  const cookie = `made-${guResId.slice(0, 4)}`
  const { status } = await deploy('renamed', 'new-name')
  expect(status?.plan).toMatchObject({ update: 1, replace: 0 })
  expect(server.journal.map(({ method }) => method)).toEqual(['PUT', 'PUT'])
  expect(server.journal[1]?.headers['humanitec-driver-cookie']).toBe(cookie)
  const { secretNames = [], provisioned } = (await bucketIn('renamed')).status ?? {}
  expect(provisioned?.driverType).toBe(`${organization.id}/new-name`)
  const [name] = secretNames
  expect(secretNames).toHaveLength(1)
  expect(await secretAt(organization, `${secretsPath}/${name}`)).toEqual({ cookie })
  await endEnvironment(organization, 'renamed')
  expect(server.journal.at(-1)).toMatchObject({ method: 'DELETE' })
  expect(server.existing.size).toBe(0)
})

test('202 is asked again until 200, with the cookie, which is kept from the first answer on', async () => {
  const server = await serve()
  const cookie = { 'set-humanitec-driver-cookie': 'of-the-first-answer' }
  const busy = { status: 202, body: { status: 'creating' } }
  server.next.push({ status: 202, headers: cookie }, ...Array.from({ length: 100 }, () => busy))
  await registerByKubectl('slow', server.target)
  const deployed = deploy('slow', 'slow')
  const kept = await eventually('the cookie', 30_000, async () => {
    const { metadata, status } = await bucketIn('slow')
    const name = status?.secretNames?.find((each) => each.startsWith(`${metadata.name}-cookie-`))
    return secretAt(organization, `${secretsPath}/${name}`)
  })
  expect(kept).toEqual({ cookie: 'of-the-first-answer' })
  await eventually('a second call', 30_000, async () => server.journal.length > 1 || undefined)
  server.next.length = 0
  expect(conditionStatus(await deployed, 'Ready')).toBe('True')
  const [first, ...others] = server.journal.map(({ headers }) => headers['humanitec-driver-cookie'])
  expect(others.length).toBeGreaterThan(1)
  expect([first, ...others]).toEqual([undefined, ...others.map(() => 'of-the-first-answer')])
})

test('during a slow driver call a second deployment is refused, and later accepted', async () => {
  const again = async () =>
    (await organization.rest('POST', '/apps/shop/envs/busy/deploys', { comment: 'again' })).status
  const server = await serve()
  server.next.push(...Array.from({ length: 100 }, () => ({ status: 202, body: { status: 'creating' } })))
  await registerByKubectl('busy', server.target)
  const first = deploy('busy', 'busy')
  await eventually('its first call', 30_000, async () => server.journal.length > 0 || undefined)
  await eventually('a gateway that knows of it', 30_000, async () => (await again()) === 409 || undefined)
  expect(await again()).toBe(409)
  server.next.length = 0
  expect(readyOf(await first).reason).toBe('Reconciled')
  await eventually(
    'a gateway that knows of the end',
    30_000,
    async () => (await again()) === 201 || undefined,
  )
})

describe('a driver with a schema of its inputs', () => {
  const inputsSchema = {
    type: 'object',
    properties: { values: { type: 'object', properties: { size: { type: 'integer', maximum: 10 } } } },
  }
  const definition = (id: string, size: unknown) => ({
    id,
    name: id,
    type: 's3',
    driver_type: `${organization.id}/strict`,
    driver_inputs: { values: { size } },
  })

  beforeAll(async () => {
    const { target } = await serve()
    expect((await registerByRest('strict', target, { inputs_schema: inputsSchema })).status).toBe(200)
  })

  test.each([
    ['inputs that break it: 400', 'broken', 11, 400],
    ['inputs that keep it: 200', 'kept', 10, 200],
    ['a placeholder passes: 200', 'open', '${context.env.id}', 200],
  ])('over REST, %s', async (_, id, size, expected) => {
    const { status, body } = await organization.rest('POST', '/resources/defs', definition(id, size))
    expect(status).toBe(expected)
    if (expected === 400) expect(body.message).toContain("'values.size'")
  })

  test.each([
    ['inputs that break it: InvalidInputs', 'broken-too', 'many', 'InvalidInputs'],
    ['inputs that keep it: Reconciled', 'kept-too', 10, 'Reconciled'],
    ['a placeholder passes: Reconciled', 'open-too', '${context.env.id}', 'Reconciled'],
  ])('by kubectl, %s', async (_, id, size, expected) => {
    await organization.define(id, {
      type: 's3',
      driverType: `${organization.id}/strict`,
      driverInputs: { values: { size } },
    })
    await eventually(expected, 30_000, async () =>
      readyOf(await organization.get('resourcedefinitions', id)).reason === expected ? true : undefined,
    )
  })
})

test('400 of a driver is for a person: DriverRefused, in its words without the secrets', async () => {
  const server = await serve()
  server.next.push({
    status: 400,
    body: { error: 'RES-103', message: `no region 'mars' for ${canaries.token}` },
  })
  await registerByKubectl('picky', server.target)
  const secretRefs = { token: { secret: 'login', key: 'token' } }
  expect(conditionStatus(await deploy('picky', 'picky', { driverInputs: { secretRefs } }), 'Ready')).toBe(
    'False',
  )
  const message = await readinessIn(organization, 'picky', 's3', 'DriverRefused')
  expect(message).toContain("RES-103: no region 'mars'")
  expect(message).not.toContain(canaries.token)
  expect(server.journal).toHaveLength(1)
})

test('500 of a driver is tried again', async () => {
  const server = await serve()
  server.next.push({ status: 500, body: 'out of order' }, 'break')
  await registerByKubectl('shaky', server.target)
  expect(conditionStatus(await deploy('shaky', 'shaky'), 'Ready')).toBe('True')
  expect(server.journal).toHaveLength(3)
})

test.each([
  ['a private network', 'private', 'http://10.255.0.1/', "setting 'QUARTERMASTER_OUTBOUND_ALLOWED'"],
  ['the metadata of the machine', 'metadata', 'http://169.254.169.254/', '169.254.169.254'],
])('a target in %s is not called: TargetRefused', async (_, id, target, hint) => {
  await registerByKubectl(id, target)
  expect(conditionStatus(await deploy(id, id), 'Ready')).toBe('False')
  expect(await readinessIn(organization, id, 's3', 'TargetRefused')).toContain(hint)
})

test('no secret that was sent or given is in an object, an event or a log', async () => {
  const objects = await Promise.all(kinds.map(({ plural }) => organization.list(plural)))
  const { body: events } = await organization.kube('GET', `/api/v1/namespaces/${organization.id}/events`)
  const logs = ['gateway.log', 'operator.log'].map((name) =>
    readFileSync(join(cluster.directory, name), 'utf8'),
  )
  const text = JSON.stringify([objects, events, logs])
  for (const canary of Object.values(canaries)) {
    expect(text).not.toContain(canary)
    expect(text).not.toContain(Buffer.from(canary).toString('base64'))
  }
})
