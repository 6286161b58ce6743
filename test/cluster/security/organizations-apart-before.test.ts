import { beforeAll, expect, test } from '@jest/globals'
import { annotations } from '../../../operator/api/names.ts'
import { conditionStatus, makeTestOrganization } from '../support/client.ts'
import { namespaceOf, objectAt, verdictIn } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { templateResourcesOf } from '../support/templates.ts'

const cluster = sharedCluster()
const owner = await makeTestOrganization(cluster, 'before-a')
const rival = await makeTestOrganization(cluster, 'before-b')
const { prepare, deploy, redeploy, define, databaseIn } = templateResourcesOf(owner)
const others = templateResourcesOf(rival)

beforeAll(() => Promise.all([prepare(), others.prepare()]))

const ingress = (hosts: readonly string[]) => {
  const backend = { service: { name: 'web', port: { number: 80 } } }
  const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] }
  const rules = hosts.map((host) => ({ host, http }))
  const spec = rules.length > 0 ? { rules } : { defaultBackend: backend }
  const data = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' }, spec }
  return { manifests: { web: { data } } }
}
const hostsOf = (count: number, id: string) =>
  Array.from({ length: count }, (_, each) => `h${each}.${id}.test`)
const isReady = async (deployment: Promise<object>) => conditionStatus(await deployment, 'Ready') === 'True'

test('300 hosts are reserved, and 1001 are refused before anything is made', async () => {
  expect(await isReady(deploy('many', ingress(hostsOf(300, owner.id))))).toBe(true)
  expect((await databaseIn('many')).status?.reservedHosts).toHaveLength(300)
  expect(await isReady(deploy('too-many', ingress(hostsOf(1001, `x.${owner.id}`))))).toBe(false)
  await verdictIn(owner, 'too-many', 'postgres', 'TooManyHosts')
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespaceOf(owner, 'too-many')}/ingresses/web`
  expect(await objectAt(owner, path)).toBeUndefined()
})

test('a Namespace of the form of others’ that the resource made before stays its own', async () => {
  const name = `${owner.id}x--prod`
  const data = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  const manifests = { namespace: { location: 'cluster', data } }
  expect(await isReady(deploy('named', { manifests }))).toBe(false)
  await verdictIn(owner, 'named', 'postgres', 'NotAllowed')
  const mark = `${owner.id}/${(await databaseIn('named')).metadata.name}`
  const metadata = { name, annotations: { [annotations.resource]: mark } }
  expect((await owner.kube('POST', '/api/v1/namespaces', { metadata })).status).toBe(201)
  await define('named', { manifests, outputs: { values: { made: 'it' } } })
  expect(await isReady(redeploy('named'))).toBe(true)
  expect(await objectAt(owner, `/api/v1/namespaces/${name}`)).toBeDefined()
})
