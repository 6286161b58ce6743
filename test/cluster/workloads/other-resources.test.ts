import { beforeAll, expect, test } from '@jest/globals'
import { conditionStatus } from '../support/client.ts'
import { makeStage, type Stage } from './stage.ts'

let stage: Stage
const templates = (type: string, inputs: object) => ({
  type,
  driverType: 'humanitec/template',
  driverInputs: { values: { templates: inputs } },
  criteria: [{}],
})
const module = (externals: object, more: object = {}, container: object = {}) => ({
  profile: 'humanitec/default-module',
  spec: { containers: { main: { image: 'api:1', ...container } }, ...more },
  externals,
})
const podOf = async (environment: string) => {
  const deployment = await stage.object(environment, 'apis/apps/v1 deployments', 'api')
  const spec = deployment?.spec as { template: { metadata: object; spec: object } } | undefined // a Deployment
  return spec?.template
}

beforeAll(async () => {
  stage = await makeStage()
  await stage.organization.define(
    'scratch',
    templates('volume', {
      manifests: {
        'empty.yaml': {
          location: 'volumes',
          data: 'name: ${context.res.guresid}-empty\nemptyDir:\n  sizeLimit: 1Gi\n',
        },
        'proxy.yaml': { location: 'containers', data: { name: 'proxy', image: 'proxy:1' } },
      },
    }),
  )
  await stage.organization.define('patched', {
    ...templates('workload', {
      outputs:
        'update:\n- op: add\n  path: /spec/pod/nodeSelector\n  value: { disk: ssd }\n- op: add\n  path: /spec/labels\n  value: { team: {{ .resource.id }} }\n',
    }),
    criteria: [{ envId: 'patched' }],
  })
})

test('volumes and containers of a dependency become parts of the pods', async () => {
  await stage.organization.environment('shop', 'parts')
  const api = module(
    { data: { type: 'volume' } },
    {},
    { volume_mounts: { '/data': { id: 'externals.data' } } },
  )
  const deployment = await stage.organization.deploy('shop.parts', { modules: { api } })
  expect(stage.problems(deployment)).toEqual([])
  const name = expect.stringMatching(/^[0-9a-f]{40}-empty$/)
  expect((await podOf('parts'))?.spec).toMatchObject({
    volumes: [{ name, emptyDir: { sizeLimit: '1Gi' } }],
    containers: [
      { name: 'main', volumeMounts: [{ name, mountPath: '/data' }] },
      { name: 'proxy', image: 'proxy:1' },
    ],
  })
})

test('a dependency that gives no volume cannot be mounted', async () => {
  await stage.organization.environment('shop', 'none')
  const api = module(
    { data: { type: 'postgres' } },
    {},
    { volume_mounts: { '/data': { id: 'externals.data' } } },
  )
  const deployment = await stage.organization.deploy('shop.none', { modules: { api } })
  expect(stage.problems(deployment).join()).toMatch(/InvalidModule 'externals.data' gives no volume/)
})

test('the patch of a definition of the user changes the module before it is rendered', async () => {
  await stage.organization.environment('shop', 'patched')
  const deployment = await stage.organization.deploy('shop.patched', { modules: { api: module({}) } })
  expect(conditionStatus(deployment, 'Ready')).toBe('True')
  expect(await podOf('patched')).toMatchObject({
    metadata: { labels: { team: 'api' } },
    spec: { nodeSelector: { disk: 'ssd' } },
  })
})

test('an object that is deleted comes back, and one that is not wanted any more is deleted', async () => {
  await stage.organization.environment('shop', 'repair')
  const files = { '/etc/a': { value: 'a' } }
  const service = { ports: { http: { service_port: 80 } } }
  await stage.organization.deploy('shop.repair', { modules: { api: module({}, { service }, { files }) } })
  const before = await stage.object('repair', 'api/v1 services', 'api')
  await stage.request('DELETE', 'repair', 'api/v1 services/api')
  await stage.until('the Service', async () => {
    const found = await stage.object('repair', 'api/v1 services', 'api')
    return found && found.metadata.uid !== before?.metadata.uid
  })
  await stage.request('PATCH', 'repair', 'apis/apps/v1 deployments/api', {
    spec: { paused: true, minReadySeconds: 5 },
  })
  await stage.organization.deploy('shop.repair', { modules: { api: module({}) } })
  for (const [path, name] of [
    ['api/v1 services', 'api'],
    ['api/v1 configmaps', 'api-files'],
  ] as const)
    await stage.until(`the end of ${name}`, async () => !(await stage.object('repair', path, name)))
  await stage.organization.deploy('shop.repair', { modules: {} })
  await stage.until(
    'the end of the Deployment',
    async () => !(await stage.object('repair', 'apis/apps/v1 deployments', 'api')),
  )
  const back = await stage.organization.deploy('shop.repair', { modules: { api: module({}) } })
  expect(conditionStatus(back, 'Ready')).toBe('True')
  expect(await podOf('repair')).toBeDefined()
})
