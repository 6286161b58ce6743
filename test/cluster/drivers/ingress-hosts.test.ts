import { beforeAll, describe, expect, test } from '@jest/globals'
import { wildcardCertificate } from '../../support/certificates.ts'
import { conditionStatus, makeTestOrganization } from '../support/client.ts'
import { claimHost, defineDns, deployHost, ingressIn, prepareIngresses } from '../support/hosts.ts'
import { namespaceOf, objectAt, readinessIn, resourceIn, secretAt, untilEnded } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const first = await makeTestOrganization(cluster, 'first')
const second = await makeTestOrganization(cluster, 'second')
const domain = `${first.id}.example.test`
const ready = async (deployment: ReturnType<typeof claimHost>) => conditionStatus(await deployment, 'Ready')

beforeAll(async () => {
  await Promise.all([prepareIngresses(first), prepareIngresses(second)])
})

describe('a host that two organizations want', () => {
  const host = `wanted.${domain}`

  test('belongs to the first one', async () => {
    expect(await ready(claimHost(first, 'wanted', host))).toBe('True')
    expect((await ingressIn(first, 'wanted'))?.spec.rules).toMatchObject([{ host }])
  })

  test('is not of the second, in any letter case: Conflict, and it has no Ingress', async () => {
    expect(await ready(claimHost(second, 'wanted', host.toUpperCase()))).toBe('False')
    const message = await readinessIn(second, 'wanted', 'ingress', 'Conflict')
    expect(message).toContain(`host '${host}' is reserved by another organization`)
    expect(message).not.toContain(`${first.id}'`)
    expect(await ingressIn(second, 'wanted')).toBe(undefined)
  })

  test('stays with the first when the second deploys again', async () => {
    const { uid } = (await ingressIn(first, 'wanted'))?.metadata ?? {}
    expect(await ready(deployHost(second, 'wanted'))).toBe('False')
    expect(await ingressIn(second, 'wanted')).toBe(undefined)
    expect((await ingressIn(first, 'wanted'))?.metadata.uid).toBe(uid)
  })

  test('moves to the second one when the environment of the first is deleted', async () => {
    await first.remove('environments', 'shop.wanted')
    await readinessIn(second, 'wanted', 'ingress', 'Reconciled')
    expect((await ingressIn(second, 'wanted'))?.spec.rules).toMatchObject([{ host }])
  })

  test('does not return to the first one', async () => {
    await untilEnded(first, 'wanted')
    expect(await ready(claimHost(first, 'wanted', host))).toBe('False')
    await readinessIn(first, 'wanted', 'ingress', 'Conflict')
  })
})

test('a host that one organization wants twice is served twice', async () => {
  const host = `twice.${domain}`
  expect(await ready(claimHost(first, 'one', host))).toBe('True')
  expect(await ready(claimHost(first, 'two', host))).toBe('True')
  for (const environment of ['one', 'two'])
    expect((await ingressIn(first, environment))?.spec.rules).toMatchObject([{ host }])
})

test('of two organizations that want a host at the same moment one gets it', async () => {
  const host = `race.${domain}`
  const results = await Promise.all([first, second].map((each) => ready(claimHost(each, 'race', host))))
  expect(new Set(results)).toEqual(new Set(['False', 'True']))
  const ingresses = await Promise.all([first, second].map((each) => ingressIn(each, 'race')))
  expect(ingresses.filter(Boolean)).toHaveLength(1)
})

test('a dangerous annotation is refused, with the name of the setting, and a harmless one is given', async () => {
  const define = async (environment: string, name: string) => {
    const driverInputs = { values: { annotations: { [`nginx.ingress.kubernetes.io/${name}`]: 'true' } } }
    await first.define(environment, {
      type: 'ingress',
      driverType: 'quartermaster/ingress',
      driverInputs,
      criteria: [{ envId: environment }],
    })
    return ready(claimHost(first, environment, `${environment}.${domain}`))
  }
  expect(await define('snippet', 'configuration-snippet')).toBe('False')
  const message = await readinessIn(first, 'snippet', 'ingress', 'AnnotationRefused')
  expect(message).toContain("'QUARTERMASTER_INGRESS_DENIED_ANNOTATIONS'")
  expect(message).toContain("'nginx.ingress.kubernetes.io/configuration-snippet'")
  expect(await ingressIn(first, 'snippet')).toBe(undefined)
  expect(await define('redirect', 'force-ssl-redirect')).toBe('True')
  expect((await ingressIn(first, 'redirect'))?.metadata.annotations).toMatchObject({
    'nginx.ingress.kubernetes.io/force-ssl-redirect': 'true',
  })
})

describe('dns-wildcard', () => {
  const wildcard = 'quartermaster/dns-wildcard'

  test('gives a host, a TLS Secret of its certificate, and the Ingress of both', async () => {
    const { crt, key } = await wildcardCertificate(domain)
    await first.kube('POST', `/api/v1/namespaces/${first.id}/secrets`, {
      metadata: { name: 'wildcard' },
      stringData: { 'tls.crt': crt, 'tls.key': key },
    })
    const secretRefs = { tls: { secret: 'wildcard' } }
    await defineDns(first, 'wild', wildcard, { values: { domain }, secretRefs })
    expect(await ready(deployHost(first, 'wild'))).toBe('True')
    const dns = await resourceIn(first, 'wild', 'dns')
    const { name } = dns.metadata
    const host = `shop-wild-${name.slice(0, 8)}.${domain}`
    expect(dns.status?.outputs).toEqual({ host, tls_secret_name: `${name}-tls` })
    const path = `/api/v1/namespaces/${namespaceOf(first, 'wild')}/secrets/${name}-tls`
    expect(await secretAt(first, path)).toEqual({ 'tls.crt': crt, 'tls.key': key })
    expect(await objectAt(first, path)).toMatchObject({ type: 'kubernetes.io/tls' })
    expect((await ingressIn(first, 'wild'))?.spec).toMatchObject({
      rules: [{ host }],
      tls: [{ hosts: [host], secretName: `${name}-tls` }],
    })
  })

  test('gives no host that another organization has: Conflict', async () => {
    const inputs = { values: { domain, template: 'shop' } }
    await Promise.all([first, second].map((each) => defineDns(each, 'label', wildcard, inputs)))
    expect(await ready(deployHost(first, 'label'))).toBe('True')
    expect((await ingressIn(first, 'label'))?.spec.rules).toMatchObject([{ host: `shop.${domain}` }])
    expect(await ready(deployHost(second, 'label'))).toBe('False')
    await readinessIn(second, 'label', 'dns', 'Conflict')
  })
})
