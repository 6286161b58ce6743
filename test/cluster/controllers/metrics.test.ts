import { beforeAll, describe, expect, test } from '@jest/globals'
import { declaredMetrics } from '../../../dev/generate/metrics.ts'
import { conditionStatus, makeTestOrganization, moduleWith } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'measured')

type Source = 'operator' | 'gateway'
const urls = { operator: cluster.operatorUrl, gateway: cluster.gatewayUrl }

/** The series of a process: each with its labels and its value. */
async function seriesOf(source: Source): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${urls[source]}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}

const succeeded = 'quartermaster_deployment_duration_seconds_count{result="succeeded"}'
const provisions =
  'quartermaster_driver_call_duration_seconds_count{driver="echo",operation="provision",result="succeeded"}'

let before: ReadonlyMap<string, number>
let after: ReadonlyMap<string, number>

beforeAll(async () => {
  await organization.application('shop')
  await organization.environment('shop', 'development')
  await organization.apply('resourcedefinitions', 'ResourceDefinition', 'bucket', {
    type: 's3',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { bucket: 'a', region: 'b' } },
    criteria: [{}],
  })
  before = await seriesOf('operator')
  const end = await organization.deploy('shop.development', {
    modules: { web: moduleWith({ it: { type: 's3' } }) },
  })
  expect(conditionStatus(end, 'Ready')).toBe('True')
  after = await seriesOf('operator')
})

describe('the operator counts', () => {
  test.each([
    ['a deployment that succeeded', succeeded],
    ['a call of a driver', provisions],
    ['reconciles', 'quartermaster_reconcile_total{kind="ActiveResource",result="ready"}'],
    ['what waits in queues', 'workqueue_adds_total{name="EnvironmentDeployment"}'],
    ['requests to the API server', 'rest_client_requests_total{method="POST",code="201"}'],
  ])('%s', (_, series) => {
    expect(after.get(series) ?? 0).toBeGreaterThan(before.get(series) ?? 0)
  })

  test('objects of each state', () => {
    expect(after.get('quartermaster_objects{kind="EnvironmentDeployment",state="ready"}')).toBeGreaterThan(0)
  })
})

test('the operator that tests use leads, and hears from each of its watches', () => {
  expect(after.get('leader_election_master_status{name="quartermaster-operator"}')).toBe(1)
  const silences = [...after].filter(([series]) => series.startsWith('quartermaster_watch_silence_seconds'))
  expect(silences.length).toBeGreaterThan(10)
  expect(silences.filter(([, seconds]) => seconds > 180)).toEqual([])
})

test.each<Source>(['operator', 'gateway'])(
  'the %s reports only metrics that the page lists',
  async (source) => {
    const names = new Set([...(await seriesOf(source)).keys()].map((series) => series.split('{')[0] ?? ''))
    const declared = declaredMetrics()
    const isListed = (name: string) =>
      declared.has(name) ||
      declared.has(name.replace(/_(bucket|sum|count|total)$/, '')) ||
      /^(nodejs|process)_/.test(name)
    expect([...names].filter((name) => !isListed(name))).toEqual([])
  },
)

test('no metric names an organization', async () => {
  for (const source of ['operator', 'gateway'] as const)
    expect(JSON.stringify([...(await seriesOf(source)).keys()])).not.toContain(organization.id)
})
