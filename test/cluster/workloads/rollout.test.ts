import { beforeAll, describe, expect, test } from '@jest/globals'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { createAuditLog } from '../support/audit-log.ts'
import { conditionStatus, eventually, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { ended as endedPod, kubeletOf, running, waiting } from './kubelet.ts'
import { canary, makeStage, type Stage } from './stage.ts'

let stage: Stage
const play = kubeletOf(() => stage)
const module = (container: object, more: object = {}) => ({
  profile: 'quartermaster/default-module',
  deploy: { success: 'available' },
  spec: { containers: { main: { image: 'images.example.test/api:1.0', ...container } } },
  externals: { db: { type: 'postgres' } },
  ...more,
})

beforeAll(async () => {
  stage = await makeStage()
})

async function untilReady(environment: string, workload: string, status: string) {
  return eventually(`'${workload}' with Ready=${status}`, 30_000, async () => {
    const resource = await stage.workload(environment, workload)
    return resource && conditionStatus(resource, 'Ready') === status ? resource : undefined
  })
}

test('a deployment succeeds when the pods of its workloads run, not before', async () => {
  await stage.organization.environment('shop', 'good')
  const name = await stage.begin('good', { api: module({}) })
  const resource = await eventually('the rollout', 30_000, async () => {
    const found = await stage.workload('good', 'api')
    return readyOf(found).message.includes('rollout') ? found : undefined
  })
  expect(conditionStatus(resource, 'Ready')).toBe('Unknown')
  expect(conditionStatus(await stage.organization.get('environmentdeployments', name), 'Ready')).toBe(
    'Unknown',
  )
  await play('good', 'api', running)
  expect(conditionStatus(await stage.organization.ended(name), 'Ready')).toBe('True')
})

describe('a workload that cannot run fails its deployment with the reason of its pods', () => {
  test.each<[reason: string, environment: string, status: object, message: RegExp]>([
    [
      'ImagePullBackOff',
      'image',
      waiting('ImagePullBackOff'),
      /container 'main': ImagePullBackOff: said the kubelet/,
    ],
    [
      'CrashLoopBackOff',
      'crash',
      waiting('CrashLoopBackOff', {
        lastState: {
          terminated: {
            exitCode: 3,
            reason: 'Error',
            message: 'no database',
            startedAt: null,
            finishedAt: null,
          },
        },
      }),
      /container 'main' ended with exit code 3: no database/,
    ],
    ['ContainerNotStarted', 'config', waiting('CreateContainerConfigError'), /CreateContainerConfigError/],
    [
      'Unschedulable',
      'nodes',
      {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/3 nodes',
            lastTransitionTime: '2020-01-01T00:00:00Z',
          },
        ],
      },
      /0\/3 nodes/,
    ],
  ])('%s', async (reason, environment, status, message) => {
    await stage.organization.environment('shop', environment)
    const name = await stage.begin(environment, { api: module({}) })
    await play(environment, 'api', status)
    const ended = await stage.organization.ended(name)
    expect(conditionStatus(ended, 'Stalled')).toBe('True')
    expect(ended.status?.problems).toEqual([
      { object: 'workload.default#modules.api', reason, message: expect.stringMatching(message) },
    ])
    expect(conditionStatus(await stage.workload(environment, 'api'), 'Stalled')).toBe('True')
    // The pods heal without a deployment.
    await play(environment, 'api', running)
    await untilReady(environment, 'api', 'True')
  })

  test('a quota that allows no pod', async () => {
    await stage.organization.environment('shop', 'quota')
    await stage.organization.deploy('shop.quota', {
      modules: { api: module({}, { deploy: { success: 'deploy' } }) },
    })
    await stage.request('POST', 'quota', 'api/v1 resourcequotas', {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard: { pods: '0' } },
    })
    await eventually('the quota', 30_000, async () => {
      const quota = await stage.object('quota', 'api/v1 resourcequotas', 'none')
      return (quota?.status as { hard?: object } | undefined)?.hard !== undefined || undefined
    })
    const ended = await stage.organization.ended(await stage.begin('quota', { web: module({}) }))
    expect(ended.status?.problems).toMatchObject([{ reason: 'PodQuotaExceeded' }])
  })

  test('the termination message loses the secrets that it prints', async () => {
    await stage.organization.environment('shop', 'talkative')
    const variables = { URL: 'postgres://shop:${externals.db.password}@db' }
    const name = await stage.begin('talkative', { api: module({ variables }) })
    const message = `cannot connect with the password ${canary}`
    await play(
      'talkative',
      'api',
      waiting('CrashLoopBackOff', {
        lastState: { terminated: { exitCode: 1, message, startedAt: null, finishedAt: null } },
      }),
    )
    const ended = await stage.organization.ended(name)
    expect(ended.status?.problems?.[0]?.message).toContain('cannot connect with the password')
    const text = JSON.stringify([
      ended,
      await stage.organization.resources(),
      await stage.organization.list('environmentdeployments'),
    ])
    expect(text).not.toContain(canary)
  })
})

describe('a broken rollout of a new image', () => {
  test('fails while the old pods still run, and a roll-back heals it', async () => {
    await stage.organization.environment('shop', 'roll')
    const first = await stage.begin('roll', { api: module({}) })
    await play('roll', 'api', running)
    await stage.organization.ended(first)
    const broken = await stage.begin('roll', { api: module({ image: 'images.example.test/api:broken' }) })
    await play('roll', 'api', waiting('ImagePullBackOff'), 'api:broken')
    expect((await stage.organization.ended(broken)).status?.problems).toMatchObject([
      { reason: 'ImagePullBackOff' },
    ])
    const back = await stage.begin('roll', { api: module({}) })
    expect(conditionStatus(await stage.organization.ended(back), 'Ready')).toBe('True')
  })
})

describe('other kinds', () => {
  test('a StatefulSet is ready when its pods are', async () => {
    await stage.organization.environment('shop', 'stateful')
    const name = await stage.begin('stateful', {
      store: { ...module({}), profile: 'quartermaster/default-stateful' },
    })
    await play('stateful', 'store', running)
    expect(conditionStatus(await stage.organization.ended(name), 'Ready')).toBe('True')
  })

  test('a Job is ready when it is complete, and runs again when it changes', async () => {
    await stage.organization.environment('shop', 'job')
    const job = (image: string) => ({
      ...module({ image }),
      profile: 'quartermaster/default-job',
      spec: { ...module({ image }).spec, job: { backoffLimit: 0 } },
    })
    const first = await stage.begin('job', { migrate: job('images.example.test/migrate:1') })
    await play('job', 'migrate', endedPod(0))
    expect(conditionStatus(await stage.organization.ended(first), 'Ready')).toBe('True')
    const [old] = await stage.objects('job', 'apis/batch/v1 jobs')
    const second = await stage.begin('job', { migrate: job('images.example.test/migrate:2') })
    await play('job', 'migrate', endedPod(7, { reason: 'Error', message: 'no table' }), 'migrate:2')
    const ended = await stage.organization.ended(second)
    expect(ended.status?.problems).toMatchObject([
      { reason: 'JobFailed', message: expect.stringContaining('exit code 7: no table') },
    ])
    const jobs = await stage.objects('job', 'apis/batch/v1 jobs')
    const left = jobs.filter(({ metadata }: StoredObject) => metadata.deletionTimestamp === undefined)
    expect(left.map(({ metadata }) => metadata.uid)).not.toContain(old?.metadata.uid)
  })

  test('a CronJob is ready when it is applied', async () => {
    await stage.organization.environment('shop', 'cron')
    const cron = {
      ...module({}),
      profile: 'quartermaster/default-cronjob',
      spec: { ...module({}).spec, schedules: { nightly: { schedule: '0 4 * * *' } } },
    }
    const deployment = await stage.organization.deploy('shop.cron', { modules: { report: cron } })
    expect(conditionStatus(deployment, 'Ready')).toBe('True')
    expect(await stage.object('cron', 'apis/batch/v1 cronjobs', 'report-nightly')).toBeDefined()
    await stage.organization.deploy('shop.cron', { modules: {} })
    await eventually('the end of the CronJob', 30_000, async () => {
      const left = await stage.object('cron', 'apis/batch/v1 cronjobs', 'report-nightly')
      return left === undefined || undefined
    })
  })
})

test('creating a workload takes one write for each object, and two of its status', async () => {
  await stage.organization.environment('shop', 'writes')
  await stage.organization.deploy('shop.writes', { modules: {} })
  const audit = createAuditLog(sharedCluster().auditLogPath, stage.organization.id)
  await audit.calm()
  const position = await audit.end()
  const spec = { ...module({}).spec, service: { ports: { http: { service_port: 80 } } } }
  const name = await stage.begin('writes', { api: module({}, { spec, externals: {} }) })
  await play('writes', 'api', running)
  await stage.organization.ended(name)
  const resource = await stage.workload('writes', 'api')
  const writes = (await audit.writesSince(position)).map((each) => each.split(' ').slice(1).join(' '))
  const about = writes.filter(
    (each) => each.endsWith(' api') || each.endsWith(resource?.metadata.name ?? '-'),
  )
  expect(about.sort()).toEqual([
    `create activeresources ${resource?.metadata.name}`,
    'patch deployments api',
    'patch serviceaccounts api',
    'patch services api',
    'update activeresources ' + resource?.metadata.name,
    'update activeresources ' + resource?.metadata.name,
  ])
  await audit.calm()
})
