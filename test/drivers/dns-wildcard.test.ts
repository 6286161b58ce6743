import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../operator/api/schema.ts'
import { problemsOfInputs } from '../../operator/domain/definition/definition.ts'
import { dnsWildcardDescriptor } from '../../operator/drivers/dns-wildcard/descriptor.ts'
import { createDnsWildcard } from '../../operator/drivers/dns-wildcard/driver.ts'
import { hostLabel } from '../../operator/drivers/host-name.ts'
import { createTemplates } from '../../operator/templates/templates.ts'
import { type Made, wildcardCertificate } from '../support/certificates.ts'
import { cookieInMemory, templateRequest } from './support/template-request.ts'

const templates = createTemplates()
const driver = createDnsWildcard({ templates })
const domain = 'example.test'
let certificate: Made
beforeAll(async () => {
  certificate = await wildcardCertificate(domain)
})
afterAll(() => templates.close())

async function hostOf(values: FreeForm): Promise<unknown> {
  const { outputs } = await driver.provision(templateRequest({ domain, ...values }))
  return outputs.values.host
}

const tls = () => ({ tls: { 'tls.crt': certificate.crt, 'tls.key': certificate.key } })

describe('the host', () => {
  test.each<[rule: string, values: FreeForm, expected: string]>([
    ['is generated of application, environment and GUResID', {}, 'shop-dev-01234567.example.test'],
    [
      'is the value of the template',
      { template: '{{ .type }}-{{ .id | trunc 4 }}' },
      'postgres-0123.example.test',
    ],
    ['may have several labels', { template: 'a.b' }, 'a.b.example.test'],
    ['is lower case and without blanks around', { template: ' {{ "Shop" }}\n' }, 'shop.example.test'],
    ['is generated when the template is blank', { template: ' ' }, 'shop-dev-01234567.example.test'],
  ])('%s', async (_, values, expected) => {
    expect(await hostOf(values)).toBe(expected)
  })

  test.each<[rule: string, values: FreeForm]>([
    ['a space', { template: 'a b' }],
    ['an underscore', { template: 'a_b' }],
    ['an empty label', { template: 'a.' }],
    ['a hyphen at the end', { template: 'a-' }],
    ['a label of 64 characters', { template: 'a'.repeat(64) }],
    ['an invalid domain', { domain: '*.example.test' }],
    ['a field that is not there', { template: '{{ .nothing }}' }],
    ['more than 253 characters', { template: Array.from({ length: 130 }, () => 'a').join('.') }],
  ])('is refused with %s', async (_, values) => {
    await expect(hostOf(values)).rejects.toMatchObject({ reason: 'InvalidInputs' })
  })

  test('is refused at every attempt', async () => {
    const cookie = cookieInMemory()
    for (const _ of [1, 2]) {
      const call = driver.provision(templateRequest({ domain, template: 'shop dev' }, {}, { cookie }))
      await expect(call).rejects.toMatchObject({ reason: 'InvalidInputs' })
    }
  })

  test('of a refused template leaves no cookie', async () => {
    const cookie = cookieInMemory()
    const call = driver.provision(templateRequest({ domain, template: 'a_b' }, {}, { cookie }))
    await expect(call).rejects.toMatchObject({ reason: 'InvalidInputs' })
    expect(await cookie.read()).toBeUndefined()
  })

  test('is reserved', async () => {
    const { reservedHosts } = await driver.provision(templateRequest({ domain, template: 'shop' }))
    expect(reservedHosts).toEqual(['shop.example.test'])
  })

  test('keeps its random part until the inputs change', async () => {
    const cookie = cookieInMemory()
    const provision = async (template: string, params: FreeForm = {}) => {
      const request = templateRequest({ domain, template }, {}, { cookie, params })
      return (await driver.provision(request)).outputs.values.host
    }
    const random = 'shop-{{ randAlphaNum 12 | lower }}'
    const first = await provision(random)
    expect(first).toMatch(/^shop-[a-z0-9]{12}\.example\.test$/)
    expect(await provision(random)).toBe(first)
    expect(await provision(random, { size: 2 })).not.toBe(first)
    expect(await provision('x')).toBe('x.example.test')
  })

  test('keeps its random part when the certificate is renewed', async () => {
    const cookie = cookieInMemory()
    const provision = async ({ crt, key }: Made) => {
      const values = { domain, template: 'shop-{{ randAlphaNum 12 | lower }}' }
      const request = templateRequest(values, { tls: { 'tls.crt': crt, 'tls.key': key } }, { cookie })
      return (await driver.provision(request)).outputs.values.host
    }
    expect(await provision(await wildcardCertificate(domain))).toBe(await provision(certificate))
  })
})

describe('the certificate', () => {
  test('becomes a Secret that ingresses name', async () => {
    const request = templateRequest({ domain }, tls())
    const name = `${request.guResId}-tls`
    const { outputs, objects } = await driver.provision(request)
    expect(outputs).toEqual({
      values: { host: 'shop-dev-01234567.example.test', tls_secret_name: name },
      secrets: {},
    })
    expect(objects).toMatchObject([
      {
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name, namespace: 'acme--shop--dev' },
        data: { 'tls.crt': Buffer.from(certificate.crt).toString('base64') },
      },
    ])
  })

  test('without one no Secret is created', async () => {
    expect((await driver.provision(templateRequest({ domain }))).objects).toEqual([])
  })

  test.each<[rule: string, values: FreeForm]>([
    ['another domain', { domain: 'example.org' }],
    ['one label above the last', { template: 'a.b' }],
  ])('must be for the host, not for %s', async (_, values) => {
    await expect(driver.provision(templateRequest({ domain, ...values }, tls()))).rejects.toMatchObject({
      reason: 'InvalidCertificate',
    })
  })
})

test.each<[rule: string, values: FreeForm, faults: number]>([
  ['a domain is enough', { domain }, 0],
  ['no domain', {}, 1],
  ['an empty domain', { domain: '' }, 1],
  ['a template that is no text', { domain, template: 7 }, 1],
])('inputs: %s', (_, values, faults) => {
  expect(problemsOfInputs(dnsWildcardDescriptor, { values, secrets: {} })).toHaveLength(faults)
})

const unread = { 'tls.crt': '$\u007bsecret}', 'tls.key': '$\u007bsecret}' }

test.each<[rule: string, values: FreeForm, secrets: () => FreeForm, faults: number]>([
  ['a template and no certificate', { domain, template: '{{ .id }}' }, () => ({}), 0],
  ['a template without end', { domain, template: '{{ .id' }, () => ({}), 1],
  ['a certificate for the domain', { domain }, tls, 0],
  ['a certificate for another one', { domain: 'example.org' }, tls, 1],
  ['a certificate for another one, with a blank template', { domain: 'example.org', template: ' ' }, tls, 1],
  ['a certificate for the domain in another form', { domain: 'Example.test.' }, tls, 0],
  ['a domain that is known later', { domain: '$\u007bvalues.DOMAIN}' }, () => ({}), 0],
  ['a certificate that is known later', { domain: 'example.org' }, () => ({ tls: unread }), 0],
  [
    'a key that is known later',
    { domain: 'example.org' },
    () => ({ tls: { ...tls().tls, 'tls.key': '' } }),
    0,
  ],
  ['a certificate that is not there yet', { domain: 'example.org' }, () => ({ tls: {} }), 0],
  ['a certificate for hosts of a template', { domain: 'example.org', template: 'a.b' }, tls, 0],
  ['a domain of one label', { domain: 'internal' }, () => ({}), 0],
  ['a wildcard', { domain: '*.example.test' }, () => ({}), 1],
  ['a domain of 253 characters', { domain: `${'a.'.repeat(126)}a` }, () => ({}), 1],
])('checked when the definition is made: %s', (_, values, secrets, faults) => {
  expect(dnsWildcardDescriptor.check?.({ values, secrets: secrets() }, Date.now()).problems).toHaveLength(
    faults,
  )
})

test.each<[rule: string, secretRefs: FreeForm, names: string[]]>([
  ['the host', {}, ['host']],
  ['the Secret of a certificate', { tls: { secret: 'cert' } }, ['host', 'tls_secret_name']],
])('outputs that are known before a provision: %s', (_, secretRefs, names) => {
  expect(dnsWildcardDescriptor.outputNames?.({ values: { domain }, secretRefs })).toEqual(names)
})

test.each<[rule: string, application: string, environment: string, expected: string]>([
  ['short names', 'shop', 'dev', 'shop-dev-01234567'],
  ['at most 63 characters', 'a'.repeat(60), 'dev', `${'a'.repeat(54)}-01234567`],
  ['no hyphen before the digits', 'a'.repeat(53), 'dev', `${'a'.repeat(53)}-01234567`],
])('the first label of a generated name: %s', (_, application, environment, expected) => {
  expect(hostLabel(application, environment, '0123456789abcdef')).toBe(expected)
})
