import { beforeAll, describe, expect, test } from '@jest/globals'
import { stateOfDeployment } from '../../../operator/domain/deployment/deployment.ts'
import { makeTestOrganization, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeTestOrganization(sharedCluster(), 'bounds')
const long = 'x'.repeat(65_000)
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const named = <T>(count: number, prefix: string, make: (i: number) => T) =>
  Object.fromEntries(numbers(count).map((i) => [`${prefix}${i}`, make(i)]))
const modules = {
  api: { spec: { containers: { main: { variables: { A: '${values.SECRET}'.repeat(350) } } } } },
}

beforeAll(async () => {
  await organization.application('shop')
  for (const name of ['dev', 'large', 'secret', 'set', 'wide', 'fits'])
    await organization.environment('shop', name)
  const by = (driver: string) => ({ driverType: `quartermaster/${driver}`, criteria: [{}] })
  await organization.define('redis', { type: 'redis', ...by('echo') })
  await organization.define('workload', { type: 'workload', ...by('workload') })
  await organization.define('s3', {
    type: 's3',
    ...by('echo'),
    driverInputs: { values: { text: 'x'.repeat(480_000) } },
  })
  const keys = ['X', ...numbers(30).map((i) => `V${i}`)]
  for (const key of keys) await rest('POST', '/apps/shop/values', { key, description: '', value: long })
  const secret = { key: 'SECRET', description: '', value: long, is_secret: true }
  await rest('POST', '/apps/shop/values', secret)
})

async function rest(method: string, path: string, body: unknown) {
  const answer = await organization.rest(method, path, body)
  expect(answer).toMatchObject({ status: expect.any(Number) })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

/** Deploys over REST, where a running deployment blocks the next one, and waits for the end. */
async function deploy(shared: Record<string, object>, environment = 'dev', more: object = {}) {
  const operations = Object.entries(shared).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }))
  const delta = await rest('POST', '/apps/shop/deltas', { shared: operations, ...more })
  const { id } = await rest('POST', `/apps/shop/envs/${environment}/deploys`, {
    delta_id: String(delta.id ?? delta),
  })
  const deployment = await organization.ended(String(id), 20_000)
  const path = `/apps/shop/envs/${environment}/deploys/${id}`
  const state = stateOfDeployment(deployment)
  await organization.untilRest(path, ({ status }: { status: string }) => status === state)
  const { body: errors } = await organization.rest('GET', `${path}/errors`)
  return { state, errors, message: readyOf(deployment).message }
}

const good = (name: string) => ({ [name]: { type: 'redis' } })
const redis = (params: object) => ({ type: 'redis', params })
const often = '${values.X}'.repeat(350)

describe('a deployment that would be too large fails, says why, and the next one is accepted:', () => {
  test.each<[what: string, shared: Record<string, object>, code: string, count: number]>([
    ['values put in very often', named(12, 'r', () => redis(named(20, 'p', () => often))), 'TooLarge', 12],
    ['a name of 4,080 characters', { r: redis({ a: `\${values.${'Z'.repeat(4080)}}` }) }, 'UnknownValue', 1],
    [
      'very many names of 4 KB',
      { r: redis(named(230, 'p', (i) => `\${values.A${i}${'Z'.repeat(4000)}}`)) },
      'UnknownValue',
      201,
    ],
    [
      'values that one resource cannot hold',
      { r: redis({ a: numbers(30).map((i) => `\${values.V${i}}`) }) },
      'ResourceTooLarge',
      2,
    ],
  ])('%s', async (_, shared, code, count) => {
    const { state, errors, message } = await deploy(shared)
    expect(state).toBe('failed')
    expect(errors).toHaveLength(count)
    expect(errors.map((each: { code: string }) => each.code)).toContain(code)
    expect(message).not.toBe('')
    expect((await deploy(good('fine'))).state).toBe('succeeded')
  })

  test('secret values put in very often, whose length only the provisioning knows', async () => {
    const { state, errors } = await deploy({}, 'secret', { modules: { add: modules } })
    expect([state, errors]).toMatchObject(['failed', [{ code: 'TooLarge' }]])
    expect((await deploy(good('fine'), 'secret', { modules: { remove: ['api'] } })).state).toBe('succeeded')
  })

  test('a resource whose outputs do not go in beside its inputs', async () => {
    const text = 'x'.repeat(800_000)
    const { state, errors } = await deploy({ files: { type: 's3', params: { text } } }, 'large')
    expect([state, errors]).toMatchObject(['failed', [{ code: 'StatusRejected' }]])
    const removal = { shared: [{ op: 'remove', path: '/files' }] }
    expect((await deploy({}, 'large', removal)).state).toBe('succeeded')
  })

  test.each([
    ['set', 800_000],
    ['wide', 1_200_000],
  ])('a set that a delta makes too large, in environment %s', async (environment, length) => {
    const name = `shop.${environment}`
    const content = (id: string) => ({ [id]: redis({ text: 'x'.repeat(length) }) })
    const first = await organization.deploy(name, { shared: content('a') })
    expect(stateOfDeployment(first)).toBe('succeeded')
    const shared = [{ op: 'add', path: '/b', value: content('b')['b'] }]
    const delta = { applicationName: 'shop', shared }
    await organization.apply('deploymentdeltas', 'DeploymentDelta', environment, delta)
    const spec = { environmentName: name, deltaName: environment }
    await organization.apply('environmentdeployments', 'EnvironmentDeployment', `${name}.9`, spec)
    const { status } = await organization.ended(`${name}.9`)
    expect(status?.problems).toMatchObject([{ reason: 'Rejected' }])
    expect((await deploy(good('fine'), environment)).state).toBe('succeeded')
  })
})

test.each([
  ['params of 1,350,000 characters', { text: 'x'.repeat(1_350_000) }],
  ['6,000 names of 98 characters, which are kept twice', named(6000, 'k'.repeat(94), () => '')],
])('planned content can be stored: %s', async (_, params) => {
  const deployment = await organization.deploy('shop.fits', { shared: { r: redis(params) } })
  expect(stateOfDeployment(deployment)).toBe('succeeded')
})
