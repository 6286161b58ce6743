import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { apiCall, apiRequest, eventually } from '../../dev/control-plane/kubernetes.ts'
import { freePorts } from '../../dev/control-plane/processes.ts'
import { ensureHelm } from '../../dev/helm/helm.ts'
import { makeRestrictedNamespace, releaseOn } from '../../dev/helm/installation.ts'
import { gatewayUrlOf } from '../../dev/node/gateway.ts'
import { startNode } from '../../dev/node/node.ts'
import { readAdminToken } from '../../dev/quartermaster.ts'
import { conditionStatus, makeTestOrganization, type Organization } from '../cluster/support/client.ts'
import { allowOperator } from '../cluster/support/cluster-rights.ts'
import type { Block } from '../docs/page.ts'
import { blocksAt, runBlocks } from '../docs/run-page.ts'
import { startLargeDeployment } from './large-deployment.ts'
import { collectLogs } from './pod-logs.ts'
import { containersOf, leadingPod, podsOf, podsPath, readyPods } from './pods.ts'
import { testRegistry } from './registry.ts'
import { tracesOf } from './traces.ts'
import { testWorkload } from './workload.ts'

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

const [localPort = 0] = await freePorts(1)
const environment = {
  PATH: [dirname(await ensureHelm()), dirname(controlPlane.binaries.kubectl), process.env['PATH']].join(
    delimiter,
  ),
  KUBECONFIG: controlPlane.kubeconfigPath,
  // Caches of other clusters are not used.
  HOME: directory,
}

/** Runs blocks of a page as they are, but with the image and the lease of this test, and a port that is free. */
async function runDocumented(blocks: readonly Block[]): Promise<void> {
  const adapted = blocks.map((block) => ({
    ...block,
    text: block.text
      .replaceAll('--set image.repository=registry.example.com/quartermaster', lease)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${localPort}`)
      .replaceAll(' 8080:80 ', ` ${localPort}:80 `),
  }))
  const results = await runBlocks(adapted, environment)
  expect(results.map(({ error }, index) => [blocks[index]?.title, error])).toEqual(
    blocks.map(({ title }) => [title, undefined]),
  )
}
const installation = blocksAt('docs/install.md', 'node')

const untilLeaderIsOneOf = (pods: Awaited<ReturnType<typeof podsOf>>) =>
  eventually('a leader among these pods', readyWithinMs, async () => {
    const leader = await leadingPod(controlPlane)
    return pods.some(({ metadata }) => metadata.name === leader) || undefined
  })

/** Makes an organization that the Service of the installation serves. */
async function makeOrganization(prefix: string): Promise<Organization> {
  const gatewayUrl = await gatewayUrlOf(controlPlane)
  const adminToken = await readAdminToken(controlPlane)
  const made = await makeTestOrganization({ access: controlPlane, gatewayUrl, adminToken }, prefix)
  await made.define('redis', {
    type: 'redis',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: 'redis.example.test', port: 6379 } },
    criteria: [{}],
  })
  return made
}

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
  test('the five commands of the README install the chart, deploy the sample and test the installation, under the restricted standard', async () => {
    const blocks = blocksAt('README.md', 'node')
    expect(blocks.flatMap(({ text }) => text.split('\n'))).toHaveLength(5)
    await runDocumented(blocks)
    const pods = await untilAllReady()
    expect(pods.flatMap(({ status }) => status.containerStatuses?.map((each) => each.restartCount))).toEqual([
      0, 0, 0, 0,
    ])
    await eventually('a leader', readyWithinMs, async () => (await leadingPod(controlPlane)) || undefined)
  })

  test('a deployment over REST, through the Service, succeeds', async () => {
    organization = await makeOrganization('node')
    expect(await deployOverRest('installed')).toBe('succeeded')
  })

  testWorkload(() => ({ organization, node }))
  testRegistry(() => ({ organization, node, directory, logs: logs.text() }))

  test.each<[page: string, blocks: readonly Block[]]>([
    ['docs/install.md', installation.slice(0, -2)],
    ['docs/access.md', blocksAt('docs/access.md', 'node')],
    ['docs/operations.md', blocksAt('docs/operations.md', 'node')],
    ['docs/troubleshooting.md', blocksAt('docs/troubleshooting.md', 'node')],
    ['docs/alerts.md', blocksAt('docs/alerts.md', 'node')],
  ])('the commands of %s for pods work', async (_, blocks) => {
    expect(blocks.length).toBeGreaterThan(0)
    await runDocumented(blocks)
  })

  test('another pod leads after the leading pod is deleted, and deploys', async () => {
    await release.install(lease) // as before the commands above
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
    await untilLeaderIsOneOf(pods)
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

  test('a new installation takes over what is there, and the documented commands then remove everything', async () => {
    await release.install(lease)
    // The pods before could not release the Lease without the rights that the uninstallation removed.
    await untilLeaderIsOneOf(await untilAllReady())
    const kept = organization.id
    organization = await makeOrganization('again')
    expect(await deployOverRest('installed')).toBe('succeeded')
    await runDocumented(installation.slice(-1))
    const names = async (path: string) => {
      const { items } = await apiCall<{ items: { metadata: { name: string } }[] }>(controlPlane, 'GET', path)
      return items.map(({ metadata }) => metadata.name)
    }
    const kinds = await names('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')
    expect(kinds.filter((name) => name.endsWith('.quartermaster.dev'))).toEqual([])
    const namespaces = await names('/api/v1/namespaces')
    expect(namespaces.filter((name) => name.includes('quartermaster') || name.startsWith(kept))).toEqual([])
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
