import { beforeAll, describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { annotations, apiVersion } from '../../../operator/api/names.ts'
import type { ResourceAccount } from '../../../operator/api/resource-account.ts'
import { pendingSecretAnnotation, pendingSecretKey } from '../../../operator/domain/secret/pending-secrets.ts'
import { conditionStatus, eventually, makeTestOrganization } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'half-made')
const secrets = `/api/v1/namespaces/${organization.id}/secrets`

const secretsOf = async (uid?: string): Promise<KubeObject[]> => {
  const { body } = await organization.kube<{ items: KubeObject[] }>('GET', secrets)
  return body.items.filter(({ metadata }) => metadata.ownerReferences?.some((each) => each.uid === uid))
}

beforeAll(async () => {
  await organization.application('shop')
})

describe('an object left without its Secret is completed by the same request', () => {
  test.each<[what: string, plural: string, path: string, body: object]>([
    [
      'an account',
      'resourceaccounts',
      '/resources/accounts',
      { id: 'thing', name: 'Thing', type: 'any', credentials: { token: 'x' } },
    ],
    [
      'a definition',
      'resourcedefinitions',
      '/resources/defs',
      {
        id: 'thing',
        name: 'Thing',
        type: 's3',
        driver_type: 'quartermaster/echo',
        criteria: [{ app_id: 'shop', class: 'fast' }],
        driver_inputs: { values: { a: 1 }, secrets: { token: 'x', deep: { key: 'y' } } },
        provision: { 'dns#main': { is_dependent: true } },
      },
    ],
    [
      'a value',
      'sharedvalues',
      '/apps/shop/values',
      { key: 'TOKEN', description: 'A token', value: 'x', is_secret: true },
    ],
    [
      'a webhook',
      'webhooks',
      '/apps/shop/webhooks',
      { id: 'thing', url: 'hooks.example.com', triggers: [{ scope: 'deployment', type: 'finished' }] },
    ],
  ])('%s', async (_, plural, path, body) => {
    const made = await organization.rest('POST', path, body)
    expect(made.status).toBeLessThan(300)
    const [owner] = await organization.list(plural)
    const [secret] = await secretsOf(owner?.metadata.uid)
    expect((await organization.rest('POST', path, body)).status).toBe(409)
    expect((await organization.kube('DELETE', `${secrets}/${secret?.metadata.name}`)).status).toBe(200)
    expect((await organization.rest('POST', path, body)).status).toBe(made.status)
    const again = await secretsOf(owner?.metadata.uid)
    expect(again.map(({ metadata }) => metadata.name)).toEqual([secret?.metadata.name])
    expect((await organization.rest('POST', path, body)).status).toBe(409)
  })
})

test('a Secret of a change that is withdrawn is deleted, without a list of Secrets', async () => {
  const account = await organization.get<ResourceAccount>('resourceaccounts', 'thing')
  const { name = '', uid = '' } = account?.metadata ?? {}
  const left = 'thing-credentials-00000000'
  await organization.kube('POST', secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: left, ownerReferences: [{ apiVersion, kind: 'ResourceAccount', name, uid }] },
  })
  const path = `/apis/${apiVersion}/namespaces/${organization.id}/resourceaccounts/${name}`
  const mark = (annotations: object) =>
    organization.kube('PATCH', path, { metadata: { annotations } }, 'application/merge-patch+json')
  await mark(pendingSecretAnnotation(left, Date.now()))
  await eventually('the announcement in the status', 30_000, async () => {
    const seen = await organization.get<ResourceAccount>('resourceaccounts', name)
    return seen?.status?.secretNames?.includes(left) ? true : undefined
  })
  expect(await secretsOf(uid)).toHaveLength(2)
  await mark({ [pendingSecretKey(left)]: null })
  const rest = await eventually('the end of the Secret', 30_000, async () => {
    const found = await secretsOf(uid)
    return found.length === 1 ? found : undefined
  })
  expect(rest[0]?.metadata.name).toBe(account?.spec.credentialsSecretName)
  const change = { credentials: { token: 'z' } }
  expect((await organization.rest('PATCH', '/resources/accounts/thing', change)).status).toBe(200)
  const changed = await organization.get<ResourceAccount>('resourceaccounts', name)
  expect(JSON.stringify(changed?.metadata.annotations)).not.toContain(annotations.newSecret)
})

test('an account created for a check is deleted after its lifetime', async () => {
  const until = (ms: number) => ({ [annotations.trialUntil]: new Date(Date.now() + ms).toISOString() })
  const metadata = { name: 'trial', annotations: until(600_000) }
  const path = `/apis/${apiVersion}/namespaces/${organization.id}/resourceaccounts`
  const spec = { type: 'any' }
  const object = { apiVersion, kind: 'ResourceAccount', metadata, spec }
  expect((await organization.kube('POST', path, object)).status).toBe(201)
  await eventually('the outcome', 30_000, async () => {
    const found = await organization.get('resourceaccounts', 'trial')
    return found && conditionStatus(found, 'Ready') === 'True' ? true : undefined
  })
  const soon = { metadata: { annotations: until(1000) } }
  await organization.kube('PATCH', `${path}/trial`, soon, 'application/merge-patch+json')
  await eventually('the end of the trial', 30_000, async () =>
    (await organization.get('resourceaccounts', 'trial')) === undefined ? true : undefined,
  )
})
