import { describe, expect, test } from '@jest/globals'
import { Membership } from '../../../../operator/api/access.ts'
import { Application } from '../../../../operator/api/application.ts'
import { EnvironmentType } from '../../../../operator/api/environment-type.ts'
import { type Kind, newObject } from '../../../../operator/api/kind.ts'
import { finalizer } from '../../../../operator/api/names.ts'
import { ApiError } from '../../../../operator/kube/client/api-error.ts'
import { addEnvironment } from '../../support/objects.ts'
import { setUpGateway } from '../../support/set-up.ts'

const gateway = await setUpGateway(() => {
  addEnvironment(gateway)
  addEnvironment(gateway, 'development', 'development', 'other')
  gateway.addUser('ana', { displayName: 'Ana' })
  gateway.addMember('acme', 'ana', { role: 'member' })
  gateway.addUser('stranger')
  gateway.addMember('globex', 'stranger', { role: 'member' })
})

const rolesOf = (id: string) => gateway.cluster.store.get(Membership, 'acme', id)?.spec

const cases = [
  [
    'an application',
    {
      kind: Application,
      name: 'shop',
      path: '/orgs/acme/apps/shop',
      missing: '/orgs/acme/apps/missing',
      first: 'viewer',
      second: 'owner',
      statusOfDeleting: 409,
    },
  ],
  [
    'an environment type',
    {
      kind: EnvironmentType,
      name: 'development',
      path: '/orgs/acme/env-types/development',
      missing: '/orgs/acme/env-types/missing',
      first: 'deployer',
      second: 'deployer',
      statusOfDeleting: 404,
    },
  ],
] as const

describe.each(cases)('a role on %s', (_, example) => {
  const { kind, name, path, missing, first, second, statusOfDeleting } = example
  const give = (id = 'ana', role: string = first) =>
    gateway.send(`POST ${path}/users`, { body: { id, role } })

  test('is added, listed, read, changed and deleted', async () => {
    const { status, body } = await give()
    expect(status).toBe(200)
    expect(body).toEqual({
      id: 'ana',
      name: 'Ana',
      type: 'user',
      role: first,
      created_at: expect.any(String),
    })
    expect((await gateway.send(`GET ${path}/users`)).body).toEqual([body])
    expect((await gateway.send(`GET ${path}/users/ana`)).body).toEqual(body)
    const changed = await gateway.send(`PATCH ${path}/users/ana`, { body: { role: second } })
    expect([changed.status, changed.body]).toEqual([200, { ...body, role: second }])
    expect((await gateway.send(`GET ${path}/users/ana`)).body).toEqual(changed.body)
    expect((await gateway.send(`DELETE ${path}/users/ana`)).status).toBe(204)
    expect((await gateway.send(`GET ${path}/users`)).body).toEqual([])
  })

  test('that the user has already is not written again', async () => {
    const otherPath = kind === Application ? '/orgs/acme/apps/other' : '/orgs/acme/env-types/production'
    await give()
    await gateway.send(`POST ${otherPath}/users`, { body: { id: 'ana', role: first } })
    const writes = gateway.cluster.writes.length
    const answer = await gateway.send(`PATCH ${path}/users/ana`, { body: { role: first } })
    expect([answer.status, gateway.cluster.writes.length]).toEqual([200, writes])
  })

  test.each([
    ['a second one for the same user', 'ana', first, 409],
    ['one without a user', 'unknown', first, 404],
    ['one for a user who is no member', 'stranger', first, 404],
    ['an unknown role', 'admin', 'administrator', 400],
  ])('%s is refused', async (__, id, role, status) => {
    await give()
    expect((await give(id, role)).status).toBe(status)
  })

  test.each(['GET', 'PATCH', 'DELETE'])('%s of one that was not given: 404', async (method) => {
    const body = method === 'PATCH' ? { role: first } : undefined
    for (const id of ['ana', 'unknown', 'stranger'])
      expect((await gateway.send(`${method} ${path}/users/${id}`, { body })).status).toBe(404)
  })

  test('needs the object to exist', async () => {
    expect((await gateway.send(`GET ${missing}/users`)).status).toBe(404)
    const body = { id: 'ana', role: first }
    expect((await gateway.send(`POST ${missing}/users`, { body })).status).toBe(404)
    expect(rolesOf('ana')).toEqual({ role: 'member' })
  })

  test('is refused while the object is being deleted', async () => {
    const known = gateway.cluster.store.get(kind, 'acme', name)
    if (!known) throw new Error(`no ${name}`)
    const metadata = { ...known.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['other'] }
    gateway.cluster.put(kind, { ...known, metadata } as never) // an object of the kind
    expect((await give()).status).toBe(statusOfDeleting)
    expect(rolesOf('ana')).toEqual({ role: 'member' })
  })

  test.each([
    ['deleted', () => {}],
    ['replaced', () => void gateway.cluster.put(kind, newObject(kind, { namespace: 'acme', name }, {}))],
  ])('is withdrawn when the object is %s at the same time, and the answer is 404', async (__, replace) => {
    let isFirst = true
    gateway.cluster.store.cacheOf(Membership).subscribe(() => {
      if (!isFirst) return
      isFirst = false
      gateway.cluster.drop(kind, 'acme', name)
      replace()
    })
    expect((await give()).status).toBe(404)
    expect(Object.values(rolesOf('ana') ?? {}).flat()).toEqual(['member'])
  })

  test('is withdrawn when the object is deleted before the operator has seen it', async () => {
    const known = gateway.cluster.store.get<Kind>(kind, 'acme', name)
    const metadata = { ...known?.metadata, namespace: 'acme', name, finalizers: [] }
    if (known) gateway.cluster.put<Kind>(kind, { ...known, metadata })
    expect((await give()).status).toBe(200)
    // The operator withdraws the roles before it removes its finalizer.
    expect(gateway.cluster.store.get<Kind>(kind, 'acme', name)?.metadata.finalizers).toEqual([finalizer])
  })

  test.each([429, 500, 503])(
    'is given when the API server answers %d to the check of the object',
    async (code) => {
      gateway.cluster.failNext(`read ${kind.kind}`, new ApiError(code, 'Unknown', 'try again'))
      expect((await give()).status).toBe(200)
      expect((await gateway.send(`GET ${path}/users/ana`)).status).toBe(200)
    },
  )

  test('is withdrawn when the object cannot be read, so that the request can be repeated', async () => {
    gateway.cluster.failNext(`read ${kind.kind}`, new ApiError(403, 'Forbidden', 'no right to read'))
    expect((await give()).status).toBe(500)
    expect(Object.values(rolesOf('ana') ?? {}).flat()).toEqual(['member'])
    expect((await give()).status).toBe(200)
  })

  test('is withdrawn also when the API server answers 503 to that', async () => {
    gateway.cluster.failNext(`read ${kind.kind}`, new ApiError(403, 'Forbidden', 'no right to read'))
    let isFirst = true
    gateway.cluster.store.cacheOf(Membership).subscribe(() => {
      const noLeader = new ApiError(503, 'ServiceUnavailable', 'no leader')
      if (isFirst) gateway.cluster.failNext('replace Membership', noLeader)
      isFirst = false
    })
    expect((await give()).status).toBe(500)
    expect(Object.values(rolesOf('ana') ?? {}).flat()).toEqual(['member'])
  })

  test('survives a concurrent write by kubectl', async () => {
    gateway.cluster.failNext('replace Membership', new ApiError(409, 'Conflict', 'modified'))
    expect((await give()).status).toBe(200)
    expect((await gateway.send(`GET ${path}/users/ana`)).status).toBe(200)
  })
})

test('a role on a deleted application is withdrawn, but not one that was given on its successor', async () => {
  let isFirst = true
  gateway.cluster.store.cacheOf(Membership).subscribe(({ after }) => {
    if (!isFirst || !after) return
    isFirst = false
    gateway.cluster.drop(Application, 'acme', 'shop')
    addEnvironment(gateway)
    const applications = [{ applicationName: 'shop', role: 'owner' as const }]
    gateway.cluster.put(Membership, { ...after, spec: { role: 'member', applications } })
  })
  const body = { id: 'ana', role: 'viewer' }
  expect((await gateway.send('POST /orgs/acme/apps/shop/users', { body })).status).toBe(404)
  expect(rolesOf('ana')?.applications).toEqual([{ applicationName: 'shop', role: 'owner' }])
})

test('roles take effect at once, on the one application', async () => {
  const read = async (application: string) =>
    (await gateway.send(`GET /orgs/acme/apps/${application}`, { as: 'ana' })).status
  expect([await read('shop'), await read('other')]).toEqual([403, 403])
  await gateway.send('POST /orgs/acme/apps/shop/users', { body: { id: 'ana', role: 'viewer' } })
  expect([await read('shop'), await read('other')]).toEqual([200, 403])
  await gateway.send('DELETE /orgs/acme/apps/shop/users/ana')
  expect([await read('shop'), await read('other')]).toEqual([403, 403])
})

test('an owner gives roles on the own application alone, and none in the organization', async () => {
  await gateway.send('POST /orgs/acme/apps/shop/users', { body: { id: 'ana', role: 'owner' } })
  const give = async (path: string, role: string) =>
    (await gateway.send(`POST /orgs/acme/${path}/users`, { as: 'ana', body: { id: 'admin', role } })).status
  expect(await give('apps/shop', 'developer')).toBe(200)
  expect(await give('apps/other', 'developer')).toBe(403)
  expect(await give('env-types/development', 'deployer')).toBe(403)
})

test('roles on other objects do not change', async () => {
  await gateway.send('POST /orgs/acme/apps/shop/users', { body: { id: 'ana', role: 'owner' } })
  await gateway.send('POST /orgs/acme/apps/other/users', { body: { id: 'ana', role: 'viewer' } })
  await gateway.send('POST /orgs/acme/env-types/production/users', { body: { id: 'ana', role: 'deployer' } })
  await gateway.send('DELETE /orgs/acme/apps/shop/users/ana')
  expect(rolesOf('ana')).toEqual({
    role: 'member',
    applications: [{ applicationName: 'other', role: 'viewer' }],
    environmentTypes: [{ environmentTypeName: 'production', role: 'deployer' }],
  })
})
