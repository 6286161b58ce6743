import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { problemsOfInputs } from '../../../operator/domain/definition/definition.ts'
import { dnsCloudflareDescriptor as descriptor } from '../../../operator/drivers/dns-cloudflare/descriptor.ts'
import { type DnsWorld, startDnsWorld } from '../support/dns-world.ts'

let world: DnsWorld
beforeAll(async () => {
  world = await startDnsWorld()
})
afterAll(() => world.close())

describe('inputs', () => {
  const valid = () => ({ values: world.request().values, secrets: world.request().secrets })

  test('its own example fits its schema', () => {
    expect(problemsOfInputs(descriptor, valid())).toEqual([])
    expect(descriptor.check?.(valid(), Date.now())).toEqual({ problems: [], warnings: [] })
  })

  test.each<[rule: string, values: FreeForm]>([
    ['zone_id is required', { zone_id: undefined }],
    ['zone_id is a string', { zone_id: 7 }],
    ['zone_id is no path', { zone_id: '../accounts' }],
    ['zone_id is not empty', { zone_id: '' }],
    ['domain is required', { domain: undefined }],
    ['domain is a string', { domain: ['example.test'] }],
    ['proxied is a boolean', { proxied: 'true' }],
    ['proxied is no number', { proxied: 1 }],
    ['ttl is an integer', { ttl: 60.5 }],
    ['ttl is no text', { ttl: '60' }],
    ['ttl is no list', { ttl: [60] }],
    ['ttl is no more than a day', { ttl: 86_401 }],
    ['ttl is not zero', { ttl: 0 }],
    ['target is a string', { target: 127 }],
  ])('%s', (_, values) => {
    const given = JSON.parse(JSON.stringify({ ...valid().values, ...values }))
    expect(problemsOfInputs(descriptor, { ...valid(), values: given })).toHaveLength(1)
  })

  test.each<[rule: string, secrets: FreeForm]>([
    ['tls is required', {}],
    ['tls is an object', { tls: 'pem' }],
    ['tls has a certificate', { tls: { 'tls.key': 'k' } }],
    ['tls has a key', { tls: { 'tls.crt': 'c' } }],
    ['tls.crt is a string', { tls: { 'tls.crt': 1, 'tls.key': 'k' } }],
    ['tls.key is a string', { tls: { 'tls.crt': 'c', 'tls.key': {} } }],
    ['tls.crt has at most 64 KiB', { tls: { 'tls.crt': 'c'.repeat(65_537), 'tls.key': 'k' } }],
  ])('%s', (_, secrets) => {
    expect(problemsOfInputs(descriptor, { ...valid(), secrets })).toHaveLength(1)
  })

  test.each<[rule: string, values: FreeForm]>([
    ['unknown keys are ignored', { subdomain: 'a' }],
    ['a name that is proxied', { proxied: true }],
    ['a name that is not proxied', { proxied: false }],
    ["a ttl of 1, the provider's own choice", { ttl: 1 }],
    ['the shortest ttl', { ttl: 30 }],
    ['the longest ttl', { ttl: 86_400 }],
    [
      'placeholders pass',
      { domain: '${resources.dns-zone.outputs.domain}', ttl: '${resources.x.outputs.ttl}' },
    ],
  ])('%s', (_, values) => {
    const given = { ...valid(), values: { ...valid().values, ...values } }
    expect(problemsOfInputs(descriptor, given)).toEqual([])
    expect(descriptor.check?.(given, Date.now())).toEqual({ problems: [], warnings: [] })
  })

  test.each<[rule: string, values: FreeForm]>([
    ['a domain that is no name', { domain: 'not a name' }],
    ['a ttl that no zone may have', { ttl: 29 }],
    ['a domain with an empty label', { domain: 'a..test' }],
    ['a domain that is an address', { domain: '192.0.2.1' }],
    ['a domain with a long label', { domain: `${'a'.repeat(64)}.test` }],
    ['a target that is neither address nor name', { target: 'http://a.test' }],
    ['a target that is nearly an address', { target: '192.0.2.256' }],
    ['a domain that the certificate is not for', { domain: 'other.test' }],
  ])('rules beyond the schema are checked as well: %s', (_, values) => {
    const { problems } =
      descriptor.check?.({ ...valid(), values: { ...valid().values, ...values } }, Date.now()) ?? {}
    expect(problems).toHaveLength(1)
  })

  test('tls is a secret: it is refused among the values', () => {
    const values = { ...valid().values, ...valid().secrets }
    expect(problemsOfInputs(descriptor, { values, secrets: {} })).toHaveLength(1)
  })

  test.each<[what: string, changes: FreeForm | undefined]>([
    ['no secret', undefined],
    ['no certificate', { 'tls.crt': '${resources.cert.outputs.crt}' }],
    ['no key', { 'tls.key': '${resources.cert.outputs.key}' }],
  ])('secrets that are not known yet are not judged: %s is known', (_, changes) => {
    const { values, secrets } = valid()
    const tls = { ...(secrets.tls as FreeForm), ...changes }
    const unknown = { values, secrets: changes ? { tls } : {} }
    expect(descriptor.check?.(unknown, Date.now())).toEqual({ problems: [], warnings: [] })
  })
})
