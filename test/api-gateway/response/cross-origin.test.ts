import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readConfig } from '../../../operator/config.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

const portal = 'https://portal.example.test'
let open: TestGateway
let closed: TestGateway

beforeAll(async () => {
  ;[open, closed] = await Promise.all([
    startGateway({ settings: { allowedOrigins: [portal] } }),
    startGateway(),
  ])
})
afterAll(() => Promise.all([open.close(), closed.close()]))

const allowed = (headers: Headers) => headers.get('access-control-allow-origin')

/** The preflight request of a browser for a request with a token. */
function preflight({ url }: TestGateway, origin: string) {
  return fetch(`${url}/orgs/acme/resources/accounts`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,humanitec-user-agent',
    },
  })
}

function read({ url }: TestGateway, origin: string) {
  return fetch(`${url}/orgs`, { headers: { origin, authorization: `Bearer ${tokenOf('admin')}` } })
}

describe('a page of an allowed origin', () => {
  test('may send requests with a token and a body', async () => {
    const { status, headers } = await preflight(open, portal)
    expect([status, allowed(headers)]).toEqual([204, portal])
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    for (const name of ['authorization', 'content-type', 'humanitec-user-agent'])
      expect(headers.get('access-control-allow-headers')?.toLowerCase().split(',')).toContain(name)
  })

  test('reads answers and refusals, but sends no cookie', async () => {
    const { status, headers } = await read(open, portal)
    expect([status, allowed(headers), headers.get('vary')]).toEqual([200, portal, 'Origin'])
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('access-control-expose-headers')).toContain('Link')
    const refused = await fetch(`${open.url}/orgs`, { headers: { origin: portal } })
    expect([refused.status, allowed(refused.headers)]).toEqual([401, portal])
  })
})

test.each(['https://elsewhere.example.test', 'http://portal.example.test', `${portal}.evil.test`, 'null'])(
  'a page of %s reads nothing',
  async (origin) => {
    expect(allowed((await preflight(open, origin)).headers)).toBeNull()
    expect(allowed((await read(open, origin)).headers)).toBeNull()
  },
)

test('without the setting no page of another origin reads anything', async () => {
  const { status, headers } = await preflight(closed, portal)
  expect([status, allowed(headers)]).toEqual([405, null])
  expect(allowed((await read(closed, portal)).headers)).toBeNull()
})

test.each([
  ['https://a.test,https://b.test:8443', ['https://a.test', 'https://b.test:8443']],
  ['', []],
])('the setting %j names origins', (text, expected) => {
  expect(readConfig({ QUARTERMASTER_ALLOWED_ORIGINS: text }).allowedOrigins).toEqual(expected)
})

test.each(['*', 'portal.example.test', 'https://a.test/', 'https://a.test/path', 'null'])(
  '%s is no origin, and the process ends',
  (text) => {
    expect(() => readConfig({ QUARTERMASTER_ALLOWED_ORIGINS: text })).toThrow('QUARTERMASTER_ALLOWED_ORIGINS')
  },
)
