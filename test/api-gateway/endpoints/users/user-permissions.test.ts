import { expect, test } from '@jest/globals'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  gateway.addUser('ana')
  gateway.addUser('their-robot', { type: 'service', organizationName: 'globex' })
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'ana', {
    role: 'manager',
    applications: [
      { applicationName: 'shop', role: 'owner' },
      { applicationName: 'blog', role: 'viewer' },
    ],
    environmentTypes: [{ environmentTypeName: 'production', role: 'deployer' }],
  })
  gateway.addMember('globex', 'ana', { role: 'member' })
  gateway.addMember('acme', 'robot', { role: 'member' })
  gateway.addMember('acme', 'their-robot', { role: 'member' })
  gateway.addMember('globex', 'their-robot', { role: 'administrator' })
  gateway.addMember('acme', 'not-yet', { role: 'member' })
})

const permsOf = (user: string, organization = 'acme') =>
  gateway.send(`GET /orgs/${organization}/users/${user}/perms`)

test.each([
  [
    'all roles in the organization, by path, and none in another',
    'acme',
    'ana',
    {
      '/orgs/acme': ['manager'],
      '/orgs/acme/apps/blog': ['viewer'],
      '/orgs/acme/apps/shop': ['owner'],
      '/orgs/acme/env-types/production': ['deployer'],
    },
  ],
  ['the one of the other organization there', 'globex', 'ana', { '/orgs/globex': ['member'] }],
  ['that of a service', 'acme', 'robot', { '/orgs/acme': ['member'] }],
  ['that of the administrator', 'acme', 'admin', { '/orgs/acme': ['administrator'] }],
  ['those of a member without a user object', 'acme', 'not-yet', { '/orgs/acme': ['member'] }],
])('permissions are %s', async (_, organization, user, roles) => {
  const { status, body } = await permsOf(user, organization)
  const objects = Object.entries(roles).map(([path, permissions]) => [path, { permissions }])
  expect([status, body]).toEqual([200, { objects: Object.fromEntries(objects) }])
  expect(Object.keys(body.objects)).toEqual(Object.keys(roles))
})

test.each([
  ['unknown', 404],
  ['their-robot', 404],
])('of %s: %s', async (user, status) => {
  expect((await permsOf(user)).status).toBe(status)
})

test('change with a role', async () => {
  await gateway.send('PATCH /orgs/acme/users/robot', { body: { role: 'manager' } })
  expect((await permsOf('robot')).body.objects['/orgs/acme']).toEqual({ permissions: ['manager'] })
})
