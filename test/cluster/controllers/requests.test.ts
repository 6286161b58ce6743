import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createAuditLog } from '../support/audit-log.ts'
import { conditionStatus, eventually, makeTestOrganization } from '../support/client.ts'
import { allowOperator, disallowOperator } from '../support/cluster-rights.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const count = 110
const environmentName = 'shop.counted'
const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'requests')
const audit = createAuditLog(cluster.auditLogPath, organization.id)
const ids = Array.from({ length: count }, (_, index) => `bucket-${index}`)
const namespace = `${organization.id}--shop--counted`
let setName: string | undefined

/** What the log shows of a request that a test does not expect. */
const lines = new Map<string, string>()

/** Requests of the operator while the work runs, by what they are about: `<verb> <resource>` with their number. */
async function requestsDuring(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  await audit.calm()
  const position = await audit.end()
  await work()
  await audit.calm()
  const counts: Record<string, number> = {}
  for (const each of await audit.requestsSince(position)) {
    if (each.endsWith(' quartermaster-applied-kinds')) continue // once per kind and installation
    const [user = '', verb, resource] = each.split(' ')
    const key = `${verb} ${resource}`
    if (!user.endsWith(':quartermaster-operator')) continue
    counts[key] = (counts[key] ?? 0) + 1
    lines.set(key, each)
  }
  return counts
}

beforeAll(async () => {
  await allowOperator(cluster.access, organization.id, [{ group: '', resources: ['configmaps'] }])
  await organization.application('shop')
  await organization.environment('shop', 'counted')
  const data = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c-${context.res.guresid}' } }
  await organization.define('buckets', {
    type: 's3',
    driverType: 'quartermaster/template',
    driverInputs: {
      values: { templates: { manifests: { settings: { data } }, outputs: { bucket: 'b' } } },
    },
    criteria: [{}],
  })
  const shared = Object.fromEntries(ids.map((id) => [id, { type: 's3' }]))
  const deployed = await organization.deploy(environmentName, { shared })
  expect(deployed.status?.conditions).toEqual([expect.objectContaining({ type: 'Ready', status: 'True' })])
  setName = deployed.spec.setName
})
afterAll(() => disallowOperator(cluster.access, organization.id))

test('a deployment of mode full that changes nothing costs one request for each object', async () => {
  const requests = await requestsDuring(async () => {
    const spec = { environmentName, setName, mode: 'full' }
    await organization.apply('environmentdeployments', 'EnvironmentDeployment', 'shop.counted.full', spec)
    expect(conditionStatus(await organization.ended('shop.counted.full'), 'Ready')).toBe('True')
  })
  expect(requests['patch configmaps']).toBe(count)
  const ofResources = Object.keys(requests).filter((each) =>
    /activeresources|configmaps|namespaces$/.test(each),
  )
  const others = ofResources.filter((each) => each !== 'patch configmaps')
  expect(others.map((each) => lines.get(each))).toEqual([])
})

test('the deletion of an environment costs one write for each resource, and one for a hundred objects', async () => {
  const requests = await requestsDuring(async () => {
    await organization.remove('environments', environmentName)
    await eventually('the end of the environment', 120_000, async () => {
      const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/environments/${environmentName}`
      return (await organization.kube('GET', path)).status === 404 || undefined
    })
  })
  expect(await organization.allResources()).toEqual([])
  expect((await organization.kube('GET', `/api/v1/namespaces/${namespace}`)).status).toBe(404)
  expect(requests['update activeresources']).toBe(count)
  expect(requests['deletecollection activeresources']).toBe(Math.ceil(count / 100))
  // On a busy machine, the cluster begins to delete the objects too.
  expect(requests['deletecollection configmaps']).toBeGreaterThan(0)
  expect(requests['deletecollection configmaps']).toBeLessThanOrEqual(Math.ceil(count / 100))
  expect(requests['delete namespaces']).toBe(1)
  const expected = [
    'deletecollection activeresources',
    'deletecollection configmaps',
    'list activeresources',
    'list configmaps',
    'update activeresources',
  ]
  const others = Object.keys(requests).filter((each) => /activeresources|configmaps/.test(each))
  expect(others.filter((each) => !expected.includes(each)).map((each) => lines.get(each))).toEqual([])
  expect(others).toHaveLength(expected.length)
  // A constant, however many resources there are.
  expect((requests['list activeresources'] ?? 0) + (requests['get namespaces'] ?? 0)).toBeLessThan(count / 2)
})
