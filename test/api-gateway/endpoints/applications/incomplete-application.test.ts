import { describe, expect, test } from '@jest/globals'
import { Membership } from '../../../../operator/api/access.ts'
import { Application } from '../../../../operator/api/application.ts'
import { newObject } from '../../../../operator/api/kind.ts'
import { annotations } from '../../../../operator/api/names.ts'
import { setUpGateway } from '../../support/set-up.ts'

let passedMs = 0
const gateway = await setUpGateway(
  ({ addUser, addMember }) => {
    passedMs = 0
    addUser('max')
    addMember('acme', 'max', {
      role: 'manager',
      environmentTypes: [{ environmentTypeName: 'development', role: 'deployer' }],
    })
  },
  { serverNow: () => Date.now() + passedMs },
)

const shop = { id: 'shop', name: 'The shop' }
const create = (more: object = {}) =>
  gateway.send('POST /orgs/acme/apps', { as: 'max', body: { ...shop, ...more } })

/** What a gateway leaves that dies when it has created an application. */
function leaveApplication({ creator = 'max', ageSeconds = 90, going = false } = {}): void {
  const creationTimestamp = new Date(Date.now() - ageSeconds * 1000).toISOString()
  const metadata = {
    namespace: 'acme',
    name: 'shop',
    creationTimestamp,
    annotations: { [annotations.createdBy]: creator },
    ...(going ? { deletionTimestamp: creationTimestamp } : {}),
  }
  gateway.cluster.put(Application, newObject(Application, metadata, { displayName: shop.name }))
}

const rolesOfMax = () => gateway.cluster.store.get(Membership, 'acme', 'max')?.spec.applications ?? []

describe('an application that a process left when it died', () => {
  test('is completed by the same request of the same user', async () => {
    leaveApplication()
    expect((await gateway.send('GET /orgs/acme/apps/shop', { as: 'max' })).status).toBe(403)
    const { status, body } = await create()
    expect([status, body.envs]).toMatchObject([201, [{ id: 'development' }]])
    expect(rolesOfMax()).toEqual([{ applicationName: 'shop', role: 'owner' }])
    expect((await create()).status).toBe(409)
  })

  test('gets its owner alone where it gets no environment', async () => {
    leaveApplication()
    const { status, body } = await create({ skip_environment_creation: true })
    expect([status, body.envs]).toEqual([201, []])
    expect(rolesOfMax()).toEqual([{ applicationName: 'shop', role: 'owner' }])
    expect((await create({ skip_environment_creation: true })).status).toBe(409)
  })

  test('gets its environment where the creator is an administrator', async () => {
    leaveApplication({ creator: 'admin' })
    const { status, body } = await gateway.send('POST /orgs/acme/apps', { body: shop })
    expect([status, body.envs]).toMatchObject([201, [{ id: 'development' }]])
  })

  test.each([
    ['of another user', { creator: 'ann' }, {}],
    ['that may be in the making', { ageSeconds: 50 }, {}],
    ['that is older than an hour', { ageSeconds: 3700 }, {}],
    ['that is being deleted', { going: true }, {}],
    ['with another name', {}, { name: 'Another shop' }],
  ])('stays a conflict: one %s', async (_, left, more) => {
    leaveApplication(left)
    expect((await create(more)).status).toBe(409)
    expect(rolesOfMax()).toEqual([])
  })

  test('stays a conflict once it has had an environment: its creator may have lost the role since', async () => {
    leaveApplication()
    await gateway.send('POST /orgs/acme/apps/shop/envs', {
      body: { id: 'live', name: 'Live', type: 'production' },
    })
    expect((await create()).status).toBe(409)
    expect(rolesOfMax()).toEqual([])
  })

  test.each<[what: string, use: () => unknown]>([
    [
      'others have roles',
      () => {
        gateway.addUser('ann')
        gateway.addMember('acme', 'ann', {
          role: 'member',
          applications: [{ applicationName: 'shop', role: 'owner' }],
        })
      },
    ],
    [
      'it has values',
      () =>
        gateway.send('POST /orgs/acme/apps/shop/values', {
          body: { key: 'A', value: 'a', is_secret: false, description: '' },
        }),
    ],
  ])('stays a conflict once %s: its creator may have lost the role since', async (_, use) => {
    leaveApplication()
    await use()
    expect((await create()).status).toBe(409)
    expect(rolesOfMax()).toEqual([])
  })

  test('stays when its creation fails so late that the same request may complete it', async () => {
    gateway.cluster.failNext('create Environment', new Error('reset'))
    const stop = gateway.cluster.store.cacheOf(Application).subscribe(() => {
      passedMs = 20_000
    })
    expect((await create()).status).toBe(500)
    stop()
    expect(gateway.cluster.store.get(Application, 'acme', 'shop')).toBeDefined()
  })

  test('stays when its completion fails, because others may use it', async () => {
    leaveApplication()
    gateway.cluster.failNext('create Environment', new Error('reset'))
    expect((await create()).status).toBe(500)
    expect(gateway.cluster.store.get(Application, 'acme', 'shop')).toBeDefined()
    expect((await create()).status).toBe(201)
  })
})
