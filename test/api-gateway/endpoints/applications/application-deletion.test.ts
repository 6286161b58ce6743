import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { Membership } from '../../../../operator/api/access.ts'
import { ActiveResource } from '../../../../operator/api/active-resource.ts'
import { Application } from '../../../../operator/api/application.ts'
import { Environment } from '../../../../operator/api/environment.ts'
import type { Kind } from '../../../../operator/api/kind.ts'
import { finalizer } from '../../../../operator/api/names.ts'
import { addEnvironment, addResource } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {})

const shop = { id: 'shop', name: 'The shop' }

describe('deletion', () => {
  test.each([
    ['an application that was never deployed is deleted at once', 'DELETE /orgs/acme/apps/shop', false, 204],
    ['an application with resources is being deleted', 'DELETE /orgs/acme/apps/shop', true, 202],
    [
      'the last environment, never deployed, is deleted at once',
      'DELETE /orgs/acme/apps/shop/envs/development',
      false,
      204,
    ],
    [
      'an environment with resources is being deleted',
      'DELETE /orgs/acme/apps/shop/envs/development',
      true,
      202,
    ],
  ])('%s', async (_, operation, withResource, status) => {
    addEnvironment(gateway)
    if (withResource) addResource(gateway)
    expect((await gateway.send(operation)).status).toBe(status)
    const { writes } = gateway.cluster
    expect(writes.filter((each) => each.startsWith('remove'))).toHaveLength(1)
  })

  const going = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['x/y'] }
  const shopPath = '/orgs/acme/apps/shop'
  const environmentPath = `${shopPath}/envs/development`

  const application = [Application, 'shop'] as const
  const environment = [Environment, 'shop.development'] as const

  /** Puts an application and its environment, and lets some of them be as they are while the operator ends them. */
  function end(
    withResource: boolean,
    ended: readonly (readonly [Kind, string])[] = [application, environment],
  ) {
    addEnvironment(gateway)
    const { cluster } = gateway
    for (const [kind, name] of ended) {
      const object = cluster.store.get<Kind>(kind, 'acme', name)
      if (object) cluster.put<Kind>(kind, { ...object, metadata: { ...object.metadata, ...going } })
    }
    return withResource ? addResource(gateway) : undefined
  }
  const drop = () => {
    gateway.cluster.drop(Environment, 'acme', 'shop.development')
    gateway.cluster.drop(Application, 'acme', 'shop')
  }

  test.each<[what: string, path: string, withResource: boolean]>([
    ['an application with resources', shopPath, true],
    ['an application with nothing left in it', shopPath, false],
    ['an environment with resources', environmentPath, true],
    ['an environment with nothing left in it but its namespace', environmentPath, false],
  ])('continues until the id is free: %s', async (_, path, withResource) => {
    const resource = end(withResource)
    const { status, body } = await gateway.send(`GET ${path}`)
    expect([status, body.status, body.status_changed_at]).toEqual([200, 'deleting', going.deletionTimestamp])
    expect((await gateway.send(`DELETE ${path}`)).status).toBe(202)
    if (resource) gateway.cluster.drop(ActiveResource, 'acme', resource)
    drop()
    for (const method of ['GET', 'DELETE']) expect((await gateway.send(`${method} ${path}`)).status).toBe(404)
  })

  test('lists applications that are being deleted', async () => {
    end(false)
    const { body } = await gateway.send('GET /orgs/acme/apps')
    expect(body).toMatchObject([{ status: 'deleting', envs: [{ id: 'development' }] }])
    expect((await gateway.send(`GET ${shopPath}/envs`)).body).toMatchObject([{ status: 'deleting' }])
  })

  test.each([
    ['an application', shopPath],
    ['an environment', environmentPath],
  ])('answers 204 when it ends in a moment: %s', async (_, path) => {
    end(false)
    const answer = gateway.send(`DELETE ${path}`)
    setTimeout(drop, 1000)
    expect((await answer).status).toBe(204)
  })

  test('a new one waits while its id is on its way out', async () => {
    const development = { id: 'development', name: 'Development' }
    end(false, [environment])
    const second = gateway.send(`POST ${shopPath}/envs`, { body: development })
    setTimeout(() => gateway.cluster.drop(Environment, 'acme', 'shop.development'), 3000)
    expect((await second).status).toBe(201)
    end(false)
    const first = gateway.send('POST /orgs/acme/apps', { body: shop })
    setTimeout(drop, 3000)
    expect((await first).status).toBe(201)
  })

  test.each<[what: string, path: string, body: object]>([
    ['an environment', `${shopPath}/envs`, { id: 'development', name: 'Development' }],
    ['an application', '/orgs/acme/apps', shop],
  ])('%s is not created by a member who is removed while it waits', async (_, path, body) => {
    gateway.addUser('eve')
    gateway.addMember('acme', 'eve', { role: 'administrator' })
    end(false, path === '/orgs/acme/apps' ? [application, environment] : [environment])
    const answer = gateway.send(`POST ${path}`, { body, as: 'eve' })
    setTimeout(() => {
      gateway.cluster.drop(Membership, 'acme', 'eve')
      drop()
    }, 500)
    expect((await answer).status).toBe(403)
  })

  const applications = [{ applicationName: 'shop', role: 'developer' } as const]
  test.each<[what: string, becomes: (eve: string) => void, status: number]>([
    [
      'with 403 to a member who loses the role on the environment type',
      (eve) => gateway.addMember('acme', eve, { role: 'member', applications }),
      403,
    ],
    [
      'with 500 while the API server is silent',
      () => Object.assign(gateway.cluster.store, { silentMs: () => 301_000 }),
      500,
    ],
  ])('the creation that waits is answered %s', async (_, becomes, status) => {
    const { silentMs } = gateway.cluster.store
    const environmentTypes = [{ environmentTypeName: 'development', role: 'deployer' } as const]
    gateway.addUser('eve')
    gateway.addMember('acme', 'eve', { role: 'member', applications, environmentTypes })
    end(false, [environment])
    const body = { id: 'development', name: 'Development' }
    const answer = gateway.send(`POST ${shopPath}/envs`, { body, as: 'eve' })
    await sleep(500)
    becomes('eve')
    gateway.cluster.drop(Environment, 'acme', 'shop.development')
    expect((await answer).status).toBe(status)
    Object.assign(gateway.cluster.store, { silentMs })
  })

  test('is completed by the operator, even before it saw the created environment', async () => {
    await gateway.send('POST /orgs/acme/apps', { body: shop })
    const { store } = gateway.cluster
    const made = [store.get(Application, 'acme', 'shop'), store.get(Environment, 'acme', 'shop.development')]
    expect(made.map((each) => each?.metadata.finalizers)).toEqual([[finalizer], [finalizer]])
  })
})
