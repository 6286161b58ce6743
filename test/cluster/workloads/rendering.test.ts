import { beforeAll, describe, expect, test } from '@jest/globals'
import { createAuditLog } from '../support/audit-log.ts'
import { conditionStatus } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { canary, makeStage, type Stage } from './stage.ts'

let stage: Stage
const api = {
  profile: 'humanitec/default-module',
  spec: {
    containers: {
      main: {
        image: 'images.example.test/api:1.0',
        variables: {
          HOST: '${externals.db.host}',
          URL: 'postgres://shop:${externals.db.password}@${externals.db.host}:${externals.db.port}/shop',
          PASSWORD: '${externals.db.password}',
        },
        args: ['--password', '${externals.db.password}'],
        files: {
          '/etc/api/config.yaml': { mode: '0640', value: 'host: ${externals.db.host}' },
          '/etc/api/login': { value: 'password=${externals.db.password}' },
        },
      },
    },
    service: { ports: { http: { service_port: 80, container_port: 8080 } } },
  },
  externals: { db: { type: 'postgres' } },
}
const changed = (image: string) => ({
  ...api,
  spec: { ...api.spec, containers: { main: { ...api.spec.containers.main, image } } },
})
const decoded = (data: unknown) =>
  Object.values(data as Record<string, string>).map((text) => Buffer.from(text, 'base64').toString())

beforeAll(async () => {
  stage = await makeStage()
  await stage.organization.environment('shop', 'dev')
  const deployment = await stage.organization.deploy('shop.dev', { modules: { api } })
  expect(stage.problems(deployment)).toEqual([])
  expect(conditionStatus(deployment, 'Ready')).toBe('True')
})

describe('a module with containers', () => {
  test('becomes a Deployment and a Service whose selector finds its pods', async () => {
    const deployment = await stage.object('dev', 'apis/apps/v1 deployments', 'api')
    const service = await stage.object('dev', 'api/v1 services', 'api')
    const spec = deployment?.spec as
      | { selector: { matchLabels: object }; template: { metadata: { labels: object } } }
      | undefined // a Deployment
    expect(spec?.template.metadata.labels).toMatchObject(spec?.selector.matchLabels ?? {})
    expect(service?.spec).toMatchObject({
      selector: spec?.selector.matchLabels,
      ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
    })
    expect(deployment?.metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'api',
      'app.kubernetes.io/part-of': 'shop',
      'app.kubernetes.io/managed-by': 'quartermaster',
    })
  })

  test('gets secret texts from its Secret, whole', async () => {
    const secret = await stage.object('dev', 'api/v1 secrets', 'api-secrets')
    expect(decoded(secret?.data).sort()).toEqual([
      canary,
      canary,
      `password=${canary}`,
      `postgres://shop:${canary}@db.internal:5432/shop`,
    ])
    const files = await stage.object('dev', 'api/v1 configmaps', 'api-files')
    expect(Object.values(files?.data as object)).toEqual(['host: db.internal'])
  })

  test('the secret is in no other object', async () => {
    const paths = [
      'apis/apps/v1 deployments',
      'apis/apps/v1 replicasets',
      'api/v1 pods',
      'api/v1 configmaps',
      'api/v1 services',
      'api/v1 serviceaccounts',
    ] as const
    const objects = await Promise.all(paths.map((path) => stage.objects('dev', path)))
    const text = JSON.stringify([objects, await stage.organization.resources()])
    expect(text).toContain('db.internal')
    for (const form of [canary, Buffer.from(canary).toString('base64').slice(0, -4)])
      expect(text).not.toContain(form)
  })
})

test('a second deployment of the same content writes no object', async () => {
  const audit = createAuditLog(sharedCluster().auditLogPath, stage.organization.id)
  await audit.calm()
  const position = await audit.end()
  await stage.organization.deploy('shop.dev', { modules: { api } })
  const writes = (await audit.writesSince(position)).filter(
    (each) => !/environmentdeployments|environments|deploymentsets/.test(each),
  )
  expect(writes).toEqual([])
})

test('a changed image changes one field of the Deployment', async () => {
  const before = await stage.object('dev', 'apis/apps/v1 deployments', 'api')
  await stage.organization.deploy('shop.dev', { modules: { api: changed('images.example.test/api:1.1') } })
  const after = await stage.object('dev', 'apis/apps/v1 deployments', 'api')
  const text = JSON.stringify(before?.spec).replace('api:1.0', 'api:1.1')
  expect(JSON.parse(text)).toEqual(after?.spec)
})

test('a Deployment that replaced its pods step by step can recreate them, and the other way round', async () => {
  const typeAfter = async (deployment: object) => {
    const module = { ...api, spec: { ...api.spec, deployment } }
    const ended = await stage.organization.deploy('shop.dev', { modules: { api: module } })
    expect(stage.problems(ended)).toEqual([])
    const found = await stage.object('dev', 'apis/apps/v1 deployments', 'api')
    return (found?.spec as { strategy: object } | undefined)?.strategy // a Deployment
  }
  expect(await typeAfter({})).toMatchObject({ type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } })
  expect(await typeAfter({ strategy: { type: 'Recreate' } })).toEqual({ type: 'Recreate' })
  expect(await typeAfter({})).toMatchObject({ type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } })
})

test('a Service can become headless, and the other way round', async () => {
  const addressAfter = async (headless: boolean) => {
    const { service } = api.spec
    const module = { ...api, spec: { ...api.spec, service: { ...service, headless } } }
    const ended = await stage.organization.deploy('shop.dev', { modules: { api: module } })
    expect(stage.problems(ended)).toEqual([])
    const found = await stage.object('dev', 'api/v1 services', 'api')
    return (found?.spec as { clusterIP: string } | undefined)?.clusterIP // a Service
  }
  expect(await addressAfter(true)).toBe('None')
  expect(await addressAfter(false)).toMatch(/^[0-9a-f.:]+$/)
  expect(await addressAfter(true)).toBe('None')
  expect(await addressAfter(false)).not.toBe('None')
})

test('a field of a StatefulSet that Kubernetes does not change changes when a person deletes it without its pods', async () => {
  await stage.organization.environment('shop', 'sets')
  const store = (storage: string) => ({
    ...api,
    profile: 'quartermaster/default-stateful',
    deploy: { success: 'deploy' },
    spec: { ...api.spec, statefulset: { volume_claims: { data: { storage } } } },
  })
  const deploy = (storage: string) =>
    stage.organization.deploy('shop.sets', { modules: { store: store(storage) } })
  const pod = () => stage.object('sets', 'api/v1 pods', 'store-0')
  const set = () => stage.object('sets', 'apis/apps/v1 statefulsets', 'store')

  expect(stage.problems(await deploy('1Gi'))).toEqual([])
  await stage.until('the pod', pod)
  const podBefore = await pod()
  const problems = stage.problems(await deploy('2Gi'))
  expect(problems).toEqual([
    expect.stringMatching(/Rejected .*(updates to statefulset spec|field is immutable)/),
  ])

  await stage.request('DELETE', 'sets', 'apis/apps/v1 statefulsets/store?propagationPolicy=Orphan')
  await stage.until('the workload', async () => {
    const workload = await stage.workload('sets', 'store')
    return workload && conditionStatus(workload, 'Ready') === 'True'
  })
  const made = await set()
  expect(JSON.stringify(made?.spec)).toContain('2Gi')
  const owner = async () => (await pod())?.metadata.ownerReferences?.[0]?.uid
  await stage.until('the adoption', async () => (await owner()) === made?.metadata.uid)
  expect((await pod())?.metadata.uid).toBe(podBefore?.metadata.uid)
})
