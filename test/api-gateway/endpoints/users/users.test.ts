import { describe, expect, test } from '@jest/globals'
import { AccessToken, Membership, User } from '../../../../operator/api/access.ts'
import { systemNamespace } from '../../../../operator/api/names.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'
import { showStale } from '../../support/stale-objects.ts'

const gateway = await setUpGateway(() => {
  gateway.addUser('ana', { displayName: 'Ana' })
  gateway.addMember('acme', 'ana', { role: 'member' })
  gateway.addMember('globex', 'ana', { role: 'member' })
})

const users = '/orgs/acme/users'
const ci = { name: 'CI of Ünïcode & more', role: 'member', email: 'ci@example.com' }

async function addServiceUser(body: object = ci, organization = 'acme'): Promise<string> {
  const answer = await gateway.send(`POST /orgs/${organization}/users`, { body })
  expect(answer.status).toBe(200)
  return answer.body.id
}
const userOf = (id: string) => gateway.cluster.store.get(User, systemNamespace, id)
const roleOf = (id: string) => gateway.cluster.store.get(Membership, 'acme', id)?.spec.role

describe('a new service user', () => {
  test('answers 200 with the request body, an id and its type', async () => {
    const { status, body } = await gateway.send(`POST ${users}`, { body: ci })
    expect(status).toBe(200)
    expect(body).toEqual({ ...ci, id: expect.any(String), type: 'service', created_at: expect.any(String) })
    expect(body.id).toMatch(/^ci-of-u-?ni-?code-more-[0-9a-f]{8}$/)
    expect((await gateway.send(`GET ${users}/${body.id}`)).body).toEqual(body)
  })

  test('is refused in an organization that is being deleted, and leaves nothing', async () => {
    const message = 'unable to create new content in namespace acme because it is being terminated'
    gateway.cluster.failNext('create Membership', new ApiError(403, 'Forbidden', message))
    const before = gateway.cluster.store.list(User, systemNamespace).length
    expect((await gateway.send(`POST ${users}`, { body: ci })).status).toBe(409)
    expect(gateway.cluster.store.list(User, systemNamespace)).toHaveLength(before)
  })

  test('belongs to the organization and has no token', async () => {
    const id = await addServiceUser()
    expect(userOf(id)?.spec).toMatchObject({ type: 'service', organizationName: 'acme' })
    expect((await gateway.send(`GET /users/${id}/tokens`)).body).toEqual([])
  })

  test.each([
    ['two of the same name', 'CI'],
    ['names without a letter', '你好'],
    ['very long names', 'x'.repeat(900)],
  ])('%s have two ids', async (_, name) => {
    const ids = [
      await addServiceUser({ name, role: 'member' }),
      await addServiceUser({ name, role: 'member' }),
    ]
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{8}$/)
  })

  test.each([
    ['without a name', { role: 'member' }, 422],
    ['without a role', { name: 'CI' }, 422],
    ['with an empty name', { name: '', role: 'member' }, 400],
    ['with an unknown role', { name: 'CI', role: 'owner' }, 400],
    ['with a role of another type', { name: 'CI', role: 5 }, 422],
  ])('%s is refused', async (_, body, status) => {
    expect((await gateway.send(`POST ${users}`, { body })).status).toBe(status)
    expect(gateway.cluster.writes).toEqual([])
  })

  test('whose role cannot be written leaves nothing', async () => {
    gateway.cluster.failNext('create Membership', new ApiError(500, 'InternalError', 'no'))
    expect((await gateway.send(`POST ${users}`, { body: ci })).status).toBe(500)
    expect(
      gateway.cluster.store
        .list(User, systemNamespace)
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['admin', 'ana'])
  })

  test('whose role cannot be written leaves nothing, although the first deletion fails', async () => {
    gateway.cluster.failNext('create Membership', new ApiError(403, 'Forbidden', 'no'))
    gateway.cluster.failNext('remove User', new ApiError(500, 'InternalError', 'not now'))
    await gateway.send(`POST ${users}`, { body: ci })
    const { body } = await gateway.send(`GET ${users}`)
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['admin', 'ana'])
    expect(gateway.cluster.store.list(User, systemNamespace)).toHaveLength(2)
  })
})

test('a service user whose role is written without an answer leaves nothing', async () => {
  const { create } = gateway.cluster
  const unanswered: typeof create = async (kind, object) => {
    const made = await create(kind, object)
    if (kind.kind === Membership.kind) throw new Error('socket hang up')
    return made
  }
  Object.assign(gateway.cluster, { create: unanswered })
  const { status } = await gateway.send(`POST ${users}`, { body: ci })
  Object.assign(gateway.cluster, { create })
  const { body } = await gateway.send(`GET ${users}`)
  expect([status, body.map(({ id }: { id: string }) => id)]).toEqual([500, ['admin', 'ana']])
})

describe('the list of users', () => {
  test.each([
    ['all', '', ['admin', 'ana', 'service']],
    ['humans', '?type=user', ['admin', 'ana']],
    ['services', '?type=service', ['service']],
    ['groups', '?type=group', []],
  ])('%s', async (_, query, expected) => {
    const id = await addServiceUser()
    const { status, body } = await gateway.send(`GET ${users}${query}`)
    expect(status).toBe(200)
    const ids = body.map((each: { id: string }) => (each.id === id ? 'service' : each.id))
    expect(ids.sort()).toEqual(expected)
  })

  test('of another type is refused', async () => {
    expect((await gateway.send(`GET ${users}?type=robot`)).status).toBe(400)
  })

  test('shows no user of another organization, even one with a membership', async () => {
    const id = await addServiceUser(ci, 'globex')
    gateway.addMember('acme', id, { role: 'administrator' })
    const { body } = await gateway.send(`GET ${users}`)
    expect(body.map((each: { id: string }) => each.id)).toEqual(['admin', 'ana'])
  })

  test('shows a member without a user object, so that the role can be deleted', async () => {
    gateway.addMember('acme', 'later', { role: 'member' })
    expect((await gateway.send(`GET ${users}/later`)).body).toMatchObject({ id: 'later', name: 'later' })
    expect((await gateway.send(`DELETE ${users}/later`)).status).toBe(204)
    expect(roleOf('later')).toBeUndefined()
  })
})

test.each(['GET', 'PATCH', 'DELETE'])(
  '%s of a missing user and of a user of another organization get the same answer: 404',
  async (method) => {
    const elsewhere = await addServiceUser(ci, 'globex')
    gateway.addMember('acme', elsewhere, { role: 'member' })
    const body = method === 'PATCH' ? { role: 'manager' } : undefined
    const other = await gateway.send(`${method} ${users}/${elsewhere}`, { body })
    const missing = await gateway.send(`${method} ${users}/missing`, { body })
    expect([other.status, missing.status]).toEqual([404, 404])
    expect(other.body.message.replace(elsewhere, 'missing')).toBe(missing.body.message)
    expect(userOf(elsewhere)).toBeDefined()
  },
)

describe('the role of a user', () => {
  test('takes effect at once, and roles on applications stay', async () => {
    gateway.addMember('acme', 'ana', {
      role: 'member',
      applications: [{ applicationName: 'shop', role: 'viewer' }],
    })
    const { status, body } = await gateway.send(`PATCH ${users}/ana`, { body: { role: 'administrator' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: 'ana', role: 'administrator' })
    expect((await gateway.send(`GET ${users}`, { as: 'ana' })).status).toBe(200)
    expect((await gateway.send(`PATCH ${users}/ana`, { body: { role: 'member' } })).status).toBe(200)
    expect((await gateway.send(`GET ${users}`, { as: 'ana' })).status).toBe(403)
    expect(gateway.cluster.store.get(Membership, 'acme', 'ana')?.spec.applications).toHaveLength(1)
  })

  test.each([
    ['orgViewer', 200],
    ['artefactContributor', 403],
  ])('%s is kept, and seeing an application answers %i', async (role, status) => {
    addEnvironment(gateway)
    const { body } = await gateway.send(`POST ${users}`, { body: { name: 'CI', role } })
    expect((await gateway.send(`GET ${users}/${body.id}`)).body.role).toBe(role)
    gateway.addUser(body.id, { type: 'service', organizationName: 'acme' })
    const seen = await gateway.send('GET /orgs/acme/apps/shop', { as: body.id })
    expect(seen.status).toBe(status)
    const listed = (await gateway.send('GET /orgs/acme/apps', { as: body.id })).body
    expect(listed).toHaveLength(status === 200 ? 1 : 0)
  })

  test('that is unknown is refused', async () => {
    expect((await gateway.send(`PATCH ${users}/ana`, { body: { role: 'owner' } })).status).toBe(400)
  })
})

describe('the last administrator', () => {
  test('is not lowered and not removed', async () => {
    expect((await gateway.send(`PATCH ${users}/admin`, { body: { role: 'manager' } })).status).toBe(409)
    expect((await gateway.send(`DELETE ${users}/admin`)).status).toBe(409)
    expect((await gateway.send(`PATCH ${users}/admin`, { body: { role: 'administrator' } })).status).toBe(200)
    expect(roleOf('admin')).toBe('administrator')
  })

  test('can be removed while another one exists', async () => {
    await gateway.send(`PATCH ${users}/ana`, { body: { role: 'administrator' } })
    expect((await gateway.send(`DELETE ${users}/admin`)).status).toBe(204)
    expect((await gateway.send(`DELETE ${users}/ana`, { as: 'ana' })).status).toBe(409)
  })

  test.each([
    ['lowered', 'PATCH', { role: 'member' }, 200],
    ['removed', 'DELETE', undefined, 204],
  ])('of a stale cache is %s, because another gateway made a second one', async (_, method, body, status) => {
    const known = gateway.cluster.store.get(Membership, 'acme', 'ana')
    gateway.addMember('acme', 'ana', { role: 'administrator' })
    const restore = showStale(gateway, Membership, 'ana', known ? [known] : [])
    const answer = await gateway.send(`${method} ${users}/admin`, { body })
    restore()
    expect(answer.status).toBe(status)
  })

  test.each([
    ['lowered', 'PATCH', { role: 'member' }, 200],
    ['removed', 'DELETE', undefined, 204],
  ])(
    'of a stale cache is %s, because another gateway made a user who is one',
    async (_, method, body, status) => {
      const id = await addServiceUser({ ...ci, role: 'administrator' })
      const restoreUser = showStale(gateway, User, id, [])
      const restoreRoles = showStale(gateway, Membership, id, [])
      const answer = await gateway.send(`${method} ${users}/admin`, { body })
      restoreRoles()
      restoreUser()
      expect(answer.status).toBe(status)
    },
  )

  test('is not one who does not exist, and not one of another organization', async () => {
    gateway.addMember('acme', 'ghost', { role: 'administrator' })
    gateway.addMember('acme', await addServiceUser(ci, 'globex'), { role: 'administrator' })
    expect((await gateway.send(`DELETE ${users}/admin`)).status).toBe(409)
  })

  test('is not one whose roles are being deleted', async () => {
    gateway.addMember('acme', 'ana', { role: 'administrator' })
    const { cluster } = gateway
    const known = cluster.store.get(Membership, 'acme', 'ana')
    if (!known) throw new Error('no membership')
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] }
    cluster.put(Membership, { ...known, metadata: { ...known.metadata, ...going } })
    expect((await gateway.send(`DELETE ${users}/admin`)).status).toBe(409)
    expect((await gateway.send(`PATCH ${users}/admin`, { body: { role: 'member' } })).status).toBe(409)
  })

  test.each([
    ['removed', 'DELETE', undefined],
    ['lowered', 'PATCH', { role: 'member' }],
  ])('two that are %s at the same time: one stays', async (_, method, body) => {
    await gateway.send(`PATCH ${users}/ana`, { body: { role: 'administrator' } })
    await Promise.all([
      gateway.send(`${method} ${users}/ana`, { body }),
      gateway.send(`${method} ${users}/admin`, { as: 'ana', body }),
    ])
    expect([roleOf('admin'), roleOf('ana')]).toContain('administrator')
  })

  test.each([
    ['lowered', 'PATCH', { role: 'member' }],
    ['removed', 'DELETE', undefined],
  ])('that became one while it was to be %s, and is the last by then, stays', async (_, method, body) => {
    const { cluster } = gateway
    gateway.addMember('acme', 'ana', { role: 'manager' })
    const { replace, removeUnchanged } = cluster
    const meanwhile = async () => {
      Object.assign(cluster, { replace, removeUnchanged })
      const raised = await gateway.send(`PATCH ${users}/ana`, { body: { role: 'administrator' } })
      const lowered = await gateway.send(`PATCH ${users}/admin`, { as: 'ana', body: { role: 'member' } })
      expect([raised.status, lowered.status]).toEqual([200, 200])
    }
    cluster.replace = async (...write) => {
      await meanwhile()
      return await replace(...write)
    }
    cluster.removeUnchanged = async (...write) => {
      await meanwhile()
      await removeUnchanged(...write)
    }
    expect((await gateway.send(`${method} ${users}/ana`, { body })).status).toBe(409)
    expect([roleOf('admin'), roleOf('ana')]).toEqual(['member', 'administrator'])
  })

  test('that kubectl demotes at the same time gets the role back', async () => {
    await gateway.send(`PATCH ${users}/ana`, { body: { role: 'administrator' } })
    const { cluster } = gateway
    const { removeUnchanged } = cluster
    cluster.removeUnchanged = async (kind, object) => {
      cluster.removeUnchanged = removeUnchanged
      cluster.drop(Membership, 'acme', 'admin')
      await removeUnchanged(kind, object)
    }
    expect((await gateway.send(`DELETE ${users}/ana`)).status).toBe(409)
    expect(roleOf('ana')).toBe('administrator')
  })
})

describe('a user that is deleted', () => {
  test('is deleted with its tokens when it is a service user', async () => {
    const id = await addServiceUser()
    const { token } = (await gateway.send(`POST /users/${id}/tokens`, { body: { id: 'ci' } })).body
    const headers = { authorization: `Bearer ${token}` }
    expect((await gateway.send('GET /orgs/acme', { as: null, headers })).status).toBe(200)
    expect((await gateway.send(`DELETE ${users}/${id}`)).status).toBe(204)
    expect((await gateway.send('GET /orgs/acme', { as: null, headers })).status).toBe(403)
    expect(userOf(id)).toBeUndefined()
    expect(roleOf(id)).toBeUndefined()
    const { cluster } = gateway
    expect(
      cluster.store.list(AccessToken, systemNamespace).filter((each) => each.spec.userName === id),
    ).toEqual([])
  })

  test('a human loses the roles in this organization alone', async () => {
    expect((await gateway.send(`DELETE ${users}/ana`)).status).toBe(204)
    expect((await gateway.send('GET /orgs/acme', { as: 'ana' })).status).toBe(403)
    expect((await gateway.send('GET /orgs/globex', { as: 'ana' })).status).toBe(200)
    expect(userOf('ana')).toBeDefined()
    expect((await gateway.send(`DELETE ${users}/ana`)).status).toBe(404)
  })

  test.each([
    ['the user', User],
    ['the roles', Membership],
  ])('leaves nothing when another gateway created it and the cache lacks %s', async (_, kind) => {
    const id = await addServiceUser()
    const restore = showStale(gateway, kind, id, [])
    const { status } = await gateway.send(`DELETE ${users}/${id}`)
    restore()
    expect([status, userOf(id), roleOf(id)]).toEqual([204, undefined, undefined])
  })

  test('a deletion that failed half-way is finished by the next one', async () => {
    const id = await addServiceUser()
    gateway.cluster.failNext('remove User', new ApiError(500, 'InternalError', 'no'))
    expect((await gateway.send(`DELETE ${users}/${id}`)).status).toBe(500)
    expect((await gateway.send(`DELETE ${users}/${id}`)).status).toBe(204)
    expect(userOf(id)).toBeUndefined()
  })
})
