import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildBundles } from '../../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../../dev/control-plane/control-plane.ts'
import { apiCall, apiRequest, eventually } from '../../dev/control-plane/kubernetes.ts'
import { renderManifests } from '../../dev/manifests.ts'
import { type RunningProcess, readAdminToken, startQuartermaster } from '../../dev/quartermaster.ts'
import {
  allSwitches,
  chart,
  find,
  type Manifest,
  render,
  runHelm,
  systemNamespace,
  valuesArguments,
} from './support.ts'

const run = promisify(execFile)
const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/applications.quartermaster.dev'
const samplePath = '/apis/quartermaster.dev/v1alpha1/namespaces/trial'
const sampleDeployment = `${samplePath}/environmentdeployments/shop.staging.1`
/** Kinds that other projects bring; this control plane does not serve them. */
const ofOthers = new Set(['HTTPRoute', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule'])
const installedWithinMs = 120_000

let controlPlane: ControlPlane
let directory = ''
let inputs = 0

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-chart-'))
  controlPlane = await startControlPlane({ directory })
})
afterAll(() => controlPlane.stop())

interface Read extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly uid: string; readonly generation?: number }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const read = (path: string) => apiCall<Read>(controlPlane, 'GET', path)
const exists = async (path: string) => (await apiRequest(controlPlane, 'GET', path)).ok

/** Helm on this control plane; no pods run here, so it does not wait for them. */
function release(command: string, ...args: readonly string[]): Promise<string> {
  return runHelm(
    command,
    'quartermaster',
    ...args,
    `--namespace=${systemNamespace}`,
    `--kubeconfig=${controlPlane.kubeconfigPath}`,
  )
}

const sample = valuesArguments({ sample: { enabled: true, name: 'trial' } })
const install = () => release('install', chart, '--create-namespace', ...sample)

async function kubectl(input: string, ...args: readonly string[]): Promise<string> {
  const file = join(directory, `input-${(inputs += 1)}.yaml`)
  await writeFile(file, input)
  const { stdout } = await run(controlPlane.binaries.kubectl, [
    ...args,
    `--kubeconfig=${controlPlane.kubeconfigPath}`,
    '-f',
    file,
  ])
  return stdout
}

/** As Helm, so that what it sets and these values do not set is not there any more. */
const strictly = [
  'apply',
  '--server-side',
  '--field-manager=helm',
  '--force-conflicts',
  '--dry-run=server',
  '--validate=strict',
]

describe('the first installation', () => {
  test('one command installs everything, and the sample after the kinds', async () => {
    const notes = await install()
    expect(notes).toContain('get secret quartermaster-admin')
    for (const process of ['operator', 'gateway']) {
      const path = `/apis/apps/v1/namespaces/${systemNamespace}/deployments/quartermaster-${process}`
      expect((await read(path)).metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'Helm' })
    }
    expect(await exists(sampleDeployment)).toBe(true)
  })

  test.each<[string, object]>([
    ['the default values', {}],
    ['all switches', allSwitches],
  ])('the API server takes every object by strict validation, with %s', async (_, values) => {
    const manifests = (await render(values)).filter(({ kind }) => !ofOthers.has(kind))
    const answer = await kubectl(manifests.map((each) => JSON.stringify(each)).join('\n'), ...strictly)
    expect(answer.trim().split('\n')).toHaveLength(manifests.length)
  })

  test('strict validation is what it says: an unknown field is refused', async () => {
    const service = find(await render(), 'Service', 'quartermaster-gateway')
    const wrong = JSON.stringify({ ...service, spec: { ...service.spec, prots: [] } })
    await expect(kubectl(wrong, ...strictly)).rejects.toThrow('.spec.prots: field not declared')
  })

  test.each(['operator', 'gateway', 'test'])(
    'a namespace that enforces the restricted Pod Security Standard admits the pod of the %s',
    async (process) => {
      const namespace = `/api/v1/namespaces/${systemNamespace}`
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
      await apiCall(
        controlPlane,
        'PATCH',
        namespace,
        { metadata: { labels } },
        'application/merge-patch+json',
      )
      for (const values of [{}, allSwitches]) {
        const manifests = await render(values)
        const { spec } =
          process === 'test'
            ? find(manifests, 'Pod', 'quartermaster-test')
            : (find(manifests, 'Deployment', `quartermaster-${process}`).spec as { template: Manifest })
                .template
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec }
        const { status, body } = await apiRequest(controlPlane, 'POST', `${namespace}/pods?dryRun=All`, pod)
        expect([status, body]).toEqual([201, expect.anything()])
      }
    },
  )

  test.each([
    ['view', 'environments', 'list', true],
    ['view', 'memberships', 'list', false],
    ['view', 'accesstokens', 'list', false],
    ['view', 'environments', 'create', false],
    ['edit', 'environmentdeployments', 'create', true],
    ['edit', 'resourcedefinitions', 'get', true],
    ['edit', 'resourcedefinitions', 'create', false],
    ['edit', 'activeresources', 'delete', false],
    ['admin', 'resourcedefinitions', 'create', true],
    ['admin', 'memberships', 'create', true],
    ['admin', 'activeresources', 'create', false],
  ])('the role %s of the cluster on %s: %s is %s', async (role, resource, verb, allowed) => {
    const namespace = 'trial'
    const user = `${role}-of-trial`
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: user, namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
    }
    const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings/${user}`
    await apiCall(
      controlPlane,
      'PATCH',
      `${bindings}?fieldManager=test`,
      binding,
      'application/apply-patch+yaml',
    )
    await eventually('the roles are aggregated', 30_000, async () => {
      return (await mayDo('list', 'applications', user, namespace)) || undefined
    })
    expect(await mayDo(verb, resource, user, namespace)).toBe(allowed)
  })
})

async function mayDo(verb: string, resource: string, user: string, namespace: string): Promise<boolean> {
  const resourceAttributes = { namespace, verb, group: 'quartermaster.dev', resource }
  const { status } = await apiCall<{ status: { allowed: boolean } }>(
    controlPlane,
    'POST',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes },
    },
  )
  return status.allowed
}

describe('both processes with the rights of the chart', () => {
  let running: RunningProcess[] = []
  let gatewayUrl = ''

  beforeAll(async () => {
    await buildBundles(directory)
    const options = { directory, settings: { QUARTERMASTER_LEASE_SECONDS: '60' } }
    running = await Promise.all([
      startQuartermaster(controlPlane, 'operator', options),
      startQuartermaster(controlPlane, 'gateway', options),
    ])
    gatewayUrl = running[1]?.url ?? ''
  })
  afterAll(() => Promise.all(running.map((process) => process.stop())))

  test('the sample is deployed', async () => {
    await eventually('the sample deployment', installedWithinMs, async () => {
      const { status } = await read(sampleDeployment)
      return (
        status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') || undefined
      )
    })
  })

  test('what `helm test` runs makes a deployment over REST and deletes it', async () => {
    const manifests = await render()
    const organization = find(manifests, 'Namespace', 'quartermaster-test')
    const { data = {} } = find(manifests, 'ConfigMap', 'quartermaster-test')
    const script = join(directory, 'helm-test.mjs')
    await writeFile(script, data['helm-test.mjs'] ?? '')
    await apiCall(controlPlane, 'POST', '/api/v1/namespaces', organization)
    const token = await readAdminToken(controlPlane)
    const env = { GATEWAY_URL: gatewayUrl, TOKEN: token, ORGANIZATION: organization.metadata.name }
    const { stdout } = await run(process.execPath, [script], { env })
    expect(stdout).toMatch(/^deployment '.+' succeeded with .*redis.*; deleted\n$/)
    const left = await read('/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-test/applications')
    expect(left).toMatchObject({ items: [] })
    // A second run, before which Helm deletes the namespace, must not wait for anything.
    await apiCall(controlPlane, 'DELETE', '/api/v1/namespaces/quartermaster-test')
    await eventually('the organization of the test is gone', installedWithinMs, async () => {
      return !(await exists('/api/v1/namespaces/quartermaster-test')) || undefined
    })
  })

  test('what `helm test` runs fails when its token gives no access', async () => {
    const env = { GATEWAY_URL: gatewayUrl, TOKEN: 'qm_none_none', ORGANIZATION: 'trial', WITHIN_MS: '500' }
    const script = join(chart, 'files/helm-test.mjs')
    await expect(run(process.execPath, [script], { env })).rejects.toThrow('the administrator has access')
  })
})

describe('the life of a release', () => {
  let uid = ''
  let generation = 0

  test('an upgrade changes the kinds and leaves the objects', async () => {
    uid = (await read(sampleDeployment)).metadata.uid
    generation = (await read(crdPath)).metadata.generation ?? 0
    const next = join(directory, 'next')
    await cp(chart, next, { recursive: true })
    const file = join(next, 'files/crds.yaml')
    const crds = await readFile(file, 'utf8')
    await writeFile(file, crds.replaceAll('maxLength: 1024', 'maxLength: 2048'))
    await release('upgrade', next)
    expect(crds).toContain('maxLength: 1024')
    expect(JSON.stringify(await read(crdPath))).toContain('"maxLength":2048')
    expect((await read(crdPath)).metadata.generation).toBe(generation + 1)
    expect((await read(sampleDeployment)).metadata.uid).toBe(uid)
  })

  test('an uninstallation keeps the kinds, all objects and the sample, and nothing else', async () => {
    await release('uninstall')
    expect(await exists(crdPath)).toBe(true)
    expect((await read(sampleDeployment)).metadata.uid).toBe(uid)
    const installed = await render()
    const left = await Promise.all(
      installed
        .filter(({ kind, metadata }) => kind !== 'CustomResourceDefinition' && !metadata.annotations)
        .map(async (manifest) => {
          const answer = await kubectl(JSON.stringify(manifest), 'get', '--ignore-not-found', '-o', 'name')
          return answer.trim()
        }),
    )
    expect(left.filter(Boolean)).toEqual([])
  })

  test('a second installation adopts the kinds and leaves the sample alone', async () => {
    await install()
    expect((await read(sampleDeployment)).metadata.uid).toBe(uid)
    expect(JSON.stringify(await read(crdPath))).toContain('"maxLength":1024')
    await release('uninstall')
  })

  test('without Helm, one file installs the same, and applying it again changes nothing', async () => {
    const text = await renderManifests()
    await kubectl(text, 'apply', '--server-side')
    const versions = async () => {
      return kubectl(
        text,
        'get',
        '-o',
        'jsonpath={range .items[*]}{.metadata.uid} {.metadata.generation}{"\\n"}{end}',
      )
    }
    const before = await versions()
    await kubectl(text, 'apply', '--server-side')
    expect(await versions()).toBe(before)
    expect(
      await exists(`/apis/apps/v1/namespaces/${systemNamespace}/deployments/quartermaster-operator`),
    ).toBe(true)
  })
})
