import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Environment } from '../../../operator/api/environment.ts'
import type { StoredObject } from '../../../operator/api/kind.ts'
import { createAuditLog } from '../support/audit-log.ts'
import { conditionStatus, eventually } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { ended, kubeletOf, running, startKubelet, waiting } from './kubelet.ts'
import { canary, makeStage, type Stage } from './stage.ts'

let stage: Stage
let kubelet: ReturnType<typeof startKubelet> | undefined
const play = kubeletOf(() => stage)
const environment = '/apps/shop/envs/run'

const module = (profile: string, spec: object = {}, container: object = {}) => ({
  profile: `quartermaster/${profile}`,
  deploy: { success: 'available' },
  spec: { containers: { main: { image: 'images.example.test/api:1.0', ...container } }, ...spec },
  externals: { db: { type: 'postgres' } },
})
const variables = { PASSWORD: '${externals.db.password}' }
const modules = {
  api: module('default-module', { replicas: 2 }, { variables }),
  store: module('default-stateful'),
  migrate: module('default-job'),
  report: module('default-cronjob', { schedules: { nightly: { schedule: '0 4 * * *' } } }),
}
const objects = {
  deployments: ['apis/apps/v1 deployments', 'api'],
  statefulsets: ['apis/apps/v1 statefulsets', 'store'],
  cronjobs: ['apis/batch/v1 cronjobs', 'report-nightly'],
} as const

const specOf = async (kind: keyof typeof objects) => {
  const [path, name] = objects[kind]
  return (await stage.object('run', path, name))?.spec as Record<string, unknown> | undefined
}
/** The objects that run pods all the time, and the CronJob. */
const specs = () => Promise.all((Object.keys(objects) as (keyof typeof objects)[]).map(specOf))
const replicasOf = async (kind: 'deployments' | 'statefulsets') => (await specOf(kind))?.['replicas']
const runtime = async () => (await stage.organization.rest('GET', `${environment}/runtime`)).body.modules
const until = (what: string, holds: () => Promise<unknown>) =>
  eventually(what, 30_000, async () => (await holds()) || undefined)
const untilReady = (...ids: string[]) =>
  until(`the workloads ${ids.join(', ')}`, async () => {
    const found = await Promise.all(ids.map((id) => stage.workload('run', id)))
    return found.every((each) => {
      const isObserved = each?.status?.observedGeneration === each?.metadata.generation
      return isObserved && conditionStatus(each, 'Ready') === 'True'
    })
  })
async function send(operation: string, body: unknown): Promise<void> {
  const [method = '', path = ''] = operation.split(' ')
  const answer = await stage.organization.rest(method, `${environment}/runtime/${path}`, body)
  expect([answer.status, answer.body]).toEqual([204, undefined])
}
const pause = (isPaused: boolean) => send('PUT paused', isPaused)

async function deploy(changed: object = {}): Promise<void> {
  const deployment = await stage.organization.deploy('shop.run', { modules: { ...modules, ...changed } })
  expect(stage.problems(deployment)).toEqual([])
  expect(conditionStatus(deployment, 'Ready')).toBe('True')
}

const message = `cannot connect with ${canary}`
const crashed = waiting('CrashLoopBackOff', {
  lastState: { terminated: { exitCode: 1, message, startedAt: null, finishedAt: null } },
})

function statusOf({ metadata, spec }: StoredObject): object {
  if (JSON.stringify(spec).includes('broken:1')) return crashed
  return metadata.labels?.['app.kubernetes.io/name'] === 'migrate' ? ended(0) : running
}

beforeAll(async () => {
  stage = await makeStage()
  await stage.organization.environment('shop', 'run')
  kubelet = startKubelet(stage, 'run', statusOf)
  await deploy()
})
afterAll(() => kubelet?.stop())

describe('the runtime of an environment', () => {
  test('shows the pods of all workloads and what runs them, without secrets', async () => {
    const found = await runtime()
    expect(found).toMatchObject({
      api: { api: { replicas: 2, status: 'Success', message: '', revision: 1 } },
      store: { store: { replicas: 1, status: 'Success', pods: [{ podName: 'store-0' }] } },
      report: { 'report-nightly': { status: 'Success', pods: [] } },
    })
    const [job] = Object.values(found.migrate)
    expect(job).toMatchObject({ kind: 'Job', status: 'Success', pods: [{ status: 'Success' }] })
    const { pods } = found.api.api
    expect(pods).toHaveLength(2)
    expect(pods[0]).toMatchObject({ revision: 1, phase: 'Running', status: 'Success' })
    expect(JSON.stringify(found)).not.toContain(canary)
  })

  test('says why pods fail, without what their containers print', async () => {
    const broken = module('default-module', { replicas: 2 }, { variables, image: 'broken:1' })
    await stage.organization.ended(await stage.begin('run', { ...modules, api: broken }))
    const found = (await runtime()).api.api
    expect(found).toMatchObject({ status: 'Warning', revision: 2 })
    expect(found.message).toContain("container 'main' ended with exit code 1: cannot connect with")
    expect(JSON.stringify(found)).not.toContain(canary)
    await deploy()
  })
})

describe('pausing an environment', () => {
  test('stops its pods, also through a deployment, and resuming gives the objects of before', async () => {
    const before = await specs()
    await pause(true)
    await until('no pods', async () => {
      const pods = await stage.objects('run', 'api/v1 pods')
      return pods.every(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'migrate')
    })
    await untilReady(...Object.keys(modules))
    const paused = await specs()
    expect(paused).toMatchObject([{ replicas: 0 }, { replicas: 0 }, { suspend: true }])
    const { body } = await stage.organization.rest('GET', '/apps/shop/runtime?id=run')
    expect(body).toEqual([{ id: 'run', paused: true, status: 'Succeeded' }])
    expect((await runtime()).api.api).toMatchObject({ status: 'Stopped', pods: [] })
    // A deployment of other content succeeds, and starts no pods.
    await deploy({ store: module('default-stateful', {}, { image: 'images.example.test/store:2' }) })
    expect(await specs()).toMatchObject([{ replicas: 0 }, { replicas: 0 }, { suspend: true }])
    await deploy()
    await pause(false)
    await eventually('the objects of before', 30_000, async () => {
      expect(await specs()).toEqual(before)
      return true
    })
    await untilReady(...Object.keys(modules))
  })

  test('stops and scales workloads whose databases were deleted; the next deployment gives the objects of before', async () => {
    const { organization } = stage
    const before = await specs()
    const databases = (await organization.resources()).filter(({ spec }) => spec.type === 'postgres')
    for (const { metadata } of databases) await organization.remove('activeresources', metadata.name)
    await until('no database', async () =>
      (await organization.resources()).every(({ spec }) => spec.type !== 'postgres'),
    )
    await pause(true)
    await until('no pods', async () => {
      const [deployment, statefulSet, cronJob] = await specs()
      return (
        deployment?.['replicas'] === 0 && statefulSet?.['replicas'] === 0 && cronJob?.['suspend'] === true
      )
    })
    await send('PATCH replicas', { api: 3 })
    await pause(false)
    await until('3 replicas', async () => (await replicasOf('deployments')) === 3)
    await until('what it waits for', async () =>
      JSON.stringify((await stage.workload('run', 'api'))?.status?.conditions).includes(
        "waiting for 'externals.db', which does not exist",
      ),
    )
    await deploy()
    await send('PATCH replicas', { api: null })
    await eventually('the objects of before', 30_000, async () => {
      expect(await specs()).toEqual(before)
      return true
    })
    await untilReady(...Object.keys(modules))
  })

  test('suspends a Job that runs, whose deployment then succeeds; it goes on afterwards', async () => {
    await stage.organization.environment('shop', 'jobs')
    const name = await stage.begin('jobs', { migrate: modules.migrate })
    await until('a pod', async () => (await stage.objects('jobs', 'api/v1 pods')).length === 1)
    await stage.organization.rest('PUT', '/apps/shop/envs/jobs/runtime/paused', true)
    expect(conditionStatus(await stage.organization.ended(name), 'Ready')).toBe('True')
    await until('no pods', async () => (await stage.objects('jobs', 'api/v1 pods')).length === 0)
    const [suspended] = await stage.objects('jobs', 'apis/batch/v1 jobs')
    await stage.organization.rest('PUT', '/apps/shop/envs/jobs/runtime/paused', false)
    await play('jobs', 'migrate', ended(0))
    await until(
      'its end',
      async () => conditionStatus(await stage.workload('jobs', 'migrate'), 'Ready') === 'True',
    )
    const [complete] = await stage.objects('jobs', 'apis/batch/v1 jobs')
    expect(complete?.metadata.uid).toBe(suspended?.metadata.uid)
  })
})

describe('the number of pods of a workload', () => {
  test('holds for later deployments until it is removed, and unchanged deployments write nothing', async () => {
    await send('PATCH replicas', { api: 3 })
    await until('3 replicas', async () => (await replicasOf('deployments')) === 3)
    await untilReady('api')
    const audit = createAuditLog(sharedCluster().auditLogPath, stage.organization.id)
    await audit.calm()
    const position = await audit.end()
    await deploy()
    const writes = (await audit.writesSince(position)).filter(
      (each) => !/environmentdeployments|environments|deploymentsets/.test(each),
    )
    expect(writes).toEqual([])
    expect(await replicasOf('deployments')).toBe(3)
    await send('PATCH replicas', { api: null })
    await until('2 replicas', async () => (await replicasOf('deployments')) === 2)
  })

  test('is the same field for kubectl, which removes it too', async () => {
    const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${stage.organization.id}/environments/shop.run`
    const patch = (spec: object) =>
      stage.organization.kube<Environment>('PATCH', path, { spec }, 'application/merge-patch+json')
    await patch({ replicas: { store: 2 } })
    await until('2 replicas', async () => (await replicasOf('statefulsets')) === 2)
    await patch({ replicas: null })
    await until('1 replica', async () => (await replicasOf('statefulsets')) === 1)
  })
})

test('a restart replaces the pods of the named workloads alone', async () => {
  const template = async (kind: 'deployments' | 'statefulsets') =>
    JSON.stringify((await specOf(kind))?.['template'])
  const before = [await template('deployments'), await template('statefulsets')]
  const { revision } = (await runtime()).api.api
  await send('POST actions/restart', { workloads: ['api'] })
  await until('another template', async () => (await template('deployments')) !== before[0])
  expect(await template('statefulsets')).toBe(before[1])
  await until('its ReplicaSet', async () => (await runtime()).api.api.revision > revision)
})

test('a registry that is added later leaves a Job as it is', async () => {
  const { organization } = stage
  const [before] = await stage.objects('run', 'apis/batch/v1 jobs')
  const creds = { username: 'puller', password: 'canary-of-a-registry' }
  const registry = { id: 'images', registry: 'images.example.test', type: 'basic', creds }
  expect((await organization.rest('POST', '/registries', registry)).status).toBe(201)
  const workload = await stage.workload('run', 'migrate')
  await until('the pull Secret', () =>
    stage.object('run', 'api/v1 secrets', `${workload?.metadata.name}-pull`),
  )
  await untilReady('migrate')
  const [after] = await stage.objects('run', 'apis/batch/v1 jobs')
  expect([after?.metadata.uid, after?.spec]).toEqual([before?.metadata.uid, before?.spec])
  await organization.rest('DELETE', '/registries/images')
})

test('the deletion of the environment leaves nothing of them', async () => {
  const { organization } = stage
  await organization.remove('environments', 'shop.run')
  await eventually(
    'the end of the environment',
    60_000,
    async () => (await organization.get('environments', 'shop.run')) === undefined || undefined,
  )
  expect((await organization.kube('GET', `/api/v1/namespaces/${organization.id}--shop--run`)).status).toBe(
    404,
  )
  const resources = await organization.resources()
  expect(resources.filter(({ spec }) => spec.environmentName === 'shop.run')).toEqual([])
})
