import { describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { kinds } from '../../../operator/api/kinds.ts'
import {
  conditionStatus,
  eventually,
  makeTestOrganization,
  moduleWith,
  type Organization,
} from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

type Step = 'account' | 'definition' | 'environment' | 'application' | 'organization'

const echo = 'quartermaster/echo'
const group = '/apis/quartermaster.dev/v1alpha1'
/** The objects of the organization itself. */
const staying = new Set(['EnvironmentType', 'Membership'])
/** The garbage collector gets to know new kinds every half minute. */
const collectedWithinMs = 60_000

async function listAt(organization: Organization, path: string): Promise<KubeObject[]> {
  const { body } = await organization.kube<{ items?: KubeObject[] }>('GET', path)
  return body.items ?? []
}

const secretsOf = (organization: Organization) =>
  listAt(organization, `/api/v1/namespaces/${organization.id}/secrets`)

/** All objects of an organization that a person or the operator created for an application. */
async function remainsOf(organization: Organization): Promise<string[]> {
  const own = kinds.filter(({ kind }) => !staying.has(kind))
  const objects = await Promise.all(
    own.map(async ({ kind, plural }) => {
      const found = await listAt(organization, `${group}/namespaces/${organization.id}/${plural}`)
      return found.map(({ metadata }) => `${kind} ${metadata.name}`)
    }),
  )
  const secrets = (await secretsOf(organization)).map(({ metadata }) => `Secret ${metadata.name}`)
  return [...objects.flat(), ...secrets]
}

/** An organization with an account, definitions with secret inputs, and live resources with secret outputs. */
async function fullOrganization(): Promise<Organization> {
  const organization = await makeTestOrganization(sharedCluster(), 'orders')
  const post = async (path: string, body: object) =>
    expect([path, (await organization.rest('POST', path, body)).status]).toEqual([path, 200])
  await post('/resources/accounts', {
    id: 'server',
    name: 'Server',
    type: 'any',
    credentials: { token: 'canary-account' },
  })
  const named = (id: string, body: object) => ({ id, name: id, criteria: [{}], ...body })
  await post(
    '/resources/defs',
    named('database', {
      type: 'postgres',
      driver_type: echo,
      driver_account: 'server',
      driver_inputs: { values: { host: 'db' }, secrets: { password: 'canary-definition' } },
    }),
  )
  await post(
    '/resources/defs',
    named('dns', {
      type: 'dns',
      driver_type: echo,
      driver_inputs: { values: { host: '${context.org.id}.example.test' } },
      provision: { ingress: {} },
    }),
  )
  await post('/resources/defs', named('ingress', { type: 'ingress', driver_type: 'quartermaster/ingress' }))
  await organization.application('shop')
  await organization.environment('shop', 'live')
  const web = moduleWith(
    { dns: { type: 'dns' }, db: { type: 'postgres' } },
    { ingress: { rules: { 'externals.dns': { http: { '/': { type: 'prefix', port: 8080 } } } } } },
  )
  const deployment = await organization.deploy('shop.live', { modules: { web } })
  expect(conditionStatus(deployment, 'Ready')).toBe('True')
  // Of the account, of the definition, and of the outputs.
  expect(await secretsOf(organization)).toHaveLength(3)
  return organization
}

const goneAt = (organization: Organization, path: string) =>
  eventually(`the end of '${path}'`, 60_000, async () =>
    (await organization.kube('GET', path)).status === 404 ? true : undefined,
  )

/** Deletes one object as kubectl does, and waits for all objects that can be deleted by now. */
async function take(organization: Organization, step: Step): Promise<void> {
  const namespace = `/api/v1/namespaces/${organization.id}`
  if (step === 'organization') {
    await organization.kube('DELETE', namespace)
    await goneAt(organization, namespace)
    return
  }
  const inside = `${group}/namespaces/${organization.id}`
  if (step === 'environment' || step === 'application') {
    const path = step === 'environment' ? `${inside}/environments/shop.live` : `${inside}/applications/shop`
    await organization.kube('DELETE', path)
    await goneAt(organization, path)
    return
  }
  const [path, prefix] =
    step === 'account'
      ? [`${inside}/resourceaccounts/server`, 'server-']
      : [`${inside}/resourcedefinitions/database`, 'database-']
  await organization.kube('DELETE', path)
  await eventually('the deletion of its Secret', collectedWithinMs, async () => {
    const own = (await secretsOf(organization)).filter(({ metadata }) => metadata.name.startsWith(prefix))
    return own.every(({ metadata }) => metadata.deletionTimestamp) || undefined
  })
}

describe('every order of deletion ends', () => {
  // Side by side: most of the time is the cluster's own, taking namespaces away.
  test.concurrent.each<[order: string, steps: readonly Step[]]>([
    [
      'account, definition, environment',
      ['account', 'definition', 'environment', 'application', 'organization'],
    ],
    ['environment, definition, account', ['environment', 'definition', 'account', 'application']],
    ['definition, application, account', ['definition', 'application', 'account']],
    ['account, organization', ['account', 'organization']],
    ['organization with all that lives in it', ['organization']],
  ])('%s', async (_, steps) => {
    const organization = await fullOrganization()
    const environmentNamespace = `/api/v1/namespaces/${organization.id}--shop--live`
    expect((await organization.kube('GET', environmentNamespace)).status).toBe(200)
    for (const step of steps) await take(organization, step)
    await goneAt(organization, environmentNamespace)
    for (const name of ['dns', 'ingress']) {
      const path = `${group}/namespaces/${organization.id}/resourcedefinitions/${name}`
      await organization.kube('DELETE', path)
    }
    await eventually('the last of it', collectedWithinMs, async () => {
      const remains = await remainsOf(organization)
      if (remains.length > 0) throw new Error(remains.join(', '))
      return true
    })
  })

  test.concurrent('all of it at the same moment', async () => {
    const organization = await fullOrganization()
    const inside = `${group}/namespaces/${organization.id}`
    const paths = [
      `${inside}/resourceaccounts/server`,
      `${inside}/resourcedefinitions/database`,
      `${inside}/environments/shop.live`,
      `${inside}/applications/shop`,
      `/api/v1/namespaces/${organization.id}--shop--live`,
      `/api/v1/namespaces/${organization.id}`,
    ]
    await Promise.all(paths.map((path) => organization.kube('DELETE', path)))
    for (const path of paths) await goneAt(organization, path)
  })
})
