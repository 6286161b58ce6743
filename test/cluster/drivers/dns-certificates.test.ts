import { describe, expect, test } from '@jest/globals'
import { type CertificateOptions, makeCertificate } from '../../support/certificates.ts'
import { conditionStatus, eventually, moduleWith, readyOf } from '../support/client.ts'
import { makeDnsOrganization } from '../support/cloudflare.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const organization = await makeDnsOrganization(sharedCluster(), 'certificates')
const { zone, provider } = organization
const nowhere = [{ envId: 'nowhere' }]

const pairOf = async (options: CertificateOptions, isOtherKey = false) => {
  const { crt, key } = await makeCertificate(options)
  return { crt, key: isOtherKey ? (await makeCertificate(options)).key : key }
}
const judged = (name: string, status: string) =>
  eventually(`Ready ${status} of '${name}'`, 30_000, async () => {
    const found = await organization.get<{ status?: { conditions?: object[] } }>('resourcedefinitions', name)
    return conditionStatus(found, 'Ready') === status ? found : undefined
  })
const overRest = (id: string, { crt, key }: { crt: string; key: string }) =>
  organization.rest('POST', '/resources/defs', {
    id,
    name: id,
    type: 'dns',
    driver_type: 'quartermaster/dns-cloudflare',
    driver_account: 'provider',
    driver_inputs: {
      values: { zone_id: zone.id, domain: zone.name },
      secrets: { tls: { 'tls.crt': crt, 'tls.key': key } },
    },
    criteria: [{ env_id: id }],
  })

describe.each([
  ['expired', { names: [`*.${zone.name}`], notBefore: '2020-01-01', notAfter: '2021-01-01' }, false],
  ['not-yet', { names: [`*.${zone.name}`], notBefore: '2100-01-01', notAfter: '2101-01-01' }, false],
  ['wrong-domain', { names: ['*.elsewhere.test'] }, false],
  ['not-wildcard', { names: [zone.name] }, false],
  ['other-key', { names: [`*.${zone.name}`] }, true],
] as const)('a certificate that is no good (%s)', (name, options, isOtherKey) => {
  test('makes a definition of kubectl not ready: InvalidInputs', async () => {
    await organization.tlsSecret(name, await pairOf(options, isOtherKey))
    await organization.defineDns(name, { tls: name, criteria: nowhere })
    const { reason, message } = readyOf(await judged(name, 'False'))
    expect(reason).toBe('InvalidInputs')
    expect(message).toMatch(/^(certificate 1 of )?'tls\.crt'|the private key in 'tls\.key'/)
    expect(message).not.toContain('-----')
    await organization.remove('resourcedefinitions', name)
  })

  test('is refused over REST: 400', async () => {
    const { status, body } = await overRest(name, await pairOf(options, isOtherKey))
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'Invalid', message: expect.stringContaining('tls.') })
    expect(await organization.get('resourcedefinitions', name)).toBeUndefined()
  })
})

test('a certificate with the domain as its common name alone draws a warning, and is taken', async () => {
  const pair = await pairOf({ commonName: `*.${zone.name}` })
  await organization.tlsSecret('common', pair)
  await organization.defineDns('common', { tls: 'common', criteria: [{ envId: 'common' }] })
  const definition = await judged('common', 'True')
  expect(definition.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Warning',
      status: 'True',
      message: expect.stringContaining('common name'),
    }),
  )
  await organization.environment('shop', 'common')
  const modules = { web: moduleWith({ dns: { type: 'dns' } }) }
  expect(conditionStatus(await organization.deploy('shop.common', { modules }), 'Ready')).toBe('True')
})

test('a certificate that turned bad after it was judged is not used: Stalled, InvalidCertificate, and no record', async () => {
  await organization.tlsSecret('turned', await pairOf({ names: [`*.${zone.name}`] }))
  await organization.defineDns('turned', { tls: 'turned', criteria: [{ envId: 'turned' }] })
  await judged('turned', 'True')
  const { crt, key } = await pairOf({ names: ['*.elsewhere.test'] })
  await organization.kube(
    'PATCH',
    `/api/v1/namespaces/${organization.id}/secrets/turned`,
    { stringData: { 'tls.crt': crt, 'tls.key': key } },
    'application/merge-patch+json',
  )
  const before = (await provider.records(zone)).length
  await organization.environment('shop', 'turned')
  const modules = { web: moduleWith({ dns: { type: 'dns' } }) }
  const deployment = await organization.deploy('shop.turned', { modules })
  expect(deployment.status?.problems).toMatchObject([{ reason: 'InvalidCertificate' }])
  expect(await provider.records(zone)).toHaveLength(before)
})
