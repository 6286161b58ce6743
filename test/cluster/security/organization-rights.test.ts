import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { type ApiAccess, apiCall, apiRequest } from '../../../dev/control-plane/kubernetes.ts'
import {
  manifestFilesOfOrganizations,
  type RunningProcess,
  startEverything,
  startQuartermaster,
} from '../../../dev/quartermaster.ts'
import {
  conditionStatus,
  eventually,
  makeTestOrganization,
  type Organization,
  readyOf,
} from '../support/client.ts'
import { endEnvironment, gone, namespaceOf, objectAt, patch, secretAt } from '../support/observing.ts'
import { templateResourcesOf } from '../support/templates.ts'

const endsWithinMs = 120_000
const bindings = ['quartermaster-operator-secrets', 'quartermaster-gateway-secrets'] as const
const bindingsIn = (namespace: string) =>
  `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`
const namespaceAt = (name: string) => `/api/v1/namespaces/${name}`
const secretsIn = (namespace: string) => `${namespaceAt(namespace)}/secrets`

const settings = { QUARTERMASTER_SECRETS_SCOPE: 'organizations', QUARTERMASTER_LEASE_SECONDS: '60' }

let directory: string
let controlPlane: ControlPlane
let processes: RunningProcess[] = []
let organization: Organization
/** The API server as the two processes see it. */
const as: Record<string, ApiAccess> = {}
const organizations = (prefix: string) => makeTestOrganization({ access: controlPlane }, prefix)

const isBound = (of: Organization) =>
  eventually(`the rights in '${of.id}'`, 30_000, async () => {
    const found = await Promise.all(bindings.map((name) => objectAt(of, `${bindingsIn(of.id)}/${name}`)))
    return found.every(Boolean) || undefined
  })

/** Does something while only the gateway runs. */
async function withoutOperator(work: () => Promise<void>): Promise<void> {
  const [operator, ...others] = processes
  await operator?.stop()
  await work()
  processes = [await startQuartermaster(controlPlane, 'operator', { directory, settings }), ...others]
}

/** A database whose password is in the outputs Secret of the organization and in a Secret of the environment. */
const secret = {
  data: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { user: 'me' } },
}
const templates = {
  secrets: { password: '{{ .driver.secrets.password }}' },
  outputs: { host: 'db' },
  manifests: { login: secret },
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-rights-'))
  controlPlane = await startControlPlane({ directory })
  const { operator, gateway, adminToken } = await startEverything(controlPlane, {
    directory,
    manifests: manifestFilesOfOrganizations,
    settings,
  })
  processes = [operator, gateway]
  for (const name of ['operator', 'gateway'])
    as[name] = {
      ...controlPlane,
      adminToken: await controlPlane.tokenFor('quartermaster-system', `quartermaster-${name}`),
    }
  organization = await makeTestOrganization(
    { access: controlPlane, gatewayUrl: gateway.url, adminToken },
    'bound',
  )
  await isBound(organization)
}, 900_000)

afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()))
  await controlPlane?.stop()
})

describe('with rights to Secrets in organizations and environments only', () => {
  test('an environment is deployed, its secret outputs are handed over, and its deletion ends', async () => {
    const { prepare, deploy, databaseIn } = templateResourcesOf(organization)
    await prepare()
    const account = { id: 'cloud', name: 'Cloud', type: 'any', credentials: { key: 'value' } }
    expect(await organization.rest('POST', '/resources/accounts', account)).toMatchObject({ status: 200 })
    expect(readyOf(await deploy('dev', templates))).toMatchObject({ reason: 'Reconciled' })
    const { metadata } = await databaseIn('dev')
    const outputs = `${secretsIn(organization.id)}/${metadata.name}-outputs`
    expect(await secretAt(organization, outputs)).toEqual({ password: 'canary-in-a-template' })
    const applied = `${secretsIn(namespaceOf(organization, 'dev'))}/login`
    expect(await secretAt(organization, applied)).toEqual({ user: 'me' })
    await endEnvironment(organization, 'dev')
    await gone(organization, [outputs, applied, namespaceAt(namespaceOf(organization, 'dev'))], endsWithinMs)
  })

  test('a Secret comes back whose namespace was deleted', async () => {
    const { deploy } = templateResourcesOf(organization)
    expect(conditionStatus(await deploy('restored', templates), 'Ready')).toBe('True')
    const namespace = namespaceAt(namespaceOf(organization, 'restored'))
    const uid = (await objectAt(organization, namespace))?.metadata.uid
    await organization.kube('DELETE', namespace)
    await eventually('a new namespace', endsWithinMs, async () => {
      const found = await objectAt(organization, namespace)
      return found && found.metadata.uid !== uid ? true : undefined
    })
    await eventually('the Secret', endsWithinMs, () =>
      secretAt(organization, `${secretsIn(namespaceOf(organization, 'restored'))}/login`),
    )
    await endEnvironment(organization, 'restored')
  })

  test('an environment ends whose namespace was deleted while no operator ran', async () => {
    const { deploy } = templateResourcesOf(organization)
    expect(conditionStatus(await deploy('lost', templates), 'Ready')).toBe('True')
    const namespace = namespaceAt(namespaceOf(organization, 'lost'))
    await withoutOperator(async () => {
      await organization.kube('DELETE', namespace)
      await gone(organization, [namespace], endsWithinMs)
      await organization.remove('resourcedefinitions', 'lost')
      await organization.remove('environments', 'shop.lost')
    })
    await eventually('the end of the environment', endsWithinMs, async () =>
      (await organization.get('environments', 'shop.lost')) ? undefined : true,
    )
  })

  test('an organization is deleted in one request, with resources whose Secrets have finalizers', async () => {
    const other = await organizations('ended')
    const { prepare, deploy } = templateResourcesOf(other)
    await prepare()
    expect(conditionStatus(await deploy('dev', templates), 'Ready')).toBe('True')
    await other.kube('DELETE', namespaceAt(other.id))
    await gone(other, [namespaceAt(other.id), namespaceAt(namespaceOf(other, 'dev'))], endsWithinMs)
  })

  test('the rights end when the label is removed, and begin again with it', async () => {
    const other = await organizations('unlabelled')
    const relabel = (id: string | null) =>
      patch(other, namespaceAt(other.id), { metadata: { labels: { 'quartermaster.dev/organization': id } } })
    await isBound(other)
    await relabel(null)
    await gone(
      other,
      bindings.map((name) => `${bindingsIn(other.id)}/${name}`),
    )
    await relabel(other.id)
    await isBound(other)
    await other.kube('DELETE', namespaceAt(other.id))
    await gone(other, [namespaceAt(other.id)], endsWithinMs)
  })
})

describe('no right reaches a namespace that is not of an organization or an environment:', () => {
  const foreign = 'kept-apart'
  beforeAll(async () => {
    await apiCall(controlPlane, 'POST', '/api/v1/namespaces', { metadata: { name: foreign } })
    const metadata = { name: 'login' }
    await apiCall(controlPlane, 'POST', secretsIn(foreign), { metadata, stringData: { password: 'x' } })
  })
  const [operatorRole, gatewayRole] = bindings
  const roleBinding = (account: string, role: string) => ({
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [
      { kind: 'ServiceAccount', name: `quartermaster-${account}`, namespace: 'quartermaster-system' },
    ],
  })
  const relabel = (labels: object): [string, string, object] => [
    'PATCH',
    namespaceAt(foreign),
    { metadata: { labels } },
  ]
  const manager = { 'app.kubernetes.io/managed-by': 'quartermaster' }
  const organizationLabel = { ...manager, 'quartermaster.dev/organization': 'made' }
  const own = () => organization.id

  test.each<[string, string, () => [method: string, path: string, body?: object]]>([
    ['the operator reads no Secret there', 'operator', () => ['GET', `${secretsIn(foreign)}/login`]],
    ['the gateway reads no Secret there', 'gateway', () => ['GET', `${secretsIn(foreign)}/login`]],
    ['the gateway reads none of an organization', 'gateway', () => ['GET', `${secretsIn(own())}/login`]],
    ['the operator lists none of an organization', 'operator', () => ['GET', secretsIn(own())]],
    [
      'the operator creates no Secret there',
      'operator',
      () => ['POST', secretsIn(foreign), { metadata: { name: 'new' } }],
    ],
    [
      'the gateway creates no Secret there',
      'gateway',
      () => ['POST', secretsIn(foreign), { metadata: { name: 'new' } }],
    ],
    [
      'the operator binds itself in no such namespace',
      'operator',
      () => ['POST', bindingsIn(foreign), roleBinding('operator', operatorRole)],
    ],
    [
      'the operator binds no other account',
      'operator',
      () => ['POST', bindingsIn(own()), roleBinding('gateway', operatorRole)],
    ],
    [
      'the operator binds no other role',
      'operator',
      () => ['POST', bindingsIn(own()), roleBinding('operator', 'cluster-admin')],
    ],
    [
      'the operator changes no subject of a binding',
      'operator',
      () => [
        'PATCH',
        `${bindingsIn(own())}/${operatorRole}`,
        { subjects: roleBinding('gateway', operatorRole).subjects },
      ],
    ],
    [
      'the gateway binds nothing',
      'gateway',
      () => ['POST', bindingsIn(own()), roleBinding('gateway', gatewayRole)],
    ],
    [
      'the operator makes no organization of a namespace',
      'operator',
      () => relabel({ 'quartermaster.dev/organization': foreign }),
    ],
    ['the operator takes no namespace as its own', 'operator', () => relabel(manager)],
    [
      'the operator creates no organization',
      'operator',
      () => ['POST', '/api/v1/namespaces', { metadata: { name: 'made', labels: organizationLabel } }],
    ],
    ['the operator deletes no such namespace', 'operator', () => ['DELETE', namespaceAt(foreign)]],
  ])('%s', async (_, account, requestOf) => {
    const [method, path, body] = requestOf()
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : undefined
    const access = as[account]
    if (!access) throw new Error(`no account '${account}'`)
    expect(await apiRequest(access, method, path, body, contentType)).toMatchObject({ status: 403 })
  })
})
