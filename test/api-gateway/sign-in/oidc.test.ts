import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { openApiDocument } from '../../../api-gateway/openapi/document.ts'
import { AccessToken, User } from '../../../operator/api/access.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { startGateway } from '../support/gateway.ts'
import { type SignIn, startSignIn } from '../support/sign-in.ts'

const hour = 3_600_000
const people = [
  { id: 'ada', email: 'Ada@Example.test' },
  { id: 'unverified', email: 'ada@example.test', isVerified: false },
  { id: 'kelvin', email: 'cl\u212Aark@example.test' },
  { id: 'unknown', email: 'unknown@example.test' },
  { id: 'nameless' },
  { id: 'robot', email: 'robot@example.test' },
  { id: 'twin', email: 'twin@example.test' },
  { id: 'leaving', email: 'leaving@example.test' },
]
let late = 0
let world: SignIn

beforeAll(async () => {
  world = await startSignIn({ people, now: () => Date.now() + late })
})
beforeEach(() => {
  late = 0
  populate(world)
})
afterEach(() => world.provider.behave())
afterAll(() => world.close())

function populate({ gateway }: SignIn): void {
  gateway.reset()
  gateway.addUser('ada', { email: 'ada@example.TEST' })
  gateway.addMember('acme', 'ada', { role: 'member' })
  gateway.cluster.drop(AccessToken, systemNamespace, 'ada')
  gateway.addUser('clark', { email: 'clkark@example.test' })
  gateway.addUser('robot', { type: 'service', organizationName: 'acme', email: 'robot@example.test' })
  gateway.addUser('one', { email: 'twin@example.test' })
  gateway.addUser('other', { email: 'TWIN@example.test' })
  gateway.addUser('leaving', { email: 'leaving@example.test' })
  const leaving = gateway.cluster.store.get(User, systemNamespace, 'leaving')
  if (!leaving) throw new Error('no user')
  const deletionTimestamp = new Date().toISOString()
  gateway.cluster.put(User, { ...leaving, metadata: { ...leaving.metadata, deletionTimestamp } })
}

async function statusOf(authorization: string, { gateway } = world): Promise<number> {
  return (await gateway.send('GET /orgs/acme', { as: null, headers: { authorization } })).status
}

async function sessionOf(person: string, at = world): Promise<string> {
  const visitor = at.visitor()
  const { status } = await visitor.signIn(person)
  expect(status).toBe(303)
  return visitor.cookie('token') ?? ''
}

describe('signing in with the identity provider', () => {
  test('leads there and back, and begins a session of eight hours in the cookie `token`', async () => {
    const { gateway } = world
    const visitor = world.visitor()
    const { url, response } = await visitor.follow(await visitor.reachCallback('ada'))
    expect([url.href, response.status]).toEqual([`${gateway.url}/auth/sign-in#signed-in`, 200])
    const token = visitor.cookie('token') ?? ''
    for (const scheme of ['Bearer', 'JWT']) expect(await statusOf(`${scheme} ${token}`)).toBe(200)
    const { body } = await gateway.send('GET /current-user', {
      as: null,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(body).toMatchObject({ id: 'ada', roles: { '/orgs/acme': 'member' } })
  })

  test('sets the cookie as POST /auth/session does, and takes the other one away', async () => {
    const { status, headers } = await world.visitor().signIn('ada')
    expect([status, headers.get('location')]).toEqual([303, `${world.gateway.url}/auth/sign-in#signed-in`])
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^token=ey[\w.-]+; Path=\/; Max-Age=28(800|799); HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^sign-in-[\w-]{16}=; Path=\/auth; Max-Age=0; HttpOnly; SameSite=Lax$/),
    ])
  })

  test('of two tabs at the same time ends in both, whichever is first', async () => {
    const visitor = world.visitor()
    const urls = [await visitor.reachCallback('ada')]
    visitor.leaveProvider()
    urls.push(await visitor.reachCallback('ada'))
    for (const url of urls.toReversed()) expect((await visitor.go(url)).status).toBe(303)
    expect(visitor.underWay()).toEqual([])
  })

  test('leaves no more than four others under way', async () => {
    const visitor = world.visitor()
    const urls: URL[] = []
    for (let tab = 0; tab < 7; tab += 1) {
      urls.push(await visitor.reachCallback('ada'))
      visitor.leaveProvider()
    }
    expect(visitor.underWay()).toHaveLength(4)
    const statuses: number[] = []
    for (const url of urls) statuses.push((await visitor.go(url)).status)
    expect(statuses).toEqual([403, 403, 403, 303, 303, 303, 303])
  })

  test('is recorded, and neither code nor token is in any log', async () => {
    const visitor = world.visitor()
    const url = await visitor.reachCallback('ada')
    await visitor.go(url)
    const record = world.gateway.logged.find(({ message }) => message === 'audit')
    expect(record?.fields).toMatchObject({
      user_id: 'ada',
      result: 'success',
      request_path: '/auth/oidc/callback',
    })
    const logged = JSON.stringify(world.gateway.logged)
    for (const secret of [url.searchParams.get('code'), visitor.cookie('token')])
      expect(logged).not.toContain(secret)
  })

  test('asks for PKCE with S256, a state and a nonce, which are others each time', async () => {
    const begin = async () => {
      const { status, headers } = await world.visitor().go(`${world.gateway.url}/auth/oidc`)
      expect(status).toBe(302)
      expect(headers.get('set-cookie')).toMatch(
        /^sign-in-[\w-]{16}=ey[\w.-]+; Path=\/auth; Max-Age=600; HttpOnly; SameSite=Lax$/,
      )
      return new URL(headers.get('location') ?? '').searchParams
    }
    const [one, other] = [await begin(), await begin()]
    expect(Object.fromEntries(one)).toMatchObject({
      response_type: 'code',
      client_id: 'quartermaster',
      scope: 'openid email',
      code_challenge_method: 'S256',
      redirect_uri: `${world.gateway.url}/auth/oidc/callback`,
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(one.get(name)).not.toBe(other.get(name))
  })

  test.each([
    ['an e-mail address that is not verified', 'unverified'],
    ['an unknown e-mail address', 'unknown'],
    ['an e-mail address that resembles a known one', 'kelvin'],
    ['no e-mail address', 'nameless'],
    ['the e-mail address of a service user', 'robot'],
    ['the e-mail address of two users', 'twin'],
    ['the e-mail address of a user who is being deleted', 'leaving'],
    ['an empty identity', ''],
  ])('refuses %s: 403, no session, and makes no user', async (_, person) => {
    const response = await world.visitor().signIn(person)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: 'Forbidden' })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(world.gateway.cluster.writes).toEqual([])
  })
})

test('an answer of the provider can have the documented length, percent-encoded', async () => {
  const path = '/auth/oidc/callback'
  const { parameters = [] } = openApiDocument(endpoints, 'test').paths[path]?.['get'] ?? {}
  const query = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, schema }) => `${name}=${'%2F'.repeat((schema as { maxLength: number }).maxLength)}`) // texts
  expect(query).toHaveLength(4)
  expect((await world.gateway.send(`GET ${path}?${query.join('&')}`, { as: null })).status).toBe(403)
})

describe('a session that the identity provider began', () => {
  test('ends after eight hours', async () => {
    const token = await sessionOf('ada')
    late = 8 * hour - 60_000
    expect(await statusOf(`Bearer ${token}`)).toBe(200)
    late = 8 * hour
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('ends when its user is deleted, also when another one gets the id', async () => {
    const token = await sessionOf('ada')
    world.gateway.cluster.drop(User, systemNamespace, 'ada')
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
    world.gateway.addUser('ada', { email: 'ada@example.test' })
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('ends when its user becomes a service', async () => {
    const token = await sessionOf('ada')
    const ada = world.gateway.cluster.store.get(User, systemNamespace, 'ada')
    if (!ada) throw new Error('no user')
    world.gateway.cluster.put(User, {
      ...ada,
      spec: { ...ada.spec, type: 'service', organizationName: 'acme' },
    })
    expect(await statusOf(`Bearer ${token}`)).toBe(403)
  })

  test('is no statement of a sign-in under way, nor the other way round', async () => {
    const visitor = world.visitor()
    const url = await visitor.reachCallback('ada')
    const [name = ''] = visitor.underWay()
    expect(await statusOf(`Bearer ${visitor.cookie(name)}`)).toBe(403)
    visitor.setCookie(name, await sessionOf('ada'))
    expect((await visitor.go(url)).status).toBe(403)
  })
})

describe.each([
  ['a provider that puts the e-mail address into its statement', { stated: 'all' as const }],
  [
    'a provider that states there the e-mail address, and elsewhere that it is verified',
    { stated: 'address' as const },
  ],
  ['a client without a secret', { isPublicClient: true }],
  ['the claim that is the id of a user', { claim: 'sub' }],
])('with %s', (_, options) => {
  let other: SignIn

  beforeAll(async () => {
    other = await startSignIn({ people, ...options })
    populate(other)
  })
  afterAll(() => other.close())

  test('people sign in', async () => {
    expect(await statusOf(`Bearer ${await sessionOf('ada', other)}`, other)).toBe(200)
  })

  test('strangers and services do not', async () => {
    for (const person of ['unknown', 'robot', 'unverified'])
      expect((await other.visitor().signIn(person)).status).toBe(403)
  })
})

test('a provider is discovered again after an hour, and stays known while it does not answer then', async () => {
  const path = '/.well-known/openid-configuration'
  const asked = () => world.provider.calls().filter((each) => each.path === path).length
  await sessionOf('ada')
  const before = asked()
  late = hour + 1000
  world.provider.misbehave({ path, do: 'status' })
  await sessionOf('ada')
  await sessionOf('ada')
  // The first request was in vain; the answer to the second counts for another hour.
  expect(asked() - before).toBe(2)
  await sessionOf('ada')
  expect(asked() - before).toBe(2)
  // The clock is set back.
  late = -8 * 24 * hour
  await world.visitor().signIn('ada')
  expect(asked() - before).toBe(3)
})

describe('the address of the gateway', () => {
  const oidc = {
    issuer: 'https://login.example.test/realm',
    clientId: 'quartermaster',
    claim: 'email',
    scopes: 'openid email',
    publicUrl: 'https://gateway.example.test/base/',
  }

  test('is that of the setting: in the link of the page, which names the provider', async () => {
    const gateway = await startGateway({ settings: { oidc } })
    const { body } = await gateway.send('GET /auth/sign-in?error=<b>oh</b>&error_description=dear', {
      as: null,
    })
    expect(body).toContain(
      'href="https://gateway.example.test/base/auth/oidc">Sign in with login.example.test<',
    )
    expect(body).not.toMatch(/<b>oh|dear/)
    await gateway.close()
  })

  test('without the setting the link is absent, and both addresses are unknown', async () => {
    const gateway = await startGateway()
    for (const path of ['/auth/oidc', '/auth/oidc/callback?code=a&state=b']) {
      const { status, body } = await gateway.send(`GET ${path}`, { as: null })
      expect([status, body.error]).toEqual([404, 'NotFound'])
    }
    expect((await gateway.send('GET /auth/sign-in', { as: null })).body).not.toContain('Sign in with')
    await gateway.close()
  })
})
