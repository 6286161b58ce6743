import { hash } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { AccessToken, User } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { newSessionKey, startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

const start = Date.UTC(2026, 5, 1)
const hour = 3_600_000
let gateway: TestGateway
let now = start
let key: string | undefined
let reads = 0

beforeAll(async () => {
  gateway = await startGateway({
    now: () => now,
    async sessionKey() {
      reads += 1
      return key
    },
  })
})
beforeEach(() => {
  now += 24 * hour // the key in the cache is old
  key = newSessionKey()
  reads = 0
  gateway.reset()
  gateway.addUser('ana')
  gateway.addMember('acme', 'ana', { role: 'member' })
  gateway.addUser('robot', { type: 'service', organizationName: 'acme' })
  gateway.addMember('acme', 'robot', { role: 'member' })
})
afterAll(() => gateway.close())

const begin = (token = tokenOf('ana'), headers: Record<string, string> = {}) =>
  gateway.send('POST /auth/session', { as: null, body: { token }, headers })
async function session(): Promise<string> {
  return (await begin()).body.token
}
async function statusOf(authorization: string): Promise<number> {
  return (await gateway.send('GET /orgs/acme', { as: null, headers: { authorization } })).status
}
const decode = (token: string, part: number) =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())

describe('a session', () => {
  test('begins with an API token of a human, and says when it ends', async () => {
    const { status, body } = await begin()
    expect(status).toBe(200)
    expect(body).toEqual({ token: expect.any(String), expires_at: new Date(now + 8 * hour).toISOString() })
    expect(decode(body.token, 0)).toEqual({ alg: 'EdDSA', typ: 'JWT' })
    expect(decode(body.token, 1)).toMatchObject({ sub: 'ana', exp: (now + 8 * hour) / 1000 })
  })

  test.each(['Bearer', 'JWT', 'bearer', 'jwt', 'JWT '])(
    'is accepted as Authorization: %s',
    async (scheme) => {
      expect(await statusOf(`${scheme} ${await session()}`)).toBe(200)
    },
  )

  test('is the user: roles are those of the user', async () => {
    const headers = { authorization: `Bearer ${await session()}` }
    const { body } = await gateway.send('GET /current-user', { as: null, headers })
    expect(body).toMatchObject({ id: 'ana', roles: { '/orgs/acme': 'member' } })
    expect((await gateway.send('GET /orgs/acme/users', { as: null, headers })).status).toBe(403)
  })

  test.each([
    ['an unknown token', 'qm_nobody_secret', 403],
    ['a token of a service user', tokenOf('robot'), 403],
    ['a wrong secret', 'qm_ana_secret', 403],
    ['no token at all', '', 403],
  ])('does not begin with %s', async (_, token, status) => {
    const answer = await begin(token)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test('does not begin with another session', async () => {
    expect((await begin(await session())).status).toBe(403)
  })

  test('does not begin with a long body, which anyone could send: 400', async () => {
    const { status, body } = await begin('x'.repeat(9000))
    expect([status, body.message]).toEqual([400, 'the body is larger than 8192 bytes'])
  })

  test('does not begin with a form: 422', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await gateway.send('POST /auth/session', { as: null, text: 'token=x', headers })).status).toBe(
      422,
    )
  })
})

describe('a session is over', () => {
  test('after eight hours', async () => {
    const token = await session()
    now += 8 * hour - 1000
    expect(await statusOf(`Bearer ${token}`)).toBe(200)
    now += 1000
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('when its user is deleted, also when another one gets the id', async () => {
    const token = await session()
    gateway.cluster.drop(User, systemNamespace, 'ana')
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
    gateway.addUser('ana')
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('when the token that began it is revoked', async () => {
    const token = await session()
    gateway.cluster.drop(AccessToken, systemNamespace, 'ana')
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('when the token that began it is revoked, also when another one gets its name', async () => {
    const token = await session()
    const known = gateway.cluster.store.get(AccessToken, systemNamespace, 'ana')
    if (!known) throw new Error('no token')
    gateway.cluster.drop(AccessToken, systemNamespace, 'ana')
    const metadata = { namespace: systemNamespace, name: 'ana' }
    gateway.cluster.put(AccessToken, newObject(AccessToken, metadata, known.spec))
    expect(await statusOf(`Bearer ${tokenOf('ana')}`)).toBe(200)
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('when the value of the token that began it is replaced', async () => {
    const token = await session()
    const known = gateway.cluster.store.get(AccessToken, systemNamespace, 'ana')
    if (!known) throw new Error('no token')
    const sha256 = hash('sha256', 'qm_ana_another-secret')
    gateway.cluster.put(AccessToken, { ...known, spec: { ...known.spec, sha256 } })
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('when the token that began it expires', async () => {
    const known = gateway.cluster.store.get(AccessToken, systemNamespace, 'ana')
    if (!known) throw new Error('no token')
    const expirationTime = new Date(now + hour).toISOString()
    gateway.cluster.put(AccessToken, { ...known, spec: { ...known.spec, expirationTime } })
    const { body } = await begin()
    expect(body.expires_at).toBe(expirationTime)
    expect(await statusOf(`Bearer ${body.token}`)).toBe(200)
    now += hour
    expect(await statusOf(`Bearer ${body.token}`)).toBe(403)
  })

  test('within a minute after the key was changed', async () => {
    const token = await session()
    key = newSessionKey()
    now += 60_000
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
    expect(await statusOf(`Bearer ${await session()}`)).toBe(200)
  })
})

describe('the cookie', () => {
  test.each([
    ['gateway.example.com', true],
    ['gateway.example.com:8080', true],
    ['localhost.example.com', true],
    ['10.0.0.1', true],
    ['localhost', false],
    ['localhost:8080', false],
    ['127.0.0.1:8080', false],
    ['[::1]:8080', false],
  ])('of %s is secure: %s', async (host, isSecure) => {
    const cookie = await cookieAt(host)
    expect(cookie).toMatch(/^token=ey[\w.-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax(; Secure)?$/)
    expect(cookie.endsWith('; Secure')).toBe(isSecure)
  })

  test('is deleted by DELETE', async () => {
    const { status, headers } = await gateway.send('DELETE /auth/session', { as: null })
    expect(status).toBe(204)
    expect(headers.get('set-cookie')).toMatch(/^token=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax/)
  })

  describe('authenticates requests of our own pages only', () => {
    const own = { 'sec-fetch-site': 'same-origin' }
    test.each<[who: string, headers: Record<string, string>, status: number]>([
      ['a script of the same origin', own, 200],
      ['a script of another site', { 'sec-fetch-site': 'cross-site' }, 401],
      ['a script of a sibling domain', { 'sec-fetch-site': 'same-site' }, 401],
      ['an address that the user enters', { 'sec-fetch-site': 'none' }, 401],
      ['a client that is no browser', {}, 401],
      ['two statements of the origin', { 'sec-fetch-site': 'same-origin, same-origin' }, 401],
      ['a header beside the cookie, which counts alone', { ...own, authorization: 'Bearer x' }, 403],
    ])('%s', async (_, headers, status) => {
      const cookie = `token=${await session()}`
      const answer = await gateway.send('GET /orgs/acme', { as: null, headers: { ...headers, cookie } })
      expect(answer.status).toBe(status)
    })

    test.each<[cookies: string, cookieOf: (token: string) => string, status: number]>([
      ['with cookies of others beside it', (token) => `theme=dark; token=${token};mytoken=x; a`, 200],
      ['not with two of it, of which one may be foreign', (token) => `token=${token}; token=ey.a.b`, 401],
    ])('%s', async (_, cookieOf, status) => {
      const headers = { ...own, cookie: cookieOf(await session()) }
      expect((await gateway.send('GET /orgs/acme', { as: null, headers })).status).toBe(status)
    })

    test('and not with an API token in the cookie', async () => {
      const headers = { ...own, cookie: `token=${tokenOf('ana')}` }
      expect((await gateway.send('GET /orgs/acme', { as: null, headers })).status).toBe(401)
    })

    test('and answers 401 when the session has ended, so that the page asks for a new one', async () => {
      const headers = { ...own, cookie: `token=${await session()}` }
      now += 9 * 3600 * 1000
      const { status, body } = await gateway.send('GET /orgs/acme', { as: null, headers })
      expect([status, body.message]).toEqual([401, 'the session has ended'])
    })
  })

  test('is described to the portal: when the session expires, never the token', async () => {
    const token = await session()
    const { status, body } = await gateway.send('GET /auth/session', {
      as: null,
      headers: { cookie: `token=${token}` },
    })
    expect([status, body]).toEqual([200, { expires_at: expect.stringMatching(/Z$/) }])
  })

  test('is described to the portal as none once it has ended', async () => {
    const cookie = `token=${await session()}`
    gateway.cluster.drop(AccessToken, systemNamespace, 'ana')
    const { body } = await gateway.send('GET /auth/session', { as: null, headers: { cookie } })
    expect(body).toEqual({})
  })

  test.each(['', 'token=', 'token=ey.a.b', `token=${tokenOf('ana')}`])(
    'of the text %j is no session',
    async (cookie) => {
      const { status, body } = await gateway.send('GET /auth/session', { as: null, headers: { cookie } })
      expect([status, body]).toEqual([200, {}])
    },
  )
})

/** `fetch` sets the header Host itself. */
function cookieAt(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json' }
    const sent = request(`${gateway.url}/auth/session`, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.headers['set-cookie']?.[0] ?? '')
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ token: tokenOf('ana') }))
  })
}

describe('the key', () => {
  test('is not read for API tokens, and once for many sessions', async () => {
    await gateway.send('GET /orgs/acme')
    expect(reads).toBe(0)
    const token = await session()
    await Promise.all(Array.from({ length: 20 }, () => statusOf(`Bearer ${token}`)))
    expect(reads).toBe(1)
  })

  test.each([
    ['is missing', undefined],
    ['is invalid', 'no key'],
  ])(
    'that %s: no session begins, API tokens work, and it is found as soon as it is there',
    async (_, content) => {
      const good = key
      key = content
      expect((await begin()).status).toBe(500)
      expect(await statusOf('Bearer a.b.c')).toBe(403)
      expect(await statusOf(`Bearer ${tokenOf('ana')}`)).toBe(200)
      key = good
      now += 1000
      expect((await begin()).status).toBe(200)
    },
  )
})

test('beginning sessions counts against the limit of the address, sessions against that of their user', async () => {
  const limited = await startGateway({ settings: { requestsPerSecond: 1, burst: 3 }, now: () => now })
  limited.addUser('ana')
  const post = () => limited.send('POST /auth/session', { as: null, body: { token: tokenOf('ana') } })
  const tokens = [(await post()).body.token, (await post()).body.token, (await post()).body.token]
  expect((await post()).status).toBe(429)
  const statuses = []
  for (const token of [...tokens, tokens[0]]) {
    const headers = { authorization: `Bearer ${token}` }
    statuses.push((await limited.send('GET /orgs', { as: null, headers })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await limited.send('GET /orgs', { as: 'ana' })).status).toBe(429)
  await limited.close()
})
