import { beforeAll, expect, test } from '@jest/globals'
import { conditionStatus, makeTestOrganization } from '../support/client.ts'
import { namespaceOf, objectAt, readinessIn } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { templateResourcesOf } from '../support/templates.ts'

const cluster = sharedCluster()
const owner = await makeTestOrganization(cluster, 'reserved-hosts')
const { prepare, deploy, databaseIn } = templateResourcesOf(owner)

beforeAll(prepare)

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
  await readinessIn(owner, 'too-many', 'postgres', 'TooManyHosts')
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespaceOf(owner, 'too-many')}/ingresses/web`
  expect(await objectAt(owner, path)).toBeUndefined()
})
