import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { provideBundles } from '../../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { apiCall, eventually } from '../../../dev/control-plane/kubernetes.ts'
import { ensureDevelopmentAuthority } from '../../../dev/development-authority.ts'
import {
  outsideWorld,
  type RunningCloudflare,
  startCloudflare,
} from '../../../dev/fake-cloudflare/process.ts'
import { installInto, type RunningProcess, startQuartermaster } from '../../../dev/quartermaster.ts'
import { giveSampleSecrets } from '../../../dev/sample-secrets.ts'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { DeploymentSet } from '../../../operator/api/deployment-set.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { conditionStatus } from '../support/client.ts'
import { createGitOpsTool, pathOfObject } from './gitops-tool.ts'

const namespace = 'acme'
const apiVersion = 'quartermaster.dev/v1alpha1'
const inside = `/apis/${apiVersion}/namespaces/${namespace}`

let controlPlane: ControlPlane
let cloudflare: RunningCloudflare
let directory = ''
let operator: RunningProcess

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-gitops-'))
  await ensureDevelopmentAuthority(directory)
  controlPlane = await startControlPlane({ directory })
  cloudflare = await startCloudflare(directory)
  await Promise.all([provideBundles(directory, ['operator']), installInto(controlPlane)])
  operator = await start()
}, 900_000)

afterAll(async () => {
  await operator?.stop()
  await Promise.all([cloudflare?.stop(), controlPlane?.stop()])
})

const start = () =>
  startQuartermaster(controlPlane, 'operator', {
    directory,
    settings: {
      ...outsideWorld(cloudflare, directory),
      QUARTERMASTER_IDENTITY: 'operator',
      QUARTERMASTER_LEASE_SECONDS: '30',
      QUARTERMASTER_KEPT_DEPLOYMENTS: '2',
      QUARTERMASTER_SETTLE_SECONDS: '20',
    },
  })

async function restart() {
  await operator.kill()
  operator = await start()
}

const get = <T = KubeObject>(path: string) => apiCall<T>(controlPlane, 'GET', `${inside}/${path}`)
const list = async <T = KubeObject>(plural: string) => (await get<{ items: T[] }>(plural)).items
const remove = (path: string) => apiCall(controlPlane, 'DELETE', `${inside}/${path}`)
const object = (kind: string, name: string, spec: object): KubeObject =>
  ({ apiVersion, kind, metadata: { name, namespace }, spec }) as KubeObject // of this API group

async function example(file: string): Promise<KubeObject[]> {
  const text = await readFile(join(import.meta.dirname, '../../../examples', file), 'utf8')
  return parseAllDocuments(text).map((each) => each.toJS())
}

/** The base of the next delta: the intended content of the environment. */
async function imagesOf(environment: string): Promise<Record<string, string>> {
  const { status } = await get<Environment>(`environments/${environment}`)
  const { spec } = await get<DeploymentSet>(`deploymentsets/${status?.lastPlanned?.setName}`)
  const imageOf = (module: unknown) =>
    (module as { spec: { containers?: { main: { image: string } } } }).spec.containers?.main.image ?? '' // as deployed here
  return Object.fromEntries(Object.entries(spec.modules).map(([name, module]) => [name, imageOf(module)]))
}

/** Versions of all objects of our kinds in the organization. */
async function versions(): Promise<Record<string, string | undefined>> {
  const all = (await Promise.all(kinds.map(({ plural }) => list(plural)))).flat()
  return Object.fromEntries(all.map((each) => [pathOfObject(each), each.metadata.resourceVersion]))
}

/** A delta and a deployment of the same name, which give a workload another image. */
function release(name: string, environment: string, module: string): KubeObject[] {
  const value = `images.example.test/${module}:${name}`
  const update = { [module]: [{ op: 'replace', path: '/spec/containers/main/image', value }] }
  return [
    object('DeploymentDelta', name, { applicationName: 'shop', modules: { update } }),
    object('EnvironmentDeployment', name, { environmentName: environment, deltaName: name }),
  ]
}

const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name)

describe('the sample organization in Git, one pass an interval', () => {
  const environment = 'shop.staging'
  /** The content of Git: the platform, which is first, and the objects that depend on it. */
  let platform: KubeObject[][] = []
  let application: KubeObject[] = []
  let sample: KubeObject[] = []
  let tools: ReturnType<typeof createGitOpsTool>[] = []

  async function pass() {
    await tools[0]?.sync(platform)
    await tools[1]?.sync([application, sample])
  }

  /** Passes, and checks that the environment matches the newest commit. */
  async function passTo(backend: string) {
    await pass()
    expect(await imagesOf(environment)).toMatchObject({
      frontend: 'images.example.test/frontend:1.0',
      backend: `images.example.test/backend:${backend}`,
    })
    const resources = await list<ActiveResource>('activeresources')
    const unused = resources.filter(({ spec }) => spec.unusedSince)
    expect(names(unused)).toEqual([])
    expect(resources.filter((each) => conditionStatus(each, 'Ready') !== 'True')).toEqual([])
    expect(conditionStatus(await get(`environments/${environment}`), 'Ready')).toBe('True')
  }

  /** The content of Git in addition to the first release. */
  const commit = (...releases: readonly string[]) => {
    sample = [...first, ...releases.flatMap((name) => release(name, environment, 'backend'))]
  }
  let first: KubeObject[] = []

  beforeAll(async () => {
    const [organization, ...types] = await example('00-organization.yaml')
    const definitions = await example('10-definitions.yaml')
    // The worst order: every object before its references.
    platform = [[organization as KubeObject, ...[...types, ...definitions].reverse()]] // the file begins with it
    application = await example('20-application.yaml')
    first = await example('30-deployment.yaml')
    commit()
    tools = [createGitOpsTool(controlPlane), createGitOpsTool(controlPlane)]
    await createGitOpsTool(controlPlane).sync([[organization as KubeObject]])
    await giveSampleSecrets(controlPlane, namespace, directory)
  })

  const quiet = async (backend: string, between: () => Promise<void> = async () => {}) => {
    const before = await versions()
    await between()
    await passTo(backend)
    expect(await versions()).toEqual(before)
  }

  test('becomes ready', () => passTo('1.0'))
  test('a pass without a commit writes nothing', () => quiet('1.0'))
  test('a release is deployed', async () => {
    commit('r2')
    await passTo('r2')
  })
  test('a deployment that is renamed runs again under its new name', async () => {
    commit('r2b')
    await passTo('r2b')
  })
  test('a definition is edited, with a release, while the operator is killed', async () => {
    const edit = (each: KubeObject) => {
      const values = { region: 'eu-north-2' }
      const spec = { ...(each.spec as object), driverInputs: { values } } // an object
      return each.metadata.name === 'config-platform' ? { ...each, spec } : each
    }
    platform = platform.map((stage) => stage.map(edit))
    commit('r2b', 'r3')
    await Promise.all([passTo('r3'), restart()])
    const resources = await list<ActiveResource>('activeresources')
    const config = resources.find(({ spec }) => spec.type === 'config')
    expect(config?.status?.outputs).toMatchObject({ region: 'eu-north-2' })
  })
  test('several releases arrive at once, and run in their order', async () => {
    commit('r2b', 'r3', 'r4', 'r5', 'r6')
    await passTo('r6')
  })
  test('deployments that are removed from Git change nothing', async () => {
    first = first.filter(({ kind }) => kind !== 'EnvironmentDeployment')
    commit('r6')
    await passTo('r6')
    expect(names(await list('environmentdeployments'))).toEqual(['r6'])
    expect((await get<Environment>(`environments/${environment}`)).status?.lastDeploymentName).toBe('r6')
  })
  test('deployments that a revert restores do not run again', async () => {
    commit('r2b', 'r3', 'r4', 'r5', 'r6')
    await Promise.all([passTo('r6'), restart()])
    const again = await get<EnvironmentDeployment>('environmentdeployments/r3')
    expect(conditionStatus(again, 'AlreadyRan')).toBe('True')
    expect(again.status).not.toHaveProperty('plan')
  })
  test('a deployment that is deleted by hand is created again and does not run again', async () => {
    await Promise.all(['r2b', 'r6'].map((name) => remove(`environmentdeployments/${name}`)))
    await passTo('r6')
  })
  test('unreferenced sets are deleted', async () => {
    await eventually('the end of all other sets', 60_000, async () => {
      const { status } = await get<Environment>(`environments/${environment}`)
      const sets = names(await list('deploymentsets'))
      return JSON.stringify(sets) === JSON.stringify([status?.lastPlanned?.setName]) || undefined
    })
  })
  test('a pass after a restart writes nothing', () => quiet('r6', restart))
})

describe('more deployments in Git than are kept of those over REST', () => {
  const environment = 'shop.many'
  const releases = ['m1', 'm2', 'm3', 'm4', 'm5']
  let tool: ReturnType<typeof createGitOpsTool>
  const web = (image: string) => ({
    profile: 'quartermaster/default-module',
    spec: { containers: { main: { image } } },
    externals: {},
  })
  const base = [
    object('Environment', environment, { applicationName: 'shop', typeName: 'development' }),
    object('DeploymentDelta', 'm0', {
      applicationName: 'shop',
      modules: { add: { web: web('images.example.test/web:m0') } },
    }),
    object('EnvironmentDeployment', 'm0', { environmentName: environment, deltaName: 'm0' }),
  ]
  const all = [...base, ...releases.flatMap((name) => release(name, environment, 'web'))]
  const expectNewest = async () =>
    expect(await imagesOf(environment)).toEqual({ web: 'images.example.test/web:m5' })

  test('all of them stay, and the newest image too', async () => {
    tool = createGitOpsTool(controlPlane)
    await tool.sync([all])
    const uids = async () => (await list('environmentdeployments')).map(({ metadata }) => metadata.uid)
    const before = await uids()
    for (let interval = 0; interval < 3; interval += 1) {
      await tool.sync([all])
      await expectNewest()
    }
    expect(await uids()).toEqual(before)
  })

  test('the newest image stays when all are deleted by hand and created again', async () => {
    for (const name of releases) await remove(`environmentdeployments/${name}`)
    await tool.sync([all])
    await expectNewest()
  })
})

describe('a deployment that is replaced in Git while it provisions', () => {
  const environment = 'shop.slow'
  const module = (image: string, externals: object) => ({
    profile: 'quartermaster/default-module',
    spec: { containers: { main: { image } } },
    externals,
  })
  const delta = (name: string, modules: object) =>
    object('DeploymentDelta', name, { applicationName: 'shop', modules })
  const run = (name: string) =>
    object('EnvironmentDeployment', name, { environmentName: environment, deltaName: name })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'late', namespace },
    stringData: { key: 'k' },
  }

  test('leaves its resources, and the next delta applies to its set', async () => {
    const base = [
      object('Environment', environment, { applicationName: 'shop', typeName: 'development' }),
      // Ready only when its Secret is there.
      object('ResourceDefinition', 'slow', {
        type: 'mysql',
        driverType: 'quartermaster/echo',
        driverInputs: {
          values: { host: 'h', name: 'n', port: 1 },
          secretRefs: { password: { secret: 'late', key: 'key' } },
        },
        criteria: [{}],
      }),
    ]
    const slow = { db: { type: 'mysql' } }
    const tool = createGitOpsTool(controlPlane)
    await tool.sync([base])
    for (const each of [delta('s1', { add: { api: module('images.example.test/api:1', slow) } }), run('s1')])
      await apiCall(
        controlPlane,
        'PATCH',
        `${pathOfObject(each)}?fieldManager=gitops-tool&force=true`,
        each,
        'application/apply-patch+yaml',
      )
    await eventually('the deployment to provision', 60_000, async () => {
      const resources = await list<ActiveResource>('activeresources')
      return resources.some(({ spec }) => spec.environmentName === environment) || undefined
    })
    await remove('environmentdeployments/s1')
    await eventually('its end', 60_000, async () =>
      names(await list('environmentdeployments')).includes('s1') ? undefined : true,
    )
    await apiCall(controlPlane, 'POST', `/api/v1/namespaces/${namespace}/secrets`, secret)
    const next = [delta('s2', { add: { web: module('images.example.test/web:2', {}) } }), run('s2')]
    await tool.sync([[...base, ...next]])
    expect(Object.keys(await imagesOf(environment)).sort()).toEqual(['api', 'web'])
    const own = (await list<ActiveResource>('activeresources')).filter(
      ({ spec }) => spec.environmentName === environment,
    )
    expect(own.filter(({ spec }) => spec.unusedSince)).toEqual([])
  })
})
