import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { KubeObject } from '../../../operator/api/kind.ts'
import {
  eventually,
  makeTestOrganization,
  moduleWith,
  type Organization,
  readyOf,
} from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts'
import { bodiesOf, hook, makeHookOrganization } from '../support/receiver/webhooks.ts'
import { sharedCluster } from '../support/shared-cluster.ts'

const cluster = sharedCluster()
const hold = 'example.org/hold'

describe('after a DELETE that answers 204 the id is free', () => {
  let receiver: Receiver
  let organization: Organization
  beforeAll(async () => {
    receiver = await startReceiver(cluster.directory)
    organization = await makeHookOrganization(cluster, 'idsfree')
  })
  afterAll(() => receiver?.close())

  const create = (environment = 'one') =>
    organization.rest('POST', '/apps', {
      id: 'brief',
      name: 'Brief',
      env: { id: environment, name: 'First', type: 'development' },
    })

  /** Asks until it is not on its way any more; the operator, which lets it go, may have much else to do. */
  const remove = (path: string) =>
    eventually(`the end of '${path}'`, 30_000, async () => {
      const { status } = await organization.rest('DELETE', path)
      return status === 202 ? undefined : status
    })

  test.each(['', '/envs/one'])('of brief%s, never deployed, again and again', async (path) => {
    await create()
    const answers: number[] = []
    for (const _ of [1, 2, 3]) {
      answers.push(await remove(`/apps/brief${path}`))
      expect((await organization.rest('GET', `/apps/brief${path}`)).status).toBe(404)
      const one = { id: 'one', name: 'One', type: 'development' }
      const answer = path === '' ? await create() : await organization.rest('POST', '/apps/brief/envs', one)
      expect(answer.status).toBe(201)
    }
    // Deleted between two requests: 404.
    expect(answers).toContain(204)
    expect([204, 404]).toEqual(expect.arrayContaining(answers))
  })

  test('although a webhook is still to be called for it, and the call is made', async () => {
    receiver.answer('/late', 503)
    await hook(organization, 'late', { applicationName: 'brief', url: receiver.url('/late') })
    await organization.rest('POST', '/apps/brief/envs', { id: 'two', name: 'Two', type: 'development' })
    await receiver.awaitCalls('/late', 1)
    expect([204, 404]).toContain(await remove('/apps/brief'))
    expect((await create('next')).status).toBe(201)
    expect((await organization.rest('GET', '/apps/brief/webhooks')).body).toEqual([])
    const refused = receiver.calls('/late').length
    receiver.answer('/late', 200)
    await eventually(
      'the end of the webhook',
      90_000,
      async () => (await organization.get('webhooks', 'late')) === undefined || undefined,
    )
    const heard = bodiesOf(receiver.calls('/late').slice(refused)).map(
      ({ event, env_id }) => `${event} ${env_id}`,
    )
    expect(heard).toEqual(expect.arrayContaining(['environment.deleted one', 'environment.deleted two']))
    // Changes of its successor are not its own.
    expect(heard).not.toContain('environment.created next')
  })

  test('of a webhook, with open calls too', async () => {
    receiver.answer('/failing', 500)
    const webhook = { id: 'failing', url: receiver.url('/failing') }
    expect((await organization.rest('POST', '/apps/brief/webhooks', webhook)).status).toBe(201)
    await organization.rest('POST', '/apps/brief/envs', { id: 'three', name: 'Three', type: 'development' })
    await receiver.awaitCalls('/failing', 1)
    expect((await organization.rest('DELETE', '/apps/brief/webhooks/failing')).status).toBe(204)
    expect((await organization.rest('POST', '/apps/brief/webhooks', webhook)).status).toBe(201)
  })
})

/** Makes an organization that can deploy `web`, which has an ingress and so a namespace. */
async function makeIngressOrganization(id: string) {
  const organization = await makeTestOrganization(cluster, id)
  await organization.define('dns', {
    type: 'dns',
    driverType: 'quartermaster/echo',
    criteria: [{}],
    driverInputs: { values: { host: `${id}.example.test` } },
    provision: { ingress: {} },
  })
  const ingress = { type: 'ingress', driverType: 'quartermaster/ingress', criteria: [{}] }
  await organization.define('ingress', ingress)
  await organization.application('shop')
  await organization.environment('shop', 'live')
  const rules = { 'externals.dns': { http: { '/': { type: 'prefix', port: 8080 } } } }
  const web = moduleWith({ dns: { type: 'dns' } }, { ingress: { rules } })
  async function deploy() {
    const deployed = await organization.deploy('shop.live', { modules: { web } })
    expect(readyOf(deployed).reason).toBe('Reconciled')
  }
  await deploy()
  return { organization, deploy }
}

const live = { id: 'live', name: 'Live', type: 'development' }

test.each<[what: string, path: string, again: object]>([
  ['an environment', '/apps/shop/envs', live],
  ['an application', '/apps', { id: 'shop', name: 'Shop', env: live }],
])('%s with resources can be replaced by two requests, one after the other', async (what, path, again) => {
  const { organization, deploy } = await makeIngressOrganization(`idsreplaced${what.slice(3, 6)}`)
  const id = path === '/apps' ? 'shop' : 'live'
  expect((await organization.rest('DELETE', `${path}/${id}`)).status).toBe(202)
  expect((await organization.rest('POST', path, again)).status).toBe(201)
  await deploy()
})

describe('while the namespace of an environment exists', () => {
  let organization: Organization
  const held = () => `/api/v1/namespaces/${organization.id}--shop--live/configmaps/held`
  beforeAll(async () => {
    organization = (await makeIngressOrganization('idsheld')).organization
    const { status } = await organization.kube('POST', held().replace('/held', ''), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', finalizers: [hold] },
    })
    expect(status).toBe(201)
    expect((await organization.rest('DELETE', '/apps/shop/envs/live')).status).toBe(202)
    await eventually('the end of the namespace to begin', 30_000, async () => {
      const { body } = await organization.kube('GET', held().replace('/configmaps/held', ''))
      return (body as KubeObject).metadata.deletionTimestamp
    })
  })

  test('it is shown as deleting, DELETE is accepted, and its id is in use', async () => {
    const path = '/apps/shop/envs/live'
    const { status, body } = await organization.rest('GET', path)
    expect([status, body.status]).toEqual([200, 'deleting'])
    expect((await organization.rest('DELETE', path)).status).toBe(202)
    expect((await organization.rest('POST', '/apps/shop/envs', live)).status).toBe(409)
  })

  test('so is its application; after its deletion the id is free', async () => {
    expect((await organization.rest('DELETE', '/apps/shop')).status).toBe(202)
    const { status, body } = await organization.rest('GET', '/apps/shop')
    expect([status, body.status]).toEqual([200, 'deleting'])
    const merge = 'application/merge-patch+json'
    await organization.kube('PATCH', held(), { metadata: { finalizers: null } }, merge)
    const end = await eventually('the end of the application', 30_000, async () => {
      const answer = await organization.rest('DELETE', '/apps/shop')
      return answer.status === 202 ? undefined : answer.status
    })
    expect([204, 404]).toContain(end)
    expect((await organization.rest('POST', '/apps', { id: 'shop', name: 'Shop' })).status).toBe(201)
  })
})
