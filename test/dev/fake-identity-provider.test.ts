import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { type IdentityProvider, startIdentityProvider } from '../../dev/identity-provider/server.ts'

let provider: IdentityProvider

beforeAll(async () => {
  jest.spyOn(console, 'warn').mockImplementation(() => {}) // it keeps nothing, and says so
  provider = await startIdentityProvider({ client: { id: 'client', redirectUris: ['http://127.0.0.1:1/'] } })
})
afterAll(async () => {
  jest.restoreAllMocks()
  await provider.close()
})

async function control(method: string, path: string, body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${provider.issuer}${path}`, { method, ...sent })
  return { status: response.status, body: await response.json() }
}

describe('the control interface of the identity provider', () => {
  test('list the calls, without their queries, and forget them', async () => {
    await control('DELETE', '/__calls')
    await fetch(`${provider.issuer}/.well-known/openid-configuration?code=secret`)
    expect((await control('GET', '/__calls')).body).toEqual([
      { at: expect.any(String), method: 'GET', path: '/.well-known/openid-configuration' },
    ])
    await control('DELETE', '/__calls')
    expect((await control('GET', '/__calls')).body).toEqual([])
  })

  test('make it misbehave as often as the rule says', async () => {
    expect((await control('POST', '/__misbehave', { path: '/jwks', do: 'status', times: 2 })).status).toBe(
      200,
    )
    const statuses = []
    for (const _ of [1, 2, 3]) statuses.push((await fetch(`${provider.issuer}/jwks`)).status)
    expect(statuses).toEqual([503, 503, 200])
    expect((await control('GET', '/__misbehave')).body).toEqual([
      { path: '/jwks', do: 'status', times: 2, used: 2 },
    ])
    await control('DELETE', '/__misbehave')
    expect((await control('GET', '/__misbehave')).body).toEqual([])
  })

  test.each([
    ['without a path', { do: 'status' }],
    ['with an unknown deed', { path: '/jwks', do: 'sing' }],
    ['with times that are no number', { path: '/jwks', do: 'status', times: 'often' }],
  ])('refuse a rule %s', async (_, rule) => {
    expect((await control('POST', '/__misbehave', rule)).status).toBe(400)
  })

  test('know nothing else', async () => {
    expect((await control('GET', '/__secrets')).status).toBe(404)
  })
})
