import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { conditionStatus, eventually, makeTestOrganization, moduleWith, readyOf } from '../support/client.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const organization = await makeTestOrganization(cluster, 'removal')
const hold = 'example.org/hold'
const web = moduleWith(
  { dns: { type: 'dns' } },
  { ingress: { rules: { 'externals.dns': { http: { '/': { type: 'prefix', port: 8080 } } } } } },
)

async function ingressIn(environment: string): Promise<ActiveResource | undefined> {
  const all = await organization.resources()
  return all.find(({ spec }) => spec.type === 'ingress' && spec.environmentName === `shop.${environment}`)
}

interface Shown {
  readonly type: string
  readonly status: { readonly gu_res_id: string; readonly state: string }
}

/** The deployed resources are known over REST too. */
async function deploy(environment: string) {
  const deployment = await organization.deploy(`shop.${environment}`, { modules: { web } })
  const there = await ingressIn(environment)
  await organization.untilRest(`/apps/shop/envs/${environment}/resources`, (body: Shown[]) =>
    body.some(({ status }) => status.gu_res_id === there?.metadata.name && status.state === 'active'),
  )
  return deployment
}

const gone = (environment: string) =>
  eventually('the end of the resource', 30_000, async () =>
    (await ingressIn(environment)) ? undefined : true,
  )

/** The Ingress object of a resource, by its fixed name. */
async function objectOf(resource: ActiveResource | undefined): Promise<KubeObject | undefined> {
  const path = objectPath(resource)
  const { status, body } = await organization.kube<KubeObject>('GET', path)
  return status === 200 ? body : undefined
}

function objectPath(resource: ActiveResource | undefined): string {
  const { applicationId, environmentId } = resource?.spec.context ?? {}
  const namespace = `${organization.id}--${applicationId}--${environmentId}`
  return `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses/${resource?.metadata.name}-ingress`
}

const merge = (path: string, patch: object) =>
  organization.kube('PATCH', path, patch, 'application/merge-patch+json')

function restPath(environment: string, { spec }: ActiveResource): string {
  return `/apps/shop/envs/${environment}/resources/${spec.type}/${spec.resourceId}`
}

/** A request as a user with exactly that role in the organization. */
async function restAs(role: 'member' | 'manager', method: string, path: string): Promise<number> {
  const [user, id] = [`user-${randomBytes(4).toString('hex')}`, randomBytes(8).toString('hex')]
  const token = `qm_${id}_secret`
  const sha256 = createHash('sha256').update(token).digest('hex')
  const system = '/apis/quartermaster.dev/v1alpha1/namespaces/quartermaster-system'
  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: 'quartermaster.dev/v1alpha1',
    kind,
    metadata: { name },
    spec,
  })
  await organization.kube('POST', `${system}/users`, object('User', user, { type: 'human' }))
  await organization.kube(
    'POST',
    `${system}/accesstokens`,
    object('AccessToken', id, { userName: user, sha256 }),
  )
  await organization.apply('memberships', 'Membership', user, { role })
  const send = async (verb: string, at: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${cluster.gatewayUrl}/orgs/${organization.id}${at}`, { method: verb, headers }))
      .status
  }
  await eventually('the membership', 30_000, async () => (await send('GET', '/apps')) === 200 || undefined)
  return send(method, path)
}

const detachments = async () => {
  const path = `/api/v1/namespaces/${organization.id}/events`
  const { body } = await organization.kube<{ items: { reason: string; message: string }[] }>('GET', path)
  return body.items.filter(({ reason }) => reason === 'Detached').map(({ message }) => message)
}

beforeAll(async () => {
  await organization.define('dns', {
    type: 'dns',
    driverType: 'quartermaster/echo',
    driverInputs: { values: { host: '${context.env.id}.example.test' } },
    provision: { ingress: {} },
    criteria: [{}],
  })
  await organization.define('ingress', {
    type: 'ingress',
    driverType: 'quartermaster/ingress',
    criteria: [{}],
  })
  await organization.application('shop')
})

describe('endpoint 10, the delete of an active resource', () => {
  let resource: ActiveResource
  beforeAll(async () => {
    await organization.environment('shop', 'delete')
    await deploy('delete')
    resource = (await ingressIn('delete')) as ActiveResource // just deployed
  })

  test.each<['member' | 'manager']>([['member'], ['manager']])('is not for a %s: 403', async (role) => {
    expect(await restAs(role, 'DELETE', restPath('delete', resource))).toBe(403)
    expect(await objectOf(resource)).toBeDefined()
  })

  test.each([
    ['another resource ID', '/apps/shop/envs/delete/resources/ingress/shared.other'],
    ['another class', `/apps/shop/envs/delete/resources/ingress.large/modules.web.externals.dns`],
    ['an environment that is not there', '/apps/shop/envs/other/resources/ingress/modules.web.externals.dns'],
  ])('finds nothing under %s: 404', async (_, path) => {
    expect((await organization.rest('DELETE', path)).status).toBe(404)
  })

  test('deprovisions it without the environment', async () => {
    const { status } = await organization.rest('DELETE', restPath('delete', resource))
    expect([202, 204]).toContain(status)
    await gone('delete')
    expect(await objectOf(resource)).toBeUndefined()
    await eventually('404 for what is gone', 30_000, async () => {
      const again = await organization.rest('DELETE', restPath('delete', resource))
      return again.status === 404 || undefined
    })
  })

  test('still referenced, it is made again by the next deployment under the same GUResID', async () => {
    expect(conditionStatus(await deploy('delete'), 'Ready')).toBe('True')
    const again = await ingressIn('delete')
    expect(again?.metadata.name).toBe(resource.metadata.name)
    expect(again?.metadata.uid).not.toBe(resource.metadata.uid)
    expect(await objectOf(again)).toBeDefined()
  })
})

describe('a resource that is detached', () => {
  test.each<[door: string, environment: string, detach: (resource: ActiveResource) => Promise<unknown>]>([
    [
      'over REST',
      'by-rest',
      (resource) => organization.rest('DELETE', `${restPath('by-rest', resource)}?detach=true`),
    ],
    [
      'by annotation and kubectl delete',
      'by-kubectl',
      async ({ metadata: { name } }) => {
        const path = `/apis/quartermaster.dev/v1alpha1/namespaces/${organization.id}/activeresources/${name}`
        await merge(path, { metadata: { annotations: { 'quartermaster.dev/detach': 'true' } } })
        await organization.remove('activeresources', name)
      },
    ],
  ])('%s is deleted, and its objects stay, on record', async (_, environment, detach) => {
    await organization.environment('shop', environment)
    await deploy(environment)
    const resource = (await ingressIn(environment)) as ActiveResource // just deployed
    const before = await objectOf(resource)
    await detach(resource)
    await gone(environment)
    const left = await objectOf(resource)
    expect([left?.metadata.uid, left?.metadata.deletionTimestamp]).toEqual([before?.metadata.uid, undefined])
    const messages = (await detachments()).filter((each) => each.includes(`shop.${environment}`))
    // A retry repeats the message.
    expect(new Set(messages).size).toBe(1)
    expect(messages[0]).toContain(`ingress.default#${resource.spec.resourceId}`)
    expect(messages[0]).toContain(resource.spec.definition.driverType)
    expect(messages[0]).toContain(`${resource.metadata.name}-ingress`)
    // The existing object is its own: no Conflict.
    expect(conditionStatus(await deploy(environment), 'Ready')).toBe('True')
    expect((await objectOf(resource))?.metadata.uid).toBe(before?.metadata.uid)
    expect((await ingressIn(environment))?.status?.objects?.[0]?.uid).toBe(before?.metadata.uid)
  })
})

describe('a deletion that cannot get on', () => {
  let resource: ActiveResource
  beforeAll(async () => {
    await organization.environment('shop', 'stuck')
    await deploy('stuck')
    resource = (await ingressIn('stuck')) as ActiveResource // just deployed
    await merge(objectPath(resource), { metadata: { finalizers: [hold] } })
  })

  test('answers 202, names its blockers and the way to end it', async () => {
    expect((await organization.rest('DELETE', restPath('stuck', resource))).status).toBe(202)
    const stuck = await eventually('the reason', 30_000, async () => {
      const found = await ingressIn('stuck')
      return readyOf(found).reason === 'ObjectsRemain' ? found : undefined
    })
    expect(readyOf(stuck).message).toContain(`${resource.metadata.name}-ingress`)
    expect(readyOf(stuck).message).toContain(
      `kubectl annotate activeresources.quartermaster.dev ${resource.metadata.name} -n ${organization.id} quartermaster.dev/detach=true`,
    )
    await organization.untilRest('/apps/shop/envs/stuck/resources', (body: Shown[]) =>
      body.some(({ type, status }) => type === 'ingress' && status.state === 'deleting'),
    )
  })

  test('is ended by detach', async () => {
    const { status } = await organization.rest('DELETE', `${restPath('stuck', resource)}?detach=true`)
    expect([202, 204]).toContain(status)
    await gone('stuck')
    expect(await objectOf(resource)).toBeDefined()
    await merge(objectPath(resource), { metadata: { finalizers: null } })
  })

  test('and one that is no longer held up ends by itself', async () => {
    await deploy('stuck')
    await merge(objectPath(resource), { metadata: { finalizers: [hold] } })
    await organization.rest('DELETE', restPath('stuck', resource))
    expect(await ingressIn('stuck')).toBeDefined()
    await merge(objectPath(resource), { metadata: { finalizers: null } })
    await gone('stuck')
    expect(await objectOf(resource)).toBeUndefined()
  })
})
