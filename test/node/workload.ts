import { expect, test } from '@jest/globals'
import { apiCall, eventually } from '../../dev/control-plane/kubernetes.ts'
import { defaultImage } from '../../dev/image/archive.ts'
import type { RunningNode } from '../../dev/node/node.ts'
import type { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { conditionStatus, type Organization } from '../cluster/support/client.ts'
import type { Pod } from './pods.ts'

const withinMs = 120_000
const environment = '/apps/web/envs/live'
const passwords = ['first-password', 'second-password'] as const

/** Answers what it finds in its environment, its file and its volume. */
const server = `
const fs = require('node:fs')
fs.appendFileSync('/data/starts', 'x')
const read = () => JSON.stringify({
  url: process.env.DATABASE_URL,
  login: fs.readFileSync('/etc/web/login', 'utf8'),
  starts: fs.readFileSync('/data/starts', 'utf8').length,
})
require('node:http').createServer((request, response) => {
  response.end(request.url === '/ready' ? 'ready' : read())
}).listen(8080)
process.on('SIGTERM', () => process.exit(0))
`
const probe = { httpGet: { path: '/ready', port: 8080 } }

/** The Score document of the server. */
const score = (image: string) => ({
  apiVersion: 'score.dev/v1b1',
  metadata: { name: 'web' },
  service: { ports: { http: { port: 80, targetPort: 8080 } } },
  containers: {
    main: {
      image,
      command: ['/nodejs/bin/node'],
      args: ['-e', server],
      variables: { DATABASE_URL: 'postgres://shop:${resources.db.password}@${resources.db.host}/shop' },
      files: { '/etc/web/login': { content: 'password=${resources.db.password}' } },
      volumes: { '/data': { source: '${resources.data}' } },
      livenessProbe: probe,
      readinessProbe: probe,
    },
  },
  resources: { db: { type: 'postgres' }, data: { type: 'volume' } },
})

/** Tests that run one after the other: a Score document whose container is a small HTTP server, on a node. */
export function testWorkload(get: () => { readonly organization: Organization; readonly node: RunningNode }) {
  const rest = async (method: string, path: string, body?: unknown) => {
    const answer = await get().organization.rest(method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const namespace = () => `${get().organization.id}--web--live`
  const kube = <T>(path: string) =>
    apiCall<T>(get().node.controlPlane, 'GET', `/api/v1/namespaces/${namespace()}/${path}`)
  const pods = async () => {
    const { items } = await kube<{ items: Pod[] }>('pods')
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  }
  /** Asks the server through its Service, not through the product. */
  async function ask(): Promise<Record<string, unknown>> {
    const { spec } = await kube<{ spec: { clusterIP: string } }>('services/web')
    const answer = await fetch(`http://${spec.clusterIP}/`, { signal: AbortSignal.timeout(2000) })
    return (await answer.json()) as Record<string, unknown> // as the server writes it
  }
  const untilItAnswers = (password: string) =>
    eventually('the answer of the server', withinMs, async () => {
      expect(await ask()).toEqual({
        url: `postgres://shop:${password}@db.internal/shop`,
        login: `password=${password}`,
        starts: 1,
      })
      return true
    })
  async function deploy(body: object, limitMs = withinMs): Promise<EnvironmentDeployment> {
    const { id } = await rest('POST', `${environment}/deploys`, body)
    return get().organization.ended(id, limitMs)
  }
  const deployScore = (image: string, limitMs?: number) =>
    deploy({ score: [{ spec: score(image) }] }, limitMs)
  const setOf = ({ metadata }: EnvironmentDeployment) =>
    rest('GET', `${environment}/deploys/${metadata.name}`).then(({ set_id }) => set_id)
  let working: EnvironmentDeployment | undefined

  test('a workload gets its database URL from a secret output, its file and its volume, and becomes available', async () => {
    const { organization } = get()
    await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login' },
      stringData: { password: passwords[0] },
    })
    await organization.define('database', {
      type: 'postgres',
      driverType: 'quartermaster/echo',
      driverInputs: {
        values: { host: 'db.internal', port: 5432 },
        secretRefs: { password: { secret: 'login', key: 'password' } },
      },
      criteria: [{}],
    })
    await organization.define('scratch', {
      type: 'volume',
      driverType: 'quartermaster/template',
      driverInputs: {
        values: {
          templates: {
            manifests: { 'empty.yaml': { location: 'volumes', data: { name: 'scratch', emptyDir: {} } } },
          },
        },
      },
      criteria: [{}],
    })
    await organization.application('web')
    await organization.environment('web', 'live')
    working = await deployScore(await defaultImage())
    expect(working.status?.problems ?? []).toEqual([])
    expect(conditionStatus(working, 'Ready')).toBe('True')
    await untilItAnswers(passwords[0])
  })

  test('its pods are shown as they are', async () => {
    const [pod] = await pods()
    const { modules } = await rest('GET', `${environment}/runtime`)
    expect(modules.web.web).toMatchObject({
      kind: 'Deployment',
      replicas: 1,
      status: 'Success',
      pods: [
        {
          podName: pod?.metadata.name,
          phase: 'Running',
          status: 'Success',
          containerStatuses: [{ name: 'main', ready: true, restart_count: 0, state: { running: {} } }],
        },
      ],
    })
    expect(JSON.stringify(modules)).not.toContain(passwords[0])
  })

  test('a rotated secret arrives with a deployment of the same content, in other pods', async () => {
    const { organization } = get()
    const before = await pods()
    await organization.kube(
      'PATCH',
      `/api/v1/namespaces/${organization.id}/secrets/login`,
      { stringData: { password: passwords[1] } },
      'application/merge-patch+json',
    )
    if (!working) throw new Error('no deployment succeeded')
    const renewed = await deploy({ set_id: await setOf(working) })
    expect(conditionStatus(renewed, 'Ready')).toBe('True')
    await untilItAnswers(passwords[1])
    const names = (await pods()).map(({ metadata }) => metadata.name)
    expect(names).not.toContain(before[0]?.metadata.name)
  })

  test('an image that does not exist fails the deployment within 30 seconds with the reason, and the old pods stay', async () => {
    const failed = await deployScore('127.0.0.1:9/missing:1', 30_000)
    expect(failed.status?.problems).toMatchObject([
      { object: 'workload.default#modules.web', reason: 'ImagePullBackOff' },
    ])
    await untilItAnswers(passwords[1])
    const { modules } = await rest('GET', `${environment}/runtime`)
    expect(modules.web.web).toMatchObject({
      status: 'Warning',
      message: expect.stringContaining('ImagePullBackOff'),
    })
  })

  test('a roll-back heals it', async () => {
    if (!working) throw new Error('no deployment succeeded')
    const back = await deploy({ set_id: await setOf(working) })
    expect(conditionStatus(back, 'Ready')).toBe('True')
    await untilItAnswers(passwords[1])
  })

  test('a paused environment has no pods, and a resumed one answers again', async () => {
    await rest('PUT', `${environment}/runtime/paused`, true)
    await eventually('no pods', withinMs, async () => {
      const { items } = await kube<{ items: Pod[] }>('pods')
      return items.length === 0 || undefined
    })
    const { modules } = await rest('GET', `${environment}/runtime`)
    expect(modules.web.web).toMatchObject({ replicas: 0, status: 'Stopped', pods: [] })
    await rest('PUT', `${environment}/runtime/paused`, false)
    await untilItAnswers(passwords[1])
  })
}
