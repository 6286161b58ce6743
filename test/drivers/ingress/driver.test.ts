import { describe, expect, test } from '@jest/globals'
import type { FreeForm } from '../../../operator/api/schema.ts'
import { problemsOfInputs } from '../../../operator/domain/definition/definition.ts'
import type { NeighbourValue } from '../../../operator/domain/graph/inputs.ts'
import type { ProvisionRequest } from '../../../operator/drivers/driver.ts'
import { ingress } from '../../../operator/drivers/ingress/driver.ts'
import { driverContract } from '../support/contract.ts'
import { dns, made, neighbour, request, rules } from '../support/ingress-request.ts'

driverContract(
  ingress,
  (changes) => request({ values: { class: 'nginx', labels: { a: 'b' } }, ...changes }),
  [
    ['an API version that no Ingress has', { api_version: 'v2' }],
    ['an API version with its group', { api_version: 'networking.k8s.io/v1' }],
    ['a class that is no text', { class: 7 }],
    ['annotations whose values are no text', { annotations: { 'example.org/size': 7 } }],
    ['labels that are a list', { labels: ['a'] }],
    ['no_tls as text', { no_tls: 'true' }],
    ['a path type that no Ingress has', { path_type: 'Regex' }],
    ['a TLS Secret name that is no text', { tls_secret_name: {} }],
    ['a class that is too long', { class: 'c'.repeat(254) }],
    ['annotations that are a text', { annotations: 'a=b' }],
    ['annotations that are a list', { annotations: ['a'] }],
    ['labels that are a text', { labels: 'a=b' }],
    ['labels whose values are no text', { labels: { size: 7 } }],
    ['labels whose values no label may have', { labels: { size: 'very large' } }],
    ['no_tls as a number', { no_tls: 1 }],
    ['a path type in small letters', { path_type: 'prefix' }],
    ['a TLS Secret name that no object may have', { tls_secret_name: 'My_Secret' }],
    ['a TLS Secret of another namespace', { tls_secret_name: 'globex/secret' }],
  ],
)

describe('the Ingress', () => {
  const path = {
    path: '/',
    pathType: 'Prefix',
    backend: { service: { name: 'web', port: { number: 8080 } } },
  }

  test('as it is without inputs', async () => {
    expect(await ingress.provision(request())).toEqual({
      outputs: { values: { id: `${'a'.repeat(40)}-ingress` }, secrets: {} },
      objects: [
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { name: `${'a'.repeat(40)}-ingress`, namespace: 'acme--shop--dev' },
          spec: {
            rules: [{ host: 'shop.example.test', http: { paths: [path] } }],
            tls: [{ hosts: ['shop.example.test'], secretName: 'of-dns' }],
          },
        },
      ],
      reservedHosts: ['shop.example.test'],
    })
  })

  test.each<[rule: string, values: FreeForm, expected: object]>([
    ['api_version v1', { api_version: 'v1' }, { apiVersion: 'networking.k8s.io/v1' }],
    ['api_version v1beta1', { api_version: 'v1beta1' }, { apiVersion: 'networking.k8s.io/v1beta1' }],
    ['class in v1: a field', { class: 'nginx' }, { spec: { ingressClassName: 'nginx' } }],
    [
      'class in v1beta1: an annotation',
      { api_version: 'v1beta1', class: 'nginx' },
      { metadata: { annotations: { 'kubernetes.io/ingress.class': 'nginx' } } },
    ],
    [
      'annotations',
      { annotations: { 'example.org/a': 'b' } },
      { metadata: { annotations: { 'example.org/a': 'b' } } },
    ],
    [
      'annotations beside that of the class',
      { api_version: 'v1beta1', class: 'nginx', annotations: { a: 'b' } },
      { metadata: { annotations: { a: 'b', 'kubernetes.io/ingress.class': 'nginx' } } },
    ],
    ['labels', { labels: { team: 'shop' } }, { metadata: { labels: { team: 'shop' } } }],
    [
      'backends in v1beta1',
      { api_version: 'v1beta1' },
      {
        spec: {
          rules: [
            {
              http: {
                paths: [
                  { path: '/', pathType: 'Prefix', backend: { serviceName: 'web', servicePort: 8080 } },
                ],
              },
            },
          ],
        },
      },
    ],
    [
      'tls_secret_name',
      { tls_secret_name: 'mine' },
      { spec: { tls: [{ hosts: ['shop.example.test'], secretName: 'mine' }] } },
    ],
  ])('%s', async (_, values, expected) => {
    expect(await made(values)).toMatchObject(expected)
  })

  test.each<[rule: string, values: FreeForm, absent: string]>([
    ['without a class has none in v1', {}, 'spec.ingressClassName'],
    ['without a class has none in v1beta1', { api_version: 'v1beta1' }, 'metadata.annotations'],
    ['of v1 has no annotation of the class', { class: 'nginx' }, 'metadata.annotations'],
    [
      'of v1beta1 has no field of the class',
      { api_version: 'v1beta1', class: 'nginx' },
      'spec.ingressClassName',
    ],
    ['without annotations has none', { labels: { a: 'b' } }, 'metadata.annotations'],
    ['without labels has none', { annotations: { a: 'b' } }, 'metadata.labels'],
    ['with no_tls has no TLS', { no_tls: true }, 'spec.tls'],
    [
      'with no_tls has no TLS Secret from its inputs either',
      { no_tls: true, tls_secret_name: 'mine' },
      'spec.tls',
    ],
  ])('%s', async (_, values, absent) => {
    expect(await made(values)).not.toHaveProperty(absent)
  })
})

describe('the TLS Secret is', () => {
  const bare = neighbour('dns', { host: 'shop.example.test' })
  test.each<[rule: string, values: FreeForm, params: FreeForm, dns: NeighbourValue, expected: unknown]>([
    [
      "the definition's choice first",
      { tls_secret_name: 'mine' },
      { tls_secret_name: 'of-params' },
      dns,
      'mine',
    ],
    ["then the resource's", {}, { tls_secret_name: 'of-params' }, dns, 'of-params'],
    ["then that of the dns resource's certificate", {}, {}, dns, 'of-dns'],
    ['an empty name is absent', { tls_secret_name: '' }, { tls_secret_name: '' }, dns, 'of-dns'],
    ['without any TLS is off', {}, {}, bare, undefined],
  ])('%s', async (_, values, params, neighbour, expected) => {
    const { spec } = await made(values, {
      params: { rules, ...params },
      neighbours: { dns: [neighbour], routes: [] },
    })
    expect(spec.tls).toEqual(expected && [{ hosts: ['shop.example.test'], secretName: expected }])
  })
})

describe('the host is', () => {
  test.each<[rule: string, params: FreeForm, neighbours: ProvisionRequest['neighbours'], expected: unknown]>([
    ['that of the dns resource', { host: 'of-params.test' }, { dns: [dns] }, 'shop.example.test'],
    ["else the resource's", { host: 'of-params.test' }, {}, 'of-params.test'],
    ['else none: every host', {}, {}, undefined],
  ])('%s', async (_, params, neighbours, expected) => {
    const { spec } = await made({}, { params: { rules, ...params }, neighbours })
    expect((spec.rules[0] as FreeForm | undefined)?.host).toBe(expected)
  })
})

test.each<[rule: string, host: string | undefined, hosts: string[]]>([
  ['its host', 'shop.example.test', ['shop.example.test']],
  ['its host in lower case', 'Shop.Example.TEST', ['shop.example.test']],
  ['a wildcard as it is', '*.example.test', ['*.example.test']],
  ['nothing without a host', undefined, []],
])('the Ingress reserves %s', async (_, host, hosts) => {
  const params = { rules, ...(host === undefined ? {} : { host }) }
  const provisioned = await ingress.provision(request({ params, neighbours: {} }))
  expect(provisioned.reservedHosts).toStrictEqual(hosts)
})

test('without a host, an Ingress has a certificate for every host', async () => {
  const params = { rules, tls_secret_name: 'mine' }
  const { spec } = await made({}, { params, neighbours: {} })
  expect(spec.tls).toStrictEqual([{ secretName: 'mine' }])
})

test('without an object no host is reserved', async () => {
  expect(await ingress.provision(request({ params: {} }))).not.toHaveProperty('reservedHosts')
})

test.each<[rule: string, params: FreeForm]>([
  ['an invalid host', { host: 'shop example' }],
  ['a host with a path', { host: 'shop.example.test/api' }],
  ['a host that is too long', { host: `${'a.'.repeat(130)}test` }],
  ['a TLS Secret of another namespace', { host: 'shop.test', tls_secret_name: 'globex/secret' }],
  ['a TLS Secret name that is too long', { host: 'shop.test', tls_secret_name: 'a'.repeat(254) }],
])('a person must act: %s', async (_, params) => {
  const call = ingress.provision(request({ params: { rules, ...params }, neighbours: {} }))
  await expect(call).rejects.toMatchObject({ reason: 'InvalidInputs' })
})

test('an account is not needed; if one is named it must be of type local', () => {
  expect(ingress.descriptor.account).toEqual({ types: ['local'], required: false })
})

test('secret inputs are ignored', async () => {
  const secrets = { class: 'nginx', api_version: 'v1beta1', labels: { a: 'b' } }
  expect(await ingress.provision(request({ secrets }))).toEqual(await ingress.provision(request()))
  expect(ingress.descriptor.secrets).toHaveProperty('properties', {})
})

test('an API version is a text', () => {
  const faults = problemsOfInputs(ingress.descriptor, { values: { api_version: 1 }, secrets: {} })
  expect(faults[0]).toContain("'values.api_version' must be string")
})
