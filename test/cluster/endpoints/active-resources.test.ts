import { beforeAll, describe, expect, test } from '@jest/globals'
import { issueCertificate } from '../../../dev/development-authority.ts'
import { eventually } from '../support/client.ts'
import { cloudflareAt } from '../support/cloudflare.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { type HttpAnswer, makeRestOrganization } from './twelve-endpoints.ts'

const cluster = sharedCluster()
const provider = cloudflareAt(cluster.cloudflare)
const [{ id: org, send, deploy }, zone] = await Promise.all([
  makeRestOrganization(cluster, 'resources'),
  provider.makeZone(),
])
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
const hex = expect.stringMatching(/^[0-9a-f]{32,}$/)
const text = expect.stringMatching(/./)
const path = '~/apps/shop/envs/dev/resources'
const sdk = { headers: { 'humanitec-user-agent': 'sdk example/1.0' } }
const module = { profile: 'humanitec/default-module', spec: {}, externals: {} }

interface Shown {
  readonly res_id: string
  readonly type: string
  readonly class: string
  readonly gu_res_id: string
}
const keyOf = ({ type, class: name, res_id }: Shown) => `${type}.${name}#${res_id}`
const listed = async (at = path, request: object = {}): Promise<Shown[]> =>
  (await send(`GET ${at}`, request)).body
const descriptors = async (at?: string) => (await listed(at)).map(keyOf).sort()
const define = (body: object) => send('POST ~/resources/dynamic', { body: { criteria: [{}], ...body } })

beforeAll(async () => {
  const token = await provider.makeToken(zone)
  const { crt, key } = await issueCertificate(cluster.directory, [`*.${zone.name}`])
  const account = { id: 'dns', name: 'DNS', type: 'cloudflare', credentials: { token: token.value } }
  await send('POST ~/resources/accounts', { body: account })
  await define({
    id: 'names',
    name: 'Names',
    type: 'dns',
    account_id: 'dns',
    driver_type: 'quartermaster/dns-cloudflare',
    driver_params: {
      values: { zone_id: zone.id, domain: zone.name },
      secrets: { tls: { 'tls.crt': crt, 'tls.key': key } },
    },
  })
  const values = { host: '${context.res.id}' }
  const params = { values, secrets: { password: 'not-to-be-seen' } }
  const redis = { name: 'Caches', type: 'redis', driver_type: 'quartermaster/echo', driver_params: params }
  await define({ ...redis, id: 'caches' })
  await define({ ...redis, id: 'large-caches', criteria: [{ class: 'large' }] })
  const add = (pointer: string, type: string) => ({ op: 'add', path: pointer, value: { type } })
  const { status } = await deploy('dev', {
    modules: { add: { web: { ...module, externals: { cache: { type: 'redis', class: 'large' } } } } },
    shared: [
      add('/spec/shared/one', 'redis'),
      add('/spec/shared/two', 'redis.large'),
      add('/spec/shared/three', 'redis.large'),
      add('/spec/shared/four', 'redis.default'),
      add('/spec/shared/main', 'dns'),
      add('/spec/shared/other', 'dns'),
    ],
  })
  expect(status).toBe('succeeded')
})

describe('endpoint 8: the active resources of an environment', () => {
  test('are those of the dependencies, the class apart from the type', async () => {
    expect(await descriptors()).toEqual([
      'dns.default#shared.main',
      'dns.default#shared.other',
      'redis.default#shared.four',
      'redis.default#shared.one',
      'redis.large#modules.web.externals.cache',
      'redis.large#shared.three',
      'redis.large#shared.two',
      'workload.default#modules.web',
    ])
  })

  test('have all fields, and `metadata` and `status` as the specification shows them', async () => {
    const one = (await listed()).find(({ res_id }) => res_id === 'shared.two')
    const { gu_res_id: guResId } = one ?? {}
    expect(one).toEqual({
      org_id: org,
      app_id: 'shop',
      env_id: 'dev',
      env_type: 'development',
      res_id: 'shared.two',
      type: 'redis',
      class: 'large',
      def_id: 'large-caches',
      def_version_id: text,
      criteria_id: text,
      driver_type: 'quartermaster/echo',
      deploy_id: 'shop.dev.1',
      gu_res_id: hex,
      resource: { host: 'shared.two' },
      secret_refs: { password: { store: 'kubernetes', ref: `${guResId}-outputs/password` } },
      updated_at: time,
      scheduled_deletion: false,
      depends_on: [],
      is_failing: false,
      metadata: { res_id: 'shared.two', type: 'redis', class: 'large' },
      status: { gu_res_id: guResId, state: 'active' },
    })
  })

  test('have a plain `status` for client libraries, and nothing else differs', async () => {
    const [plain, shown] = [await listed(path, sdk), await listed()]
    expect(plain).toEqual(shown.map((each) => ({ ...each, status: 'active' })))
  })

  test.each([
    ['', 8],
    ['?scheduled_deletion=false', 8],
    ['?scheduled_deletion=true', 0],
  ])('with the query %j', async (query, count) => {
    expect(await listed(path + query)).toHaveLength(count)
  })
})

describe('endpoint 9: the active resources of a definition', () => {
  test.each([
    ['names', ['dns.default#shared.main', 'dns.default#shared.other']],
    ['caches', ['redis.default#shared.four', 'redis.default#shared.one']],
  ])('%s are those that were provisioned via it', async (definition, expected) => {
    const at = `~/resources/defs/${definition}/resources`
    expect(await descriptors(at)).toEqual(expected)
    const inEnvironment = (await listed()).filter((each) => expected.includes(keyOf(each)))
    expect(await listed(at)).toEqual(inEnvironment)
    expect((await listed(at, sdk)).map((each) => (each as Shown & { status: unknown }).status)).toEqual(
      expected.map(() => 'active'),
    )
  })
})

describe('endpoint 10: the deletion of an active resource', () => {
  const environment = async () => (await send('GET ~/apps/shop/envs/dev')).body.status
  const gone = (descriptor: string) =>
    eventually(
      `the end of ${descriptor}`,
      30_000,
      async () => !(await descriptors()).includes(descriptor) || undefined,
    )
  const remove = async (segment: string): Promise<HttpAnswer> => send(`DELETE ${path}/${segment}`)
  const guResIdOf = async (id: string) => (await listed()).find(({ res_id }) => res_id === id)?.gu_res_id
  let guResId: string | undefined
  beforeAll(async () => {
    guResId = await guResIdOf('shared.one')
  })
  const namesLeft = async () => (await provider.records(zone)).length

  test.each([
    ['redis/shared.one', 'redis.default#shared.one'],
    ['redis.default/shared.four', 'redis.default#shared.four'],
    ['redis.large/shared.two', 'redis.large#shared.two'],
    ['redis.large/modules.web.externals.cache', 'redis.large#modules.web.externals.cache'],
    ['redis.large/shared.three?detach=false', 'redis.large#shared.three'],
  ])(
    '%s deprovisions it: 202 or 204 without a body, and the environment stays',
    async (segment, descriptor) => {
      const { status, body } = await remove(segment)
      expect([[202, 204].includes(status), body]).toEqual([true, undefined])
      await gone(descriptor)
      expect(await environment()).toBe('active')
      expect((await remove(segment)).status).toBe(404)
    },
  )

  test('takes the infrastructure along', async () => {
    const before = await namesLeft()
    await remove('dns/shared.main')
    await gone('dns.default#shared.main')
    expect(await namesLeft()).toBe(before - 1)
  })

  test('with detach=true leaves the infrastructure', async () => {
    const before = await namesLeft()
    const { status } = await remove('dns/shared.other?detach=true')
    expect([202, 204]).toContain(status)
    await gone('dns.default#shared.other')
    expect([await namesLeft(), await environment()]).toEqual([before, 'active'])
  })

  test('is reverted by the next deployment, under the same GUResID', async () => {
    const shared = [{ op: 'add', path: '/five', value: { type: 'redis' } }]
    const { id, status } = await deploy('dev', { shared })
    const errors = (await send(`GET ~/apps/shop/envs/dev/deploys/${id}/errors`)).body
    expect([status, errors]).toEqual(['succeeded', []])
    expect(await descriptors()).toHaveLength(9)
    expect(await guResIdOf('shared.one')).toBe(guResId)
  })
})
