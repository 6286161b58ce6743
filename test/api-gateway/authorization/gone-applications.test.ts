import { describe, expect, test } from '@jest/globals'
import { Membership } from '../../../operator/api/access.ts'
import { Application } from '../../../operator/api/application.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { members, rules } from '../support/rules.ts'
import { setUpGateway } from '../support/set-up.ts'
import { showStale } from '../support/stale-objects.ts'

const gateway = await setUpGateway(() => {
  for (const [name, spec] of Object.entries(members)) {
    gateway.addUser(name)
    gateway.addMember('acme', name, { ...spec, applications: [] })
  }
})

const app = '/orgs/acme/apps/shop'
const rows = rules
  .filter(
    ([operation, allowed]) => operation.startsWith(app, operation.indexOf(' ') + 1) && allowed.length > 1,
  )
  .map(([operation, , body]) => ({ operation, body }))

describe('an application that is gone, and the roles on it, is not found by those who may create one:', () => {
  test('operations are tested', () => expect(rows.length).toBeGreaterThan(60))

  test.each(rows)('$operation', async ({ operation, body }) => {
    const { status } = await gateway.send(operation, { as: 'manager', body })
    expect(status).toBe(/^GET .*\/envs\/[^/]+\/values$/.test(operation) ? 400 : 404)
    expect((await gateway.send(operation, { as: 'member', body })).status).toBe(403)
  })

  test('also when its owner repeats the deletion', async () => {
    const own = { id: 'own', name: 'Own', skip_environment_creation: true }
    expect((await gateway.send('POST /orgs/acme/apps', { as: 'manager', body: own })).status).toBe(201)
    const membership = gateway.cluster.store.get(Membership, 'acme', 'manager')
    if (!membership) throw new Error('no membership')
    gateway.cluster.put(Membership, { ...membership, spec: { ...membership.spec, applications: [] } })
    gateway.cluster.drop(Application, 'acme', 'own')
    expect((await gateway.send('DELETE /orgs/acme/apps/own', { as: 'manager' })).status).toBe(404)
  })
})

test('who may no longer create applications learns nothing of those that are gone', async () => {
  const before = gateway.cluster.store.get(Membership, 'acme', 'manager')
  if (!before) throw new Error('no membership')
  gateway.cluster.put(Membership, { ...before, spec: { role: 'member' } })
  const end = showStale(gateway, Membership, 'manager', [before])
  const { status } = await gateway.send('GET /orgs/acme/apps/gone', { as: 'manager' })
  end()
  expect(status).toBe(403)
})

test('who may not create applications costs no question to the cluster', async () => {
  const { cluster } = gateway
  const { read } = cluster
  const reads: string[] = []
  Object.assign(cluster, {
    read(...given: Parameters<typeof read>) {
      reads.push(given[0].kind)
      return read(...given)
    },
  })
  const { status } = await gateway.send('PATCH /orgs/acme/apps/gone', { as: 'member', body: { name: 'G' } })
  Object.assign(cluster, { read })
  expect([status, reads]).toEqual([403, []])
})

test('its creator has a role on an application that another gateway created a moment ago', async () => {
  const before = gateway.cluster.store.get(Membership, 'acme', 'manager')
  if (!before) throw new Error('no membership')
  const young = { id: 'young', name: 'Young', skip_environment_creation: true }
  expect((await gateway.send('POST /orgs/acme/apps', { as: 'manager', body: young })).status).toBe(201)
  const end = showStale(gateway, Membership, 'manager', [before])
  const { status } = await gateway.send('PATCH /orgs/acme/apps/young', { as: 'manager', body: { name: 'Y' } })
  end()
  expect(status).toBe(200)
})

test.each([
  { method: 'DELETE', reads: 1 },
  { method: 'PATCH', body: { name: 'Mine' }, reads: 1 },
  { method: 'GET', reads: 1 },
])(
  'a manager may not $method an application that is made again meanwhile',
  async ({ method, body, reads }) => {
    const { cluster } = gateway
    const again = newObject(Application, { namespace: 'acme', name: 'other' }, { displayName: 'Theirs' })
    const { read } = cluster
    let left = reads
    Object.assign(cluster, {
      async read(...given: Parameters<typeof read>) {
        const answer = await read(...given)
        if (given[0].kind === 'Application' && --left === 0) cluster.put(Application, again)
        return answer
      },
    })
    const { status } = await gateway.send(`${method} /orgs/acme/apps/other`, { as: 'manager', body })
    Object.assign(cluster, { read })
    const { displayName } = cluster.store.get(Application, 'acme', 'other')?.spec ?? {}
    expect([status, displayName]).toEqual([404, 'Theirs'])
  },
)

test('a role on an application that exists stays necessary', async () => {
  const other = { id: 'other', name: 'Other', skip_environment_creation: true }
  expect((await gateway.send('POST /orgs/acme/apps', { body: other })).status).toBe(201)
  expect((await gateway.send('GET /orgs/acme/apps/other', { as: 'manager' })).status).toBe(403)
})
