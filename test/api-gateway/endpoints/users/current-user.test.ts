import { describe, expect, test } from '@jest/globals'
import { startGateway } from '../../support/gateway.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  gateway.addUser('ana', { displayName: 'Ana', email: 'ana@example.com' })
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'ana', {
    role: 'manager',
    applications: [{ applicationName: 'shop', role: 'owner' }],
    environmentTypes: [{ environmentTypeName: 'production', role: 'deployer' }],
  })
  gateway.addMember('globex', 'ana', { role: 'member' })
  gateway.addMember('acme', 'robot', { role: 'member' })
  gateway.addMember('globex', 'robot', { role: 'administrator' })
})

describe('the profile of the caller', () => {
  test('names them, and their roles in all organizations', async () => {
    const { status, body } = await gateway.send('GET /current-user', { as: 'ana' })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: 'ana',
      name: 'Ana',
      type: 'user',
      email: 'ana@example.com',
      created_at: expect.any(String),
      properties: {},
      roles: {
        '/orgs/acme': 'manager',
        '/orgs/acme/apps/shop': 'owner',
        '/orgs/acme/env-types/production': 'deployer',
        '/orgs/globex': 'member',
      },
    })
  })

  test('of a service user has the roles of that organization alone', async () => {
    const { body } = await gateway.send('GET /current-user', { as: 'robot' })
    expect(body).toMatchObject({
      id: 'robot',
      name: 'robot',
      type: 'service',
      roles: { '/orgs/acme': 'member' },
    })
    expect(Object.keys(body.roles)).toHaveLength(1)
  })

  test('of a user without an organization has no roles', async () => {
    gateway.addUser('newcomer')
    expect((await gateway.send('GET /current-user', { as: 'newcomer' })).body.roles).toEqual({})
  })
})

describe('a change of the profile', () => {
  test.each([
    ['of the name', { name: 'Anna' }, 'Anna', 'ana@example.com'],
    ['of the mail address', { email: 'a@b.example' }, 'Ana', 'a@b.example'],
    ['of nothing', {}, 'Ana', 'ana@example.com'],
    ['null means absent', { name: null }, 'Ana', 'ana@example.com'],
    [
      'the type and roles are not the caller’s to change',
      { name: 'Ana', type: 'service', roles: {} },
      'Ana',
      'ana@example.com',
    ],
  ])('%s', async (_, body, name, email) => {
    const changed = await gateway.send('PATCH /current-user', { as: 'ana', body })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ name, email, type: 'user' })
    expect((await gateway.send('GET /current-user', { as: 'ana' })).body).toEqual(changed.body)
  })

  test.each([
    ['an empty name', { name: '' }, 400],
    ['a name that is no text', { name: 5 }, 422],
    ['a mail address that is too long', { email: 'a'.repeat(321) }, 400],
  ])('%s is refused', async (_, body, status) => {
    expect((await gateway.send('PATCH /current-user', { as: 'ana', body })).status).toBe(status)
  })

  test('by the path of earlier clients is the same', async () => {
    const { status, body } = await gateway.send('PATCH /users/me', { as: 'ana', body: { name: 'Ana B' } })
    expect([status, body.name]).toEqual([200, 'Ana B'])
    expect((await gateway.send('GET /users/me', { as: 'ana' })).body).toEqual(body)
  })
})

describe('where people sign in by their e-mail address', () => {
  const oidc = {
    issuer: 'https://login.example.test/',
    clientId: 'quartermaster',
    scopes: 'openid email',
    publicUrl: 'https://quartermaster.example.test/',
  }

  test.each([
    ['a user cannot take the address of another one', 'email', 'ana', { email: 'boss@example.com' }, 403],
    ['the own one may be said again', 'email', 'ana', { email: 'ana@example.com', name: 'Anna' }, 200],
    ['services, which do not sign in, may have any', 'email', 'robot', { email: 'ci@example.com' }, 200],
    [
      'with another claim, the address can change',
      'preferred_username',
      'ana',
      { email: 'a@b.example' },
      200,
    ],
  ])('%s', async (_, claim, as, body, status) => {
    const other = await startGateway({ settings: { oidc: { ...oidc, claim } } })
    other.addUser('ana', { email: 'ana@example.com' })
    other.addUser('robot', { type: 'service', organizationName: 'acme' })
    expect((await other.send('PATCH /current-user', { as, body })).status).toBe(status)
    await other.close()
  })
})
