import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { AccessToken, Membership, User } from '../../../operator/api/access.ts'
import { type Kind, newObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'robot', { role: 'administrator' })
  gateway.addMember('globex', 'robot', { role: 'administrator' })
  gateway.addUser('stranger')
  addToken('expired', 'admin', '2025-12-31T23:59:59Z')
  addToken('current', 'admin', '2999-01-01T00:00:00Z')
  addToken('unreadable', 'admin', 'next tuesday')
  addToken('orphan', 'missing')
  addToken('revoked', 'admin')
  gateway.cluster.drop(AccessToken, systemNamespace, 'revoked')
})
afterAll(() => gateway.close())

function addToken(name: string, userName: string, expirationTime?: string) {
  const sha256 = createHash('sha256').update(tokenOf(name)).digest('hex')
  const spec = { userName, sha256, ...(expirationTime === undefined ? {} : { expirationTime }) }
  gateway.cluster.put(AccessToken, newObject(AccessToken, { namespace: systemNamespace, name }, spec))
}

const protectedOperations = endpoints.filter(({ access }) => access !== 'public')
const examples: Record<string, string> = {
  org_id: 'acme',
  app_id: 'shop',
  env_id: 'development',
  env_type_id: 'development',
  set_id: '0'.repeat(64),
}

function operationOf({ method, path }: { method: string; path: string }): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => examples[name] ?? 'some-id')}`
}

describe.each(protectedOperations.map((each) => [operationOf(each)] as const))('%s', (operation) => {
  test.each([
    ['without the header', null, 401],
    ['with an unknown token', 'unknown', 403],
    ['with an expired token', 'expired', 403],
    ['with a token whose expiry cannot be read', 'unreadable', 403],
    ['with a revoked token', 'revoked', 403],
    ['with a token of a deleted user', 'orphan', 403],
  ])('%s', async (_, as, status) => {
    const response = await gateway.send(operation, { as })
    expect(response.status).toBe(status)
    expect(response.headers.get('www-authenticate') !== null).toBe(status === 401)
  })
})

describe('an organization that the caller is no member of', () => {
  const operations = protectedOperations.filter(({ path }) => path.includes('{org_id}')).map(operationOf)
  test.each(operations)('%s get the answer for a missing object', async (operation) => {
    const own = await gateway.send(operation, {
      as: 'stranger',
      body: operation.startsWith('P') ? {} : undefined,
    })
    const none = await gateway.send(operation.replace('acme', 'nowhere'), { as: 'stranger' })
    expect(own.status).toBe(403)
    expect(none.status).toBe(403)
    expect(own.body).toEqual(none.body)
  })

  test('a service user belongs to one organization, even with a membership in another', async () => {
    expect((await gateway.send('GET /orgs/acme', { as: 'robot' })).status).toBe(200)
    expect((await gateway.send('GET /orgs/globex', { as: 'robot' })).status).toBe(403)
    const { body } = await gateway.send('GET /orgs', { as: 'robot' })
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['acme'])
  })
})

describe('the header Authorization', () => {
  const good = tokenOf('admin')
  test.each([
    ['Bearer and the token', `Bearer ${good}`, 200],
    ['a token that has not expired', `Bearer ${tokenOf('current')}`, 200],
    ['lower-case scheme', `bearer ${good}`, 200],
    ['upper-case scheme', `BEARER ${good}`, 200],
    ['two spaces', `Bearer  ${good}`, 200],
    ['a tab', `Bearer\t${good}`, 403],
    ['a scheme that ends like ours', `XBearer ${good}`, 403],
    ['another scheme', `Token ${good}`, 403],
    ['scheme of session tokens', `JWT ${good}`, 403],
    ['scheme of session tokens in lower case', `jwt ${good}`, 403],
    ['Basic', `Basic ${Buffer.from(`admin:${good}`).toString('base64')}`, 403],
    ['no scheme', good, 403],
    ['no token', 'Bearer', 403],
    ['two tokens', `Bearer ${good}, Bearer ${good}`, 403],
    ['something after the token', `Bearer ${good} x`, 403],
    ['one character less', `Bearer ${good.slice(0, -1)}`, 403],
    ['one character more', `Bearer ${good}x`, 403],
    ['other prefix', `Bearer xx_${good.slice(3)}`, 403],
    ['capitals in the id', `Bearer ${good.replace('admin', 'ADMIN')}`, 403],
    ['capitals in the secret', `Bearer ${good.toUpperCase().replace('QM_ADMIN', 'qm_admin')}`, 403],
    ['a path as id', 'Bearer qm_../admin_secret', 403],
    ['__proto__ as id', 'Bearer qm___proto___secret', 403],
    ['unsigned JWT', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.', 403],
    ['very long', `Bearer qm_admin_${'a'.repeat(8000)}`, 403],
  ])('%s', async (_, authorization, status) => {
    expect((await gateway.send('GET /orgs', { as: null, headers: { authorization } })).status).toBe(status)
  })

  const noScheme = /scheme .* 'Bearer' or 'JWT'/
  const noAccess = /the token does not grant access/
  test.each([
    ['another scheme', `Token ${good}`, noScheme],
    ['a scheme that ends like ours', `XBearer ${good}`, noScheme],
    ['a scheme that begins like ours', `Bearers ${good}`, noScheme],
    ['Basic', `Basic ${Buffer.from(`admin:${good}`).toString('base64')}`, noScheme],
    ['no scheme', good, noScheme],
    ['no token', 'Bearer', noAccess],
    ['an unknown token', 'bearer qm_nobody_secret', noAccess],
    ['a token with another secret', `Bearer ${good}x`, noAccess],
    ['a token in the scheme of sessions', `JWT ${good}`, noAccess],
  ])('with %s is answered with the problem alone', async (_, authorization, message) => {
    const { status, body } = await gateway.send('GET /orgs', { as: null, headers: { authorization } })
    expect([status, body.error, body.message]).toEqual([403, 'Forbidden', expect.stringMatching(message)])
    expect(JSON.stringify(body)).not.toContain('qm_')
  })

  test('twice is refused, in either order', async () => {
    const line = `Authorization: Bearer ${good}`
    const text = await raw(`GET /orgs HTTP/1.1\r\nHost: a\r\n${line}\r\n${line}\r\nConnection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1.1 403 /)
  })

  test('empty is refused, as it is not missing', async () => {
    const text = await raw('GET /orgs HTTP/1.1\r\nHost: a\r\nAuthorization:\r\nConnection: close\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1.1 403 /)
  })
})

test('a revoked token stops working at once', async () => {
  gateway.addUser('leaver')
  gateway.addMember('acme', 'leaver', { role: 'member' })
  expect((await gateway.send('GET /orgs/acme', { as: 'leaver' })).status).toBe(200)
  gateway.cluster.drop(AccessToken, systemNamespace, 'leaver')
  expect((await gateway.send('GET /orgs/acme', { as: 'leaver' })).status).toBe(403)
})

test.each<[what: string, kind: Kind, namespace: string]>([
  ['token', AccessToken, systemNamespace],
  ['user', User, systemNamespace],
  ['membership', Membership, 'acme'],
])('a %s that is being deleted grants nothing any more', async (what, kind, namespace) => {
  const name = `going-${what}`
  gateway.addUser(name)
  gateway.addMember('acme', name, { role: 'member' })
  expect((await gateway.send('GET /orgs/acme', { as: name })).status).toBe(200)
  const object = gateway.cluster.store.get<Kind>(kind, namespace, name)
  if (!object) throw new Error(`no ${what}`)
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] }
  gateway.cluster.put<Kind>(kind, { ...object, metadata: { ...object.metadata, ...going } })
  expect((await gateway.send('GET /orgs/acme', { as: name })).status).toBe(403)
})

test('a membership in a namespace that is no organization grants nothing', async () => {
  gateway.addMember('former', 'admin', { role: 'administrator' })
  expect((await gateway.send('GET /orgs/former/apps')).status).toBe(403)
  const { body } = await gateway.send('GET /orgs')
  expect(body.map(({ id }: { id: string }) => id)).toEqual(['acme', 'globex'])
})

test('public operations need no token', async () => {
  for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json']) {
    expect((await gateway.send(`GET ${path}`, { as: null })).status).toBe(200)
  }
})

test('every token is refused until the cache is complete', async () => {
  gateway.cluster.synced = false
  expect((await gateway.send('GET /readyz', { as: null })).status).toBe(503)
  expect((await gateway.send('GET /orgs')).status).toBe(500)
  gateway.cluster.synced = true
})

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(text))
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
  })
}
