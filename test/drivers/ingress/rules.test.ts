import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import type { Driver } from '../../../operator/drivers/driver.ts'
import { withIngressRules } from '../../../operator/drivers/ingress/rules.ts'
import { driver } from '../../support/builders.ts'
import { templateRequest } from '../support/template-request.ts'

const provision = (objects: readonly KubeObject[], reservedHosts?: readonly string[]) => {
  const maker: Driver = {
    descriptor: driver('maker', {}),
    provision: async () => ({
      outputs: { values: {}, secrets: {} },
      objects,
      ...(reservedHosts === undefined ? {} : { reservedHosts }),
    }),
    async deprovision() {},
  }
  return withIngressRules(maker, {}).provision(templateRequest({}))
}

const ingress = (spec: unknown, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web', annotations },
  spec,
})
const hosts = (...names: unknown[]) => ({ rules: names.map((host) => ({ host })) })
const tls = (...names: unknown[]) => ({ tls: [{ hosts: names, secretName: 'cert' }] })

describe('an Ingress that any driver makes', () => {
  test.each<[rule: string, objects: KubeObject[], expected: string[]]>([
    ['reservedHosts its hosts', [ingress(hosts('a.test', 'b.test'))], ['a.test', 'b.test']],
    ['in lower case', [ingress(hosts('A.Test'))], ['a.test']],
    ['once', [ingress(hosts('a.test', 'a.test')), ingress(hosts('a.test'))], ['a.test']],
    ['those of its certificates', [ingress({ ...hosts('a.test'), ...tls('B.Test') })], ['a.test', 'b.test']],
    ['those of its certificates once', [ingress({ ...hosts('a.test'), ...tls('a.test') })], ['a.test']],
    ['next to reserved ones', [ingress(hosts('a.test'))], ['other.test', 'a.test']],
    ['nothing without a host', [ingress(hosts(undefined, '')), ingress({ defaultBackend: {} })], []],
    [
      'nothing where it has no form',
      [ingress('x'), ingress({ rules: 'x' }), ingress({ rules: [null] }), ingress(hosts(7))],
      [],
    ],
    [
      'nothing where `tls` has no form',
      [ingress({ tls: ['x', { hosts: 'x' }, {}] }), ingress(tls(7, ''))],
      [],
    ],
  ])('%s', async (rule, objects, expected) => {
    const known = rule.startsWith('next to') ? ['other.test'] : undefined
    const provisioned = await provision(objects, known)
    expect(provisioned).toEqual({ outputs: { values: {}, secrets: {} }, objects, reservedHosts: expected })
  })

  test('has other annotations as the driver gives them', async () => {
    const objects = [ingress(hosts('a.test'), { 'example.org/team': 'a' })]
    expect((await provision(objects)).objects).toEqual(objects)
  })

  test('has no annotation that reaches beyond it: AnnotationRefused', async () => {
    const snippet = { 'nginx.ingress.kubernetes.io/server-snippet': 'x' }
    const call = provision([ingress(hosts('a.test')), ingress(hosts(), snippet)])
    await expect(call).rejects.toMatchObject({ reason: 'AnnotationRefused' })
  })
})

test.each([
  ['as many hosts as a status holds', 1000, undefined],
  ['more: TooManyHosts', 1001, 'TooManyHosts'],
])('Ingresses of a resource have %s', async (_, count, reason) => {
  const names = Array.from({ length: count }, (_each, index) => `h${index}.test`)
  const call = provision([ingress(hosts(...names.slice(0, 500))), ingress(hosts(...names.slice(500)))])
  if (reason === undefined) expect((await call).reservedHosts).toHaveLength(count)
  else await expect(call).rejects.toMatchObject({ reason })
})

test('other objects are as the driver makes them', async () => {
  const map: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Ingress' } }
  const route: KubeObject = { ...ingress(hosts('a.test')), apiVersion: 'config.example.org/v1' }
  const policy: KubeObject = { ...ingress(hosts('a.test')), kind: 'NetworkPolicy' }
  const { objects, reservedHosts } = await provision([map, route, policy])
  expect([objects, reservedHosts]).toEqual([[map, route, policy], undefined])
})
