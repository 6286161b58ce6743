import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { UnsecuredJWT } from 'jose'
import { tokenDeeds } from '../../../dev/identity-provider/rules.ts'
import { type SignIn, startSignIn, type Visitor } from '../support/sign-in.ts'

let late = 0
let world: SignIn

beforeAll(async () => {
  world = await startSignIn({ now: () => Date.now() + late })
})
beforeEach(() => {
  late = 0
  world.gateway.reset()
  world.gateway.addUser('ada', { email: 'ada@example.test' })
})
afterEach(() => world.provider.behave())
afterAll(() => world.close())

/** A browser on its way back after a person was chosen. */
async function onTheWay(): Promise<{ visitor: Visitor; url: URL }> {
  const visitor = world.visitor()
  return { visitor, url: await visitor.reachCallback('ada') }
}

async function expectRefused(response: Response, status = 403): Promise<void> {
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ error: expect.any(String), message: expect.any(String) })
  expect(response.headers.getSetCookie()).toEqual([])
}

function changed(url: URL, changes: Readonly<Record<string, string | undefined>>): URL {
  const copy = new URL(url)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) copy.searchParams.delete(name)
    else copy.searchParams.set(name, value)
  }
  return copy
}

test('made by this test, the way back is accepted when nothing is wrong with it', async () => {
  const { visitor, url } = await onTheWay()
  expect((await visitor.go(changed(url, {}))).status).toBe(303)
})

describe('the way back is refused', () => {
  test.each<[string, Readonly<Record<string, string | undefined>>]>([
    ['without the state', { state: undefined }],
    ['with an empty state', { state: '' }],
    ['with another state', { state: 'foreign' }],
    ['without a code', { code: undefined }],
    ['with another code', { code: 'foreign' }],
    ['from another provider', { iss: 'https://another.example.test' }],
    ['without the provider that is to be named', { iss: undefined }],
    ['with an error of the provider', { error: 'access_denied' }],
    ['with an invalid error', { error: '<script>alert(1)</script>' }],
  ])('%s', async (_, changes) => {
    const { visitor, url } = await onTheWay()
    const response = await visitor.go(changed(url, changes))
    expect(await response.clone().text()).not.toMatch(/access_denied|<script>|foreign|another\.example/)
    await expectRefused(response)
  })

  test('with the state twice: 400', async () => {
    const { visitor, url } = await onTheWay()
    await expectRefused(await visitor.go(`${url.href}&state=foreign`), 400)
  })

  test('in a browser that did not begin', async () => {
    const { url } = await onTheWay()
    await expectRefused(await world.visitor().go(url))
  })

  test('in a browser that began another', async () => {
    const { url } = await onTheWay()
    const { visitor } = await onTheWay()
    await expectRefused(await visitor.go(url))
  })

  test('after ten minutes', async () => {
    const { visitor, url } = await onTheWay()
    late = 600_000
    await expectRefused(await visitor.go(url))
  })

  test('with the code of another person, who signs in at the same time', async () => {
    const { visitor, url } = await onTheWay()
    const other = await onTheWay()
    await expectRefused(await visitor.go(changed(url, { code: other.url.searchParams.get('code') ?? '' })))
  })

  test('twice, also when the cookie was kept', async () => {
    const { visitor, url } = await onTheWay()
    const [name = ''] = visitor.underWay()
    const kept = visitor.cookie(name) ?? ''
    expect((await visitor.go(url)).status).toBe(303)
    await expectRefused(await visitor.go(url))
    visitor.setCookie(name, kept)
    await expectRefused(await visitor.go(url))
  })

  test('with the cookie of another sign-in of this browser', async () => {
    const { visitor, url } = await onTheWay()
    const [name = ''] = visitor.underWay()
    await visitor.reachCallback('ada')
    visitor.setCookie(name, visitor.cookie(visitor.underWay()[1] ?? '') ?? '')
    await expectRefused(await visitor.go(url))
  })

  test('with a cookie that is not ours', async () => {
    const { visitor, url } = await onTheWay()
    const state = url.searchParams.get('state') ?? ''
    const forged = new UnsecuredJWT({ state, nonce: 'nonce', verifier: 'v'.repeat(43) })
      .setIssuer('quartermaster')
      .setAudience('quartermaster-sign-in')
      .setIssuedAt()
      .setExpirationTime('5m')
      .encode()
    const [name = ''] = visitor.underWay()
    for (const value of [forged, 'a.b.c', '', state]) {
      visitor.setCookie(name, value)
      await expectRefused(await visitor.go(url))
    }
  })

  test('with the cookie twice, since one of them may belong to another person', async () => {
    const { visitor, url } = await onTheWay()
    const [name = ''] = visitor.underWay()
    visitor.setCookie(name, `${visitor.cookie(name)}; ${name}=another`)
    await expectRefused(await visitor.go(url))
  })

  test.each(tokenDeeds)('when something is wrong with the statement of the provider: %s', async (deed) => {
    const { visitor, url } = await onTheWay()
    world.provider.misbehave({ path: '/token', do: deed })
    await expectRefused(await visitor.go(url))
    expect((await world.visitor().signIn('ada')).status).toBe(303)
  })
})

describe('redirects lead to the gateway alone', () => {
  const elsewhere = 'https://evil.example.test/'

  test('by a parameter', async () => {
    const { gateway } = world
    const names = ['redirect_uri', 'return_to', 'next', 'target_link_uri', 'issuer']
    const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, elsewhere])))
    const begun = await world.visitor().go(`${gateway.url}/auth/oidc?${query.toString()}`)
    const location = new URL(begun.headers.get('location') ?? '')
    expect([begun.status, location.origin]).toEqual([302, world.provider.issuer])
    expect(location.href).not.toContain('evil')
    const { visitor, url } = await onTheWay()
    const { status, headers } = await visitor.go(`${url.href}&${query.toString()}`)
    expect([status, headers.get('location')]).toEqual([303, `${gateway.url}/auth/sign-in#signed-in`])
  })

  test('despite other values of the header Host and of proxy headers', async () => {
    const spoofed = await locationAt('/auth/oidc', {
      host: 'evil.example.test',
      forwarded: 'host=evil.example.test;proto=https',
      'x-forwarded-host': 'evil.example.test',
    })
    const { searchParams } = new URL(spoofed.location)
    expect(searchParams.get('redirect_uri')).toBe(`${world.gateway.url}/auth/oidc/callback`)
    expect(spoofed.location).not.toContain('evil')
    const { visitor, url } = await onTheWay()
    const back = await locationAt(`${url.pathname}${url.search}`, {
      host: 'evil.example.test',
      cookie: visitor
        .underWay()
        .map((name) => `${name}=${visitor.cookie(name)}`)
        .join('; '),
    })
    expect([back.status, back.location]).toEqual([303, `${world.gateway.url}/auth/sign-in#signed-in`])
  })

  /** `fetch` sets the header Host itself. */
  function locationAt(path: string, headers: Record<string, string>) {
    return new Promise<{ status: number; location: string }>((resolve, reject) => {
      const sent = request(`${world.gateway.url}${path}`, { headers }, (response) => {
        response.resume()
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '' })
      })
      sent.on('error', reject)
      sent.end()
    })
  }
})
