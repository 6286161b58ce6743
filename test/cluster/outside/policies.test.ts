import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  type AdmissionRequest,
  type AdmissionWebhook,
  startAdmissionWebhook,
} from '../support/admission-webhook.ts'
import { createAuditLog } from '../support/audit-log.ts'
import { eventually, makeTestOrganization, type Organization, readyOf } from '../support/client.ts'
import { namespaceOf, patch, resourceIn, untilEnded } from '../support/observing.ts'
import { sharedCluster } from '../support/shared-cluster.ts'
import { configMap } from '../support/templates.ts'

const cluster = sharedCluster()
let organization: Organization
let webhook: AdmissionWebhook
/** What the webhook refuses in an environment, by its name. */
const refusals = new Map<string, (request: AdmissionRequest) => boolean>()

const web = {
  profile: 'quartermaster/default-module',
  deploy: { success: 'deploy' },
  spec: {
    containers: { main: { image: 'web:1', variables: { HOST: '${externals.db.host}' } } },
    service: { ports: { web: { service_port: 80, container_port: 80 } } },
  },
  externals: { db: { type: 'postgres' } },
}

beforeAll(async () => {
  organization = await makeTestOrganization(cluster, 'policy')
  await organization.application('shop')
  const manifests = {
    'settings.yaml': configMap('settings'),
    'account.yaml': {
      data: {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'robot' },
        imagePullSecrets: [{ name: 'own' }],
      },
    },
    'secret.yaml': {
      data: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { a: 'b' } },
    },
  }
  const templates = { manifests, outputs: 'host: db\nport: 1\n', secrets: 'password: b' }
  await organization.define('database', {
    type: 'postgres',
    driverType: 'quartermaster/template',
    driverInputs: { values: { templates } },
    criteria: [{}],
  })
  webhook = await startAdmissionWebhook(cluster, organization.id)
})

afterAll(() => webhook.remove())

/** What injectors do: they add, change and sort, and one writes a new value each time. */
function injected({ object, kind, subResource, uid }: AdmissionRequest): KubeObject | undefined {
  if (!object || subResource) return undefined
  const { metadata } = object
  const changed = structuredClone({
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, 'example.com/cost': 'a' },
      annotations: { ...metadata.annotations, 'example.com/request': uid },
    },
    // oxlint-disable-next-line typescript/no-explicit-any -- it changes several kinds
  }) as any
  if (kind.kind === 'Deployment') {
    const { spec } = changed.spec.template
    const proxy = { name: 'proxy', image: 'mirror/proxy:1' }
    const others = spec.containers.filter(({ name }: { name: string }) => name !== 'proxy')
    const mirrored = (image: string) => (image.startsWith('mirror/') ? image : `mirror/${image}`)
    const env = [{ name: 'HTTP_PROXY', value: 'proxy' }]
    spec.containers = [proxy, ...others].map((each) => ({ ...each, image: mirrored(each.image), env }))
    spec.tolerations = [{ key: 'example.com/spot', operator: 'Exists' }]
  }
  if (kind.kind === 'ServiceAccount') {
    const own = (changed.imagePullSecrets ?? []).filter(({ name }: { name: string }) => name !== 'mirror')
    changed.imagePullSecrets = [{ name: 'mirror' }, ...own]
  }
  return changed
}

test('what injectors change causes no writes, neither in calm nor by a deployment that changes nothing', async () => {
  webhook.decide(injected)
  const log = createAuditLog(cluster.auditLogPath, organization.id)
  await organization.environment('shop', 'injected')
  const modules = { web }
  expect(readyOf(await organization.deploy('shop.injected', { modules })).reason).toBe('Reconciled')
  const full = {
    environmentName: 'shop.injected',
    setName: 'shop.full',
    mode: 'full',
  }
  await organization.apply('deploymentsets', 'DeploymentSet', 'shop.full', {
    applicationName: 'shop',
    modules,
    shared: {},
  })
  await organization.apply('environmentdeployments', 'EnvironmentDeployment', 'full', full)
  expect(readyOf(await organization.ended('full')).reason).toBe('Reconciled')
  await log.calm()
  const position = await log.end()
  await organization.deploy('shop.injected', { modules })
  await log.calm()
  await sleep(2000)
  const written = (await log.writesSince(position)).map((each) => each.split(' ')[2])
  // The environment remembers the deployment.
  expect(new Set(written)).toEqual(new Set(['environmentdeployments', 'environments']))
  webhook.decide(() => undefined)
})

const deletes = (kind: string) => (request: AdmissionRequest) =>
  request.operation === 'DELETE' && request.kind.kind === kind
const updates = (kind: string) => (request: AdmissionRequest) =>
  request.operation === 'UPDATE' && request.kind.kind === kind && !request.subResource

/** The environment of a request. */
function environmentOf({ namespace = '', name = '', object, oldObject }: AdmissionRequest): string {
  const { environmentName } = ((object ?? oldObject) as ActiveResource | null)?.spec ?? {}
  const [, inside] = `${namespace} ${name}`.split('--shop--')
  return inside?.split(' ')[0] ?? (environmentName ?? name).replace('shop.', '')
}

test('a deletion that is refused says by whom, makes nothing again, and ends by itself once it is allowed', async () => {
  const cases: readonly [environment: string, refuses: (request: AdmissionRequest) => boolean][] = [
    ['resources', deletes('ActiveResource')],
    ['finalizers', updates('ActiveResource')],
    ['environment', updates('Environment')],
    ['deployments', deletes('EnvironmentDeployment')],
  ]
  webhook.decide((request) =>
    refusals.get(environmentOf(request))?.(request) ? 'the owner must agree' : undefined,
  )
  const names = cases.map(([environment]) => environment)
  for (const each of names) await organization.environment('shop', each)
  await Promise.all(names.map((each) => organization.deploy(`shop.${each}`, { modules: { web } })))
  for (const [environment, refuses] of cases) refusals.set(environment, refuses)
  for (const each of names) await organization.remove('environments', `shop.${each}`)
  for (const each of names)
    await eventually(`the refusal in '${each}'`, 60_000, async () => {
      const { reason, message } = readyOf(await organization.get('environments', `shop.${each}`))
      const isSaid = /webhook "webhook\.example\.com" denied the request: the owner must agree/.test(message)
      if (!isSaid || !`${reason} ${message}`.includes('Rejected')) throw new Error(`${reason}: ${message}`)
      return true
    })
  // Its namespace is gone, and its resources are not deleted.
  const path = `/api/v1/namespaces/${namespaceOf(organization, 'resources')}`
  await eventually('the end of the namespace', 30_000, async () => {
    return (await organization.kube('GET', path)).status === 404 || undefined
  })
  await sleep(5000)
  expect((await organization.kube('GET', path)).status).toBe(404)
  refusals.clear()
  await Promise.all(
    names.map((each) =>
      eventually(`the end of '${each}'`, 150_000, async () =>
        (await organization.get('environments', `shop.${each}`)) ? undefined : true,
      ),
    ),
  )
  const left = (await organization.allResources()).map(({ spec }) => spec.environmentName)
  expect(left.filter((each) => each !== 'shop.injected')).toEqual([])
}, 300_000)

test('an object that others keep by their finalizers says so, and so does what waits for it', async () => {
  await organization.environment('shop', 'kept')
  const { metadata } = await organization.deploy('shop.kept', { modules: { web } })
  const resource = await resourceIn(organization, 'kept', 'postgres')
  const inside = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}`
  const paths = [
    `${inside}/activeresources/${resource.metadata.name}`,
    `${inside}/environmentdeployments/${metadata.name}`,
    `${inside}/environments/shop.kept`,
  ]
  for (const path of paths)
    await patch(organization, path, {
      metadata: { finalizers: ['quartermaster.dev/finalizer', 'example.com/hold'] },
    })
  await organization.remove('environments', 'shop.kept')
  const waits = [
    "postgres.default#modules.web.externals.db: FinalizersRemain: cleaned up; others keep it by the finalizer 'example.com/hold'",
    `'${metadata.name}': cleaned up; others keep it by the finalizer 'example.com/hold'`,
    "cleaned up; others keep it by the finalizer 'example.com/hold'",
  ]
  for (const [index, path] of paths.entries()) {
    await eventually(`what waits for '${path}'`, 60_000, async () => {
      const { message } = readyOf(await organization.get('environments', 'shop.kept'))
      if (!message.endsWith(waits[index] ?? '')) throw new Error(message)
      return true
    })
    await patch(organization, path, { metadata: { finalizers: null } })
  }
  await untilEnded(organization, 'kept')
})

test.each<[what: string, environment: string, metadata: object]>([
  ['its annotations', 'annotations', { annotations: null }],
  ['all its marks', 'marks', { annotations: null, labels: null }],
])('an object from which another client removes %s is repaired', async (_, environment, metadata) => {
  await organization.environment('shop', environment)
  await organization.deploy(`shop.${environment}`, { modules: { web } })
  const path = `/api/v1/namespaces/${namespaceOf(organization, environment)}/configmaps/settings`
  const read = async () => (await organization.kube<KubeObject>('GET', path)).body.metadata
  const { uid } = await read()
  await patch(organization, path, { metadata })
  await eventually('the marks', 30_000, async () => {
    return (await read()).annotations?.[annotations.resource] !== undefined || undefined
  })
  expect((await read()).uid).toBe(uid)
})
