import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import { openCluster } from '../../../operator/kube/cache/cluster.ts'
import { kindsInStore } from '../../../operator/kube/cache/kinds-in-store.ts'
import { createClient } from '../../../operator/kube/client/client.ts'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { silentLog } from '../../../operator/log.ts'
import { fc } from '../../support/properties.ts'
import { conditionStatus, eventually, makeTestOrganization, type Organization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()

const echo = 'quartermaster/echo'
const criteria = [{}]

/** A manifest of an organization, by plural, kind and name. */
type Manifest = readonly [plural: string, kind: string, name: string, spec: object]

/** Everything of an organization; nearly every object refers to another one. */
function manifestsOf({ id }: Organization): readonly Manifest[] {
  const driver = { type: `${id}/bucket`, target: `driver://${echo}` }
  const outputsSchema = { properties: { values: { properties: { name: { type: 'string' } } } } }
  return [
    ['environmenttypes', 'EnvironmentType', 'testing', {}],
    ['applications', 'Application', 'shop', {}],
    ['environments', 'Environment', 'shop.live', { applicationName: 'shop', typeName: 'testing' }],
    ['resourcetypes', 'ResourceType', 'bucket', { use: 'direct', outputsSchema }],
    ['resourcedrivers', 'ResourceDriver', 'inner', driver],
    ['resourcedrivers', 'ResourceDriver', 'outer', { ...driver, target: `driver://${id}/inner` }],
    ['resourceaccounts', 'ResourceAccount', 'cloud', { type: 'any', credentialsSecretName: 'login' }],
    [
      'resourcedefinitions',
      'ResourceDefinition',
      'bucket',
      {
        type: `${id}/bucket`,
        driverType: `${id}/outer`,
        driverInputs: { values: { name: 'b' } },
        provision: { dns: {} },
        criteria,
      },
    ],
    [
      'resourcedefinitions',
      'ResourceDefinition',
      'dns',
      {
        type: 'dns',
        driverType: echo,
        accountName: 'cloud',
        driverInputs: { values: { host: 'h.test' } },
        criteria,
      },
    ],
    ['sharedvalues', 'SharedValue', 'level', { applicationName: 'shop', key: 'LEVEL', value: 'info' }],
    [
      'sharedvalues',
      'SharedValue',
      'token',
      {
        applicationName: 'shop',
        environmentId: 'live',
        key: 'TOKEN',
        secret: { secret: 'login', key: 'token' },
      },
    ],
    ['webhooks', 'Webhook', 'hook', { applicationName: 'shop', url: 'hooks.example.test', disabled: true }],
    [
      'deploymentsets',
      'DeploymentSet',
      'shop.first',
      { applicationName: 'shop', modules: {}, shared: { store: { type: `${id}/bucket` } } },
    ],
    [
      'environmentdeployments',
      'EnvironmentDeployment',
      'shop.live.first',
      { environmentName: 'shop.live', setName: 'shop.first' },
    ],
    ['', 'Secret', 'login', {}],
  ]
}

/** Everything that was ever stalled, by organization; every state of every object is seen. */
const stalled = new Map<string, string[]>()
const observer = openCluster({
  client: createClient(await loadConnection({ kubeconfig: cluster.operatorKubeconfig })),
  log: silentLog,
  kinds: kindsInStore,
})

beforeAll(async () => {
  await observer.ready
  for (const { kind } of kindsInStore)
    observer.store.cacheOf(kind).subscribe(({ after }) => {
      if (!after || conditionStatus(after, 'Stalled') !== 'True') return
      const { namespace, name } = after.metadata
      const text = `${after.kind} ${name}: ${JSON.stringify(after.status)}`
      stalled.set(namespace, [...(stalled.get(namespace) ?? []), text])
    })
})
afterAll(() => observer.close())

async function applyTo(organization: Organization, [plural, kind, name, spec]: Manifest): Promise<void> {
  if (kind !== 'Secret') {
    await organization.apply(plural, kind, name, spec)
    return
  }
  const path = `/api/v1/namespaces/${organization.id}/secrets/${name}?fieldManager=test&force=true`
  const secret = { apiVersion: 'v1', kind, metadata: { name }, stringData: { token: 'canary' } }
  await apiCall(cluster.access, 'PATCH', path, secret, 'application/apply-patch+yaml')
}

async function unready(organization: Organization): Promise<string[]> {
  const withStatus = kinds.filter(({ status }) => status !== undefined)
  const objects = await Promise.all(withStatus.map(({ plural }) => organization.list(plural)))
  return objects
    .flat()
    .filter((each) => conditionStatus(each, 'Ready') !== 'True')
    .map(({ kind, metadata, status }) => `${kind} ${metadata.name} ${JSON.stringify(status)}`)
}

test('an organization that is applied in any order is ready in the end, and nothing is ever stalled', async () => {
  const count = manifestsOf({ id: 'x' } as Organization).length // only its id is asked for
  const order = fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count })
  await fc.assert(
    fc.asyncProperty(order, async (places) => {
      const organization = await makeTestOrganization(cluster, 'order')
      const manifests = manifestsOf(organization)
      for (const place of places) {
        const manifest = manifests[place]
        if (manifest) await applyTo(organization, manifest)
      }
      await eventually('everything to be ready', 60_000, async () => {
        const rest = await unready(organization)
        if (rest.length > 0) throw new Error(rest.join('\n'))
        return true
      })
      expect(stalled.get(organization.id)).toBeUndefined()
      const resources = await organization.resources()
      expect(resources.map(({ spec }) => spec.type).sort()).toEqual(
        ['dns', `${organization.id}/bucket`].sort(),
      )
    }),
    { numRuns: process.env.QUARTERMASTER_SOAK ? 50 : 4, endOnFailure: true },
  )
}, 300_000)
