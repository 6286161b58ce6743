import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { callDeeds } from '../../../dev/identity-provider/rules.ts'
import { type SignIn, startSignIn } from '../support/sign-in.ts'

const description = '/.well-known/openid-configuration'
const quick = callDeeds.filter((deed) => deed !== 'hang')
let worlds: SignIn[] = []

beforeAll(async () => {
  worlds = await Promise.all([startSignIn(), startSignIn()])
})
beforeEach(() => {
  for (const { gateway } of worlds) {
    gateway.reset()
    gateway.addUser('ada', { email: 'ada@example.test' })
  }
})
afterEach(() => {
  for (const { provider } of worlds) provider.behave()
})
afterAll(async () => {
  await Promise.all(worlds.map((each) => each.close()))
})

function world(): SignIn {
  const [first] = worlds
  if (!first) throw new Error('no world')
  return first
}

async function expectFault(response: Response, { gateway }: SignIn, secrets: readonly string[] = []) {
  expect(response.status).toBe(500)
  const body = await response.text()
  expect(JSON.parse(body)).toMatchObject({ error: 'Internal' })
  expect(response.headers.getSetCookie()).toEqual([])
  const logged = JSON.stringify(gateway.logged)
  expect(logged).toContain('identity provider')
  for (const secret of [...secrets, 'the secret: of/the client%', 'eyJ']) {
    expect(logged).not.toContain(secret)
    expect(body).not.toContain(secret)
  }
}

// Until the provider was understood once, each request asks it again.
describe('a provider that is out of order when a sign-in begins: 500, and it is asked again next time', () => {
  test.each(quick)('%s', async (deed) => {
    const { gateway, provider, visitor } = world()
    provider.misbehave({ path: description, do: deed })
    await expectFault(await visitor().go(`${gateway.url}/auth/oidc`), world())
  })

  test('then people sign in, and it is asked no more', async () => {
    const { provider, visitor } = world()
    const asked = () => provider.calls().filter(({ path }) => path === description).length
    const before = asked()
    for (const _ of [1, 2]) expect((await visitor().signIn('ada')).status).toBe(303)
    expect(asked()).toBe(before + 1)
  })
})

describe('a provider that is out of order on the way back: 500, no session', () => {
  test.each(['/token', '/me'].flatMap((path) => quick.map((deed) => [path, deed] as const)))(
    '%s: %s',
    async (path, deed) => {
      const { provider, visitor } = world()
      const person = visitor()
      const url = await person.reachCallback('ada')
      provider.misbehave({ path, do: deed })
      await expectFault(await person.go(url), world(), [url.searchParams.get('code') ?? ''])
    },
  )
})

test('a provider that hangs is given up', async () => {
  const [begun, fresh] = worlds
  if (!begun || !fresh) throw new Error('no worlds')
  const person = begun.visitor()
  const url = await person.reachCallback('ada')
  begun.provider.misbehave({ path: '/token', do: 'hang' })
  fresh.provider.misbehave({ path: description, do: 'hang' })
  const [back, there] = await Promise.all([
    person.go(url),
    fresh.visitor().go(`${fresh.gateway.url}/auth/oidc`),
  ])
  await expectFault(back, begun)
  await expectFault(there, fresh)
})

test.each(['status', 'empty', 'flood'] as const)(
  'a provider whose keys cannot be read: 500, no session: %s',
  async (deed) => {
    const other = await startSignIn()
    other.gateway.addUser('ada', { email: 'ada@example.test' })
    other.provider.misbehave({ path: '/jwks', do: deed })
    await expectFault(await other.visitor().signIn('ada'), other)
    expect((await other.visitor().signIn('ada')).status).toBe(303)
    await other.close()
  },
)

test('a provider that is down: 500', async () => {
  const other = await startSignIn()
  await other.provider.close()
  await expectFault(await other.visitor().go(`${other.gateway.url}/auth/oidc`), other)
  await other.gateway.close()
})
