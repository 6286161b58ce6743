import { beforeAll, describe, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { conditionStatus, eventually, moduleWith, readyOf, untilKnown } from '../support/client.ts'
import { type DnsOrganization, makeDnsOrganization } from '../support/cloudflare.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeDnsOrganization(cluster, 'dns', { spareZone: true })
const { provider, zone, spare, token } = organization
const loadBalancer = `lb.${zone.name}`
const provision = { ingress: {} }

const web = moduleWith(
  { dns: { type: 'dns' } },
  {
    ingress: { rules: { 'externals.dns': { http: { '/': { type: 'prefix', port: 8080 } } } } },
    containers: { main: { variables: { URL: 'https://${externals.dns.host}/' } } },
  },
)
const content = { modules: { web } }

const resourceOf = async (environment: string, type = 'dns'): Promise<ActiveResource | undefined> =>
  (await organization.resources()).find(
    ({ spec }) => spec.environmentName === `shop.${environment}` && spec.type === type,
  )
const nameOf = (environment: string, resource: ActiveResource | undefined) =>
  `shop-${environment}-${resource?.metadata.name.slice(0, 8)}.${zone.name}`
const own = async (resource: ActiveResource | undefined, of: DnsOrganization['zone'] = zone) =>
  (await provider.records(of)).filter(({ comment }) =>
    comment?.endsWith(`:${resource?.metadata.name ?? 'none'}`),
  )
const within = (environment: string, path: string) =>
  `/namespaces/${organization.id}--shop--${environment}/${path}`
const tlsSecretOf = (environment: string, resource: ActiveResource | undefined) =>
  organization.kube<KubeObject & { type: string; data: Record<string, string> }>(
    'GET',
    `/api/v1${within(environment, `secrets/${resource?.metadata.name}-tls`)}`,
  )
const callsDuring = async (work: () => Promise<unknown>) => {
  const before = (await provider.calls(token)).length
  await work()
  return (await provider.calls(token)).slice(before)
}
const removed = async (environment: string) => {
  await organization.remove('environments', `shop.${environment}`)
  await eventually(`the end of '${environment}'`, 30_000, async () =>
    (await organization.get('environments', `shop.${environment}`)) ? undefined : true,
  )
}

beforeAll(async () => {
  await organization.defineDns('dns', { values: { ttl: 120 }, provision })
  await organization.define('ingress', {
    type: 'ingress',
    driverType: 'quartermaster/ingress',
    criteria: [{}],
  })
  await organization.define('workloads', {
    type: 'workload',
    driverType: 'quartermaster/workload',
    criteria: [{}],
  })
  await organization.define('cluster', {
    type: 'k8s-cluster',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { loadbalancer: loadBalancer } },
    criteria: [{}],
  })
  await untilKnown(organization, 'cluster')
  await provider.addRecord(zone, { name: 'lb', type: 'A', content: '192.0.2.9' })
})

describe('a DNS name that a workload depends on', () => {
  let resource: ActiveResource | undefined
  beforeAll(async () => {
    await organization.environment('shop', 'live')
    expect(conditionStatus(await organization.deploy('shop.live', content), 'Ready')).toBe('True')
    resource = await resourceOf('live')
  })

  test('is a record that leads to the load balancer of the cluster, with our mark and its inputs', async () => {
    const { metadata } = await apiCall<{ metadata: { uid: string } }>(
      cluster.access,
      'GET',
      '/api/v1/namespaces/kube-system',
    )
    const installation = metadata.uid.replaceAll('-', '').slice(0, 8)
    expect(await own(resource)).toMatchObject([
      {
        type: 'CNAME',
        name: nameOf('live', resource),
        content: loadBalancer,
        ttl: 120,
        proxied: false,
        comment: `quartermaster:${installation}:${resource?.metadata.name}`,
      },
    ])
  })

  test('resolves on every resolver', async () => {
    expect(await provider.resolve(nameOf('live', resource))).toEqual(['192.0.2.9'])
    expect(await provider.resolve(nameOf('live', resource), 'CNAME')).toEqual([loadBalancer])
  })

  test('has its certificate in a TLS Secret of the namespace of the environment', async () => {
    const { status, body } = await tlsSecretOf('live', resource)
    expect(status).toBe(200)
    expect(body.type).toBe('kubernetes.io/tls')
    expect(Object.keys(body.data).sort()).toEqual(['tls.crt', 'tls.key'])
    expect(body.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'quartermaster' })
  })

  test('has the outputs host and tls_secret_name, which reach the Ingress and the workload', async () => {
    const host = nameOf('live', resource)
    const secretName = `${resource?.metadata.name}-tls`
    expect(resource?.status?.outputs).toEqual({ host, tls_secret_name: secretName })
    const ingress = await resourceOf('live', 'ingress')
    const { body } = await organization.kube<{ spec: object }>(
      'GET',
      `/apis/networking.k8s.io/v1${within('live', `ingresses/${ingress?.metadata.name}-ingress`)}`,
    )
    expect(body.spec).toMatchObject({ tls: [{ hosts: [host], secretName }], rules: [{ host }] })
    const workload = await resourceOf('live', 'workload')
    expect(JSON.stringify(workload?.status?.outputs)).toContain(`"URL":"https://${host}/"`)
  })

  test('deployed again unchanged costs no call', async () => {
    expect(await callsDuring(() => organization.deploy('shop.live', content))).toEqual([])
  })

  test('with another lifetime is patched by one call, and stays the same record', async () => {
    const [before] = await own(resource)
    await organization.defineDns('dns', { values: { ttl: 300 }, provision })
    const calls = await callsDuring(() => organization.deploy('shop.live', content))
    const writes = calls.filter(({ method }) => method !== 'GET')
    expect(writes).toMatchObject([{ body: { deletes: [], patches: [{ ttl: 300 }], posts: [] } }])
    expect(await own(resource)).toMatchObject([{ id: before?.id, ttl: 300 }])
  })

  test('that is proxied has the automatic lifetime', async () => {
    await organization.defineDns('dns', { values: { ttl: 300, proxied: true }, provision })
    await organization.deploy('shop.live', content)
    expect(await own(resource)).toMatchObject([{ ttl: 1, proxied: true }])
  })

  test('in another zone is created there first, and then deleted here', async () => {
    await organization.defineDns('dns', { zone: spare, values: { ttl: 120 }, provision })
    const calls = await callsDuring(() => organization.deploy('shop.live', content))
    const writes = calls.filter(({ method }) => method !== 'GET')
    expect(writes).toMatchObject([
      { path: `/zones/${spare.id}/dns_records/batch`, body: { posts: [{ name: nameOf('live', resource) }] } },
      { path: `/zones/${zone.id}/dns_records/batch`, body: { deletes: [{}], posts: [] } },
    ])
    expect(await own(resource, spare)).toHaveLength(1)
    expect(await own(resource, zone)).toEqual([])
    expect((await resourceOf('live'))?.status?.predecessors).toBeUndefined()
  })

  test('is deleted with its environment, and so is its Secret', async () => {
    await removed('live')
    expect(await own(resource, spare)).toEqual([])
    expect((await tlsSecretOf('live', resource)).status).toBe(404)
    expect(await provider.resolve(nameOf('live', resource))).toEqual([])
    expect((await provider.records(zone)).map(({ name }) => name)).toEqual([loadBalancer])
  })
})

describe('a name that is taken', () => {
  test('stays with its owner: Stalled, Conflict; also when the environment is deleted', async () => {
    await organization.defineDns('dns', { values: { ttl: 120 } })
    await organization.environment('shop', 'taken')
    await organization.deploy('shop.taken', content)
    const resource = await resourceOf('taken')
    await removed('taken')
    const foreign = await provider.addRecord(zone, { name: nameOf('taken', resource), content: '192.0.2.77' })

    await organization.environment('shop', 'taken')
    const deployment = await organization.deploy('shop.taken', content)
    expect(deployment.status?.problems).toMatchObject([{ reason: 'Conflict' }])
    const refused = await resourceOf('taken')
    expect(conditionStatus(refused, 'Ready')).toBe('False')
    expect(conditionStatus(refused, 'Stalled')).toBe('True')
    expect(readyOf(refused).reason).toBe('Conflict')
    expect(refused?.metadata.name).toBe(resource?.metadata.name)
    await removed('taken')
    expect((await provider.records(zone)).filter(({ name }) => name === nameOf('taken', resource))).toEqual([
      foreign,
    ])
  })

  test('by a TLS Secret of another owner: Stalled, Conflict, and the Secret does not change', async () => {
    await organization.environment('shop', 'secret')
    await organization.deploy('shop.secret', content)
    const resource = await resourceOf('secret')
    const { name = '' } = resource?.metadata ?? {}
    await organization.remove('activeresources', name)
    await eventually('the end of the resource', 30_000, async () =>
      (await organization.get('activeresources', name)) ? undefined : true,
    )
    await organization.kube('POST', `/api/v1${within('secret', 'secrets')}`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-tls` },
      stringData: { theirs: 'kept' },
    })
    const deployment = await organization.deploy('shop.secret', content)
    expect(deployment.status?.problems).toMatchObject([{ reason: 'Conflict' }])
    expect((await tlsSecretOf('secret', resource)).body.data).toHaveProperty('theirs')
    await organization.remove('activeresources', name)
    await eventually('the end of the resource', 30_000, async () =>
      (await organization.get('activeresources', name)) ? undefined : true,
    )
    expect((await tlsSecretOf('secret', resource)).body.data).toHaveProperty('theirs')
    expect(await own(resource)).toEqual([])
  })
})

test('a domain outside of its zone: Stalled, WrongZone, and nothing is left behind', async () => {
  const other = await provider.makeZone()
  await organization.defineDns('stray', {
    zone: other,
    accountName: 'other',
    criteria: [{ envId: 'stray' }],
  })
  await organization.secret('other-token', { token: (await provider.makeToken(other)).value })
  await organization.apply('resourceaccounts', 'ResourceAccount', 'other', {
    type: 'cloudflare',
    credentialsSecretName: 'other-token',
  })
  await organization.environment('shop', 'stray')
  const deployment = await organization.deploy('shop.stray', content)
  expect(deployment.status?.problems).toMatchObject([{ reason: 'WrongZone' }])
  expect(readyOf(await resourceOf('stray')).message).toContain(other.name)
  expect(await provider.records(other)).toEqual([])
  await removed('stray')
  expect(await provider.records(other)).toEqual([])
})
