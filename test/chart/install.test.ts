import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildBundles } from '../../dev/build.ts'
import { apiCall, apiRequest, eventually } from '../../dev/control-plane/kubernetes.ts'
import { type RunningProcess, readAdminToken, startQuartermaster } from '../../dev/quartermaster.ts'
import { sampleDeployment, startEmptyCluster } from './cluster.ts'
import { allSwitches, chart, find, type Manifest, render, systemNamespace } from './support.ts'

const run = promisify(execFile)
/** Kinds of other projects that this control plane does not serve. */
const ofOthers = new Set(['HTTPRoute', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule'])
const deployedWithinMs = 120_000
const { controlPlane, directory, install, read, exists, kubectl } = await startEmptyCluster()
afterAll(() => controlPlane.stop())

/** Applies as Helm does, so that fields of earlier values are removed. */
const strictly = [
  'apply',
  '--server-side',
  '--field-manager=helm',
  '--force-conflicts',
  '--dry-run=server',
  '--validate=strict',
]

describe('the first installation', () => {
  test('one command installs everything, and the next one the sample', async () => {
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
    [
      'a variable of one process that is a setting of both',
      {
        settings: { QUARTERMASTER_LOG_LEVEL: 'warn' },
        operator: { extraEnv: [{ name: 'QUARTERMASTER_LOG_LEVEL', value: 'debug' }] },
      },
    ],
    ['rights to Secrets in organizations only', { rbac: { scope: 'organizations' } }],
  ])('the API server takes every object by strict validation, with %s', async (_, values) => {
    const manifests = (await render(values)).filter(({ kind }) => !ofOthers.has(kind))
    const answer = await kubectl(manifests.map((each) => JSON.stringify(each)).join('\n'), ...strictly)
    expect(answer.trim().split('\n')).toHaveLength(manifests.length)
  })

  test('with strict validation, an unknown field is refused', async () => {
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
    await eventually('the sample deployment', deployedWithinMs, async () => {
      const { status } = await read(sampleDeployment)
      return (
        status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') || undefined
      )
    })
  })

  test('`helm test` makes a deployment over REST and deletes it', async () => {
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
    await eventually('the organization of the test is gone', deployedWithinMs, async () => {
      return !(await exists('/api/v1/namespaces/quartermaster-test')) || undefined
    })
  })

  test('`helm test` fails when its token gives no access', async () => {
    const env = { GATEWAY_URL: gatewayUrl, TOKEN: 'qm_none_none', ORGANIZATION: 'trial', WITHIN_MS: '500' }
    const script = join(chart, 'files/helm-test.mjs')
    await expect(run(process.execPath, [script], { env })).rejects.toThrow('the administrator has access')
  })
})
