import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { parseReferenceText } from '../../../operator/domain/placeholder/link.ts'
import { dnsCloudflareDescriptor as descriptor } from '../../../operator/drivers/dns-cloudflare/descriptor.ts'
import { createDnsCloudflare } from '../../../operator/drivers/dns-cloudflare/driver.ts'
import type { ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { context } from '../../support/builders.ts'
import { wildcardCertificate } from '../../support/certificates.ts'
import { type DnsWorld, installationId, startDnsWorld } from '../support/dns-world.ts'

let world: DnsWorld
beforeAll(async () => {
  world = await startDnsWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

const guResId = 'a'.repeat(40)
const host = 'shop-dev-aaaaaaaa.example.test'
const mark = `quartermaster:${installationId}:${guResId}`
const record = { type: 'A', name: host, content: '192.0.2.10', ttl: 1, proxied: false, comment: mark }

test('a dns resource is one record, a Secret of its certificate, and the outputs that name both', async () => {
  const driver = world.process()
  const request = world.request()
  const provisioned = await driver.provision(request)
  expect(provisioned).toEqual({
    outputs: { values: { host, tls_secret_name: `${guResId}-tls` }, secrets: {} },
    objects: [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: `${guResId}-tls`, namespace: 'acme--shop--dev' },
        data: {
          'tls.crt': Buffer.from(world.certificate.crt).toString('base64'),
          'tls.key': Buffer.from(world.certificate.key).toString('base64'),
        },
      },
    ],
    reservedHosts: [host],
  })
  expect(world.shown()).toEqual([record])
  expect(await driver.provision(request)).toEqual(provisioned)
  expect(Object.keys(provisioned.outputs.values)).toEqual(
    descriptor.outputNames?.({ values: {}, secretRefs: {} }),
  )

  await driver.deprovision(world.deprovisionOf(request))
  expect(world.shown()).toEqual([])
  await driver.deprovision(world.deprovisionOf(request))
})

test.each<[rule: string, values: FreeForm, changes: FreeForm]>([
  ['proxied and ttl have defaults', {}, {}],
  ['proxied', { proxied: true }, { proxied: true }],
  ['a proxied name has the automatic ttl', { proxied: true, ttl: 300 }, { proxied: true }],
  ['ttl', { ttl: 300 }, { ttl: 300 }],
  ['an IPv4 address is a record A', { target: '198.51.100.7' }, { content: '198.51.100.7' }],
  ['an IPv6 address is a record AAAA', { target: '2001:DB8:0::1' }, { type: 'AAAA', content: '2001:db8::1' }],
  ['a name is a record CNAME', { target: 'LB.Example.com.' }, { type: 'CNAME', content: 'lb.example.com' }],
  ['a domain in any spelling', { domain: 'EXAMPLE.test.' }, {}],
])('the record: %s', async (_, values, changes) => {
  const driver = world.process()
  await driver.provision(world.request({ values }))
  expect(world.shown()).toEqual([{ ...record, ...changes }])
  await world.takeCalls()
  await world.process().provision(world.request({ values }))
  expect(await world.takeCalls()).toEqual(['GET dns_records'])
})

test.each(['xn--mnchen-3ya.test', 'münchen.test'])(
  'a zone with an internationalized name: %s',
  async (domain) => {
    const zoneId = '2'.repeat(32)
    await world.control('POST', '/__zones', { id: zoneId, name: 'xn--mnchen-3ya.test' })
    const { crt, key } = await wildcardCertificate('xn--mnchen-3ya.test')
    const tls = { 'tls.crt': crt, 'tls.key': key }
    const request = world.request({ values: { zone_id: zoneId, domain }, secrets: { tls } })
    await world.process().provision(request)
    const name = 'shop-dev-aaaaaaaa.xn--mnchen-3ya.test'
    expect(world.shown()).toEqual([{ ...record, name }])
  },
)

test('the record follows its inputs, and stays one', async () => {
  const driver = world.process()
  for (const target of ['192.0.2.1', '192.0.2.2', 'lb.test', 'lb2.test', '2001:db8::1', '192.0.2.1']) {
    await driver.provision(world.request({ values: { target } }))
    expect(world.shown()).toEqual([{ ...record, type: expect.any(String), content: target }])
  }
})

describe('where the name leads', () => {
  const descriptorOfCluster = { type: 'k8s-cluster', class: 'default', resourceId: 'k8s-cluster' }
  const cluster = (loadbalancer: unknown) => ({
    neighbours: {
      cluster: [{ guResId: 'c', descriptor: descriptorOfCluster, outputs: { loadbalancer }, params: {} }],
    },
  })
  test.each<
    [
      rule: string,
      changes: { values?: FreeForm; neighbours?: ProvisionRequest['neighbours'] },
      content: string,
    ]
  >([
    ['the input wins', { values: { target: '192.0.2.1' }, ...cluster('192.0.2.2') }, '192.0.2.1'],
    ['then the cluster', cluster('192.0.2.2'), '192.0.2.2'],
    ['then the setting', {}, '192.0.2.10'],
    ['an empty input is absent', { values: { target: '' } }, '192.0.2.10'],
    ['a cluster without a load balancer is absent', cluster(undefined), '192.0.2.10'],
  ])('%s', async (_, changes, content) => {
    await world.process().provision(world.request(changes))
    expect(world.shown()).toEqual([{ ...record, content }])
  })

  test('nothing says it', async () => {
    const driver = world.process({ loadbalancer: undefined })
    await expect(driver.provision(world.request())).rejects.toMatchObject({ reason: 'NoTarget' })
  })

  test('the reference to the cluster can be read', () => {
    expect(parseReferenceText(descriptor.neighbours.cluster ?? '')).toMatchObject({
      kind: 'reference',
      reference: descriptorOfCluster,
    })
  })
})

describe('a person must act', () => {
  test.each<[rule: string, changes: Parameters<DnsWorld['request']>[0], reason: string]>([
    ['the account is missing', { account: undefined }, 'AccountRequired'],
    ['the account has no token', { account: {} }, 'InvalidAccount'],
    ['the token is empty', { account: { token: '' } }, 'InvalidAccount'],
    ['the token ends its line', { account: { token: 'abc\n' } }, 'InvalidAccount'],
    ['the token is no text', { account: { token: 7 } }, 'InvalidAccount'],
    ['the token is unknown', { account: { token: 'x'.repeat(40) } }, 'Unauthorized'],
    ['the token is malformed', { account: { token: 'short' } }, 'Unauthorized'],
    ['the zone is unknown', { values: { zone_id: '0'.repeat(32) } }, 'ZoneNotFound'],
    ['the zone id is malformed', { values: { zone_id: 'nope' } }, 'ZoneNotFound'],
    ['the ttl is impossible', { values: { ttl: 29 } }, 'InvalidInputs'],
    ['the ttl is for large customers', { values: { ttl: 45 } }, 'Rejected'],
    ['the target is the name itself', { values: { target: host.toUpperCase() } }, 'InvalidInputs'],
    ['the domain is too long', { values: { domain: `${'a.'.repeat(118)}test` } }, 'InvalidInputs'],
    [
      'the certificate is for something else',
      { values: { domain: 'sub.example.test' } },
      'InvalidCertificate',
    ],
  ])('%s', async (_, changes, reason) => {
    const driver = world.process()
    await expect(driver.provision(world.request(changes))).rejects.toMatchObject({ reason })
    expect(world.shown()).toEqual([])
  })

  test('the account is missing when the record must go', async () => {
    const driver = world.process()
    const request = world.request()
    await driver.provision(request)
    const { account: _, ...deprovision } = world.deprovisionOf(request)
    await expect(driver.deprovision(deprovision)).rejects.toMatchObject({ reason: 'AccountRequired' })
  })

  test('the certificate has expired', async () => {
    const driver = world.process({ now: () => Date.parse('2050-01-01') })
    await expect(driver.provision(world.request())).rejects.toMatchObject({ reason: 'InvalidCertificate' })
  })
})

test('messages contain no secret', async () => {
  const token = 'canary-canary-canary-canary-canary-canary-1'
  await world.misbehave({
    match: {},
    do: 'status',
    status: 403,
    errors: [{ code: 10000, message: `token ${token} may not` }],
  })
  const error: Error = await world
    .process()
    .provision(world.request({ account: { token } }))
    .catch((each) => each)
  expect(error).toMatchObject({ reason: 'NotAllowed' })
  expect(JSON.stringify([error.message, Object.entries(error)])).not.toContain('canary')
})

describe('the input of a deprovision', () => {
  const identify = (changes = {}) =>
    createDnsCloudflare({ installationId }).identify?.(world.request(changes))

  test('the zone and the name', () => {
    expect(identify()).toEqual({ zone_id: world.fake.zoneId, name: host })
    expect(identify({ values: { domain: 'Other.TEST.' } })).toMatchObject({
      name: 'shop-dev-aaaaaaaa.other.test',
    })
  })

  test('nothing was begun: nothing is called', async () => {
    const driver = world.process()
    await driver.deprovision({ ...world.deprovisionOf(world.request()), identity: {} })
    expect(await world.takeCalls()).toEqual([])
  })

  test('objects that the successor provisioned too stay', async () => {
    const driver = world.process()
    const request = world.request()
    await driver.provision(request)
    const { identity } = world.deprovisionOf(request)
    await driver.deprovision(world.deprovisionOf(request, { successor: { ...identity } }))
    expect(world.shown()).toHaveLength(1)
    await driver.deprovision(world.deprovisionOf(request, { successor: { ...identity, name: 'other.test' } }))
    expect(world.shown()).toEqual([])
  })
})

test.each([
  ['short ids', 'shop', 'dev', 'shop-dev-aaaaaaaa'],
  ['long ids are cut', 'a'.repeat(60), 'dev', `${'a'.repeat(54)}-aaaaaaaa`],
  ['no hyphen is left over', 'a'.repeat(53), 'dev', `${'a'.repeat(53)}-aaaaaaaa`],
])('the name: %s', async (_, applicationId, environmentId, label) => {
  const request = world.request({ context: context({ applicationId, environmentId }) })
  const { outputs } = await world.process().provision(request)
  expect(outputs.values.host).toBe(`${label}.example.test`)
})

test.each<[rule: string, account: FreeForm, accepted: boolean]>([
  ['a good token', { token: 'fake-cloudflare-token-0123456789-abcdefg' }, true],
  ['an unknown token', { token: 'y'.repeat(40) }, false],
  ['a malformed token', { token: 'y' }, false],
  ['no token', {}, false],
])('credentials are tried: %s', async (_, account, accepted) => {
  const outcome = await world.process().checkAccount?.(account, AbortSignal.timeout(5000))
  expect(outcome).toMatchObject({ accepted })
})
