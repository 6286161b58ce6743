import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { apiCall, apiRequest, eventually } from '../../dev/control-plane/kubernetes.ts'
import { makeRestrictedNamespace, releaseOn } from '../../dev/helm/installation.ts'
import { gatewayUrlOf } from '../../dev/node/gateway.ts'
import { startNode } from '../../dev/node/node.ts'
import { readAdminToken } from '../../dev/quartermaster.ts'
import { conditionStatus, makeTestOrganization, type Organization } from '../cluster/support/client.ts'
import { allowOperator } from '../cluster/support/cluster-rights.ts'
import { startLargeDeployment } from './large-deployment.ts'
import { collectLogs } from './pod-logs.ts'
import { containersOf, leadingPod, podsOf, podsPath, readyPods } from './pods.ts'
import { tracesOf } from './traces.ts'

const readyWithinMs = 120_000
// Longer than all that one test waits for.
jest.setTimeout(600_000)
const allReady = { operator: 2, gateway: 2 }
// A busy machine must not cost the operator its lease, which it logs as an error.
const lease = '--set-string=settings.QUARTERMASTER_LEASE_SECONDS=60'
const directory = await mkdtemp(join(tmpdir(), 'quartermaster-node-'))
const node = await startNode({ directory })
const { controlPlane } = node
const release = releaseOn(controlPlane.kubeconfigPath)
const logs = collectLogs(controlPlane)
let organization: Organization

beforeAll(async () => {
  await node.importImage()
  await makeRestrictedNamespace(controlPlane)
})
afterAll(() => node.stop())

const untilAllReady = () =>
  eventually('two ready pods of each process', readyWithinMs, async () => {
    const pods = await podsOf(controlPlane)
    expect(readyPods(pods)).toEqual(allReady)
    return pods
  })

/** Deploys another resource over REST, through the Service. */
async function deployOverRest(environment: string): Promise<string> {
  const rest = async (method: string, path: string, body?: object) => {
    const answer = await organization.rest(method, path, body)
    expect([answer.status, answer.body]).toEqual([expect.any(Number), expect.anything()])
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  await organization.application('store')
  await organization.environment('store', environment)
  const delta = await rest('POST', '/apps/store/deltas', {
    metadata: { env_id: environment },
    modules: {
      add: {
        backend: {
          profile: 'quartermaster/default-module',
          spec: {},
          externals: { cache: { type: 'redis' } },
        },
      },
    },
  })
  const { id } = await rest('POST', `/apps/store/envs/${environment}/deploys`, { delta_id: delta.id })
  await organization.ended(id)
  const resources = await rest('GET', `/apps/store/envs/${environment}/resources`)
  expect(resources.map(({ type }: { type: string }) => type)).toContain('redis')
  return (await rest('GET', `/apps/store/envs/${environment}/deploys/${id}`)).status
}

describe('on a real node', () => {
  test('the chart installs, and all pods are ready, in a namespace that enforces the restricted standard', async () => {
    await release.install(lease)
    const pods = await untilAllReady()
    expect(pods.flatMap(({ status }) => status.containerStatuses?.map((each) => each.restartCount))).toEqual([
      0, 0, 0, 0,
    ])
    await eventually('a leader', readyWithinMs, async () => (await leadingPod(controlPlane)) || undefined)
  })

  test('a deployment over REST, through the Service, succeeds', async () => {
    organization = await makeTestOrganization(
      {
        access: controlPlane,
        gatewayUrl: await gatewayUrlOf(controlPlane),
        adminToken: await readAdminToken(controlPlane),
      },
      'node',
    )
    await organization.define('redis', {
      type: 'redis',
      driverType: 'quartermaster/echo',
      driverInputs: { values: { host: 'redis.example.test', port: 6379 } },
      criteria: [{}],
    })
    expect(await deployOverRest('installed')).toBe('succeeded')
  })

  test('`helm test` succeeds', async () => {
    expect(await release.test()).toMatch(/deployment '.+' succeeded with .*redis.*; deleted/)
  })

  test('another pod leads after the leading pod is deleted, and deploys', async () => {
    const first = await leadingPod(controlPlane)
    await apiCall(controlPlane, 'DELETE', `${podsPath}/${first}`)
    await eventually('another leader', readyWithinMs, async () => {
      return ![first, ''].includes(await leadingPod(controlPlane)) || undefined
    })
    expect(await deployOverRest('failed-over')).toBe('succeeded')
    await untilAllReady()
  })

  test('a rolling upgrade under a running deployment of 500 resources loses and doubles nothing', async () => {
    const count = 500
    await allowOperator(controlPlane, organization.id, [{ group: '', resources: ['configmaps'] }])
    const deployment = await startLargeDeployment(organization, node, count)
    await deployment.untilRunning()
    await node.tagImage('next')
    await release.install(lease, '--set=image.tag=next')
    const pods = await untilAllReady()
    expect(pods.every(({ spec }) => spec.containers[0]?.image.endsWith(':next'))).toBe(true)
    await eventually('a leader of the new image', readyWithinMs, async () => {
      const leader = await leadingPod(controlPlane)
      return pods.some(({ metadata }) => metadata.name === leader) || undefined
    })
    expect(conditionStatus(await deployment.read(), 'Ready')).not.toBe('True')
    const before = await deployment.configMaps()
    await deployment.open()
    expect(conditionStatus(await deployment.ended(), 'Ready')).toBe('True')
    const after = await deployment.configMaps()
    expect(after.size).toBe(count)
    for (const [name, uid] of before) expect([name, after.get(name)]).toEqual([name, uid])
    expect((await deployment.creations()).sort()).toEqual([...after.keys()].sort())
    const resources = (await organization.resources()).filter(({ spec }) => spec.type === 's3')
    expect(resources.map(({ metadata }) => `s3-${metadata.name}`).sort()).toEqual([...after.keys()].sort())
    expect(resources.filter((resource) => conditionStatus(resource, 'Ready') !== 'True')).toEqual([])
  })

  test('after a restart of the node, the same pods are ready again, and deploy', async () => {
    const before = new Set((await podsOf(controlPlane)).flatMap(containersOf))
    await node.restart()
    await eventually('other containers', readyWithinMs, async () => {
      const containers = (await untilAllReady()).flatMap(containersOf)
      return containers.every((container) => !before.has(container)) || undefined
    })
    expect(await deployOverRest('restarted')).toBe('succeeded')
  })

  test('an uninstallation ends all pods and keeps the kinds and what was provisioned', async () => {
    await release.uninstall()
    await eventually('the end of the pods', readyWithinMs, async () => {
      const { items } = await apiCall<{ items: unknown[] }>(controlPlane, 'GET', podsPath)
      return items.length === 0 || undefined
    })
    const path = `/api/v1/namespaces/${organization.id}--shop--large/configmaps`
    const { body } = await apiRequest<{ items: { metadata: { name: string } }[] }>(controlPlane, 'GET', path)
    expect(body.items.filter(({ metadata }) => metadata.name.startsWith('s3-'))).toHaveLength(500)
    expect(await organization.resources()).not.toEqual([])
  })

  test('no pod of the operator or the gateway logged an error', () => {
    expect(logs.count()).toBeGreaterThan(0)
    expect(logs.errors()).toEqual([])
  })

  test('a removed node leaves nothing on this machine', async () => {
    await logs.stop()
    expect(await tracesOf(node.network.name, directory)).not.toEqual([])
    await node.stop()
    // The watcher of a process ends a moment after it.
    await eventually('the end of all traces', readyWithinMs, async () => {
      expect(await tracesOf(node.network.name, directory)).toEqual([])
      return true
    })
  })
})
