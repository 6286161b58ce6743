import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endpoints } from '../../../api-gateway/endpoints/index.ts'
import { readConfig } from '../../../operator/config.ts'
import { startGateway, type TestGateway, type TestResponse } from '../support/gateway.ts'

// The tests themselves are the proxy.
const settings = { requestsPerSecond: 1, burst: 1, trustedProxies: ['127.0.0.0/8', '203.0.113.0/24'] }
let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({ settings, now: () => Date.UTC(2026, 0, 1) })
})
afterAll(() => gateway.close())

const unknown = (forwarded: string, operation = 'GET /orgs'): Promise<TestResponse> =>
  gateway.send(operation, { as: null, headers: { 'x-forwarded-for': forwarded } })

describe('behind a trusted proxy', () => {
  test.each([
    ['each caller has a separate limit', '192.0.2.1', '192.0.2.2', 401],
    ['a caller has one limit', '192.0.2.3', '192.0.2.3', 429],
    [
      'earlier addresses of the header do not give another limit',
      '198.51.100.1, 192.0.2.4',
      '192.0.2.4',
      429,
    ],
    ['a second trusted proxy is passed', '192.0.2.5, 203.0.113.9', '192.0.2.5', 429],
    ['a network of IPv6 has one limit', '2001:db8:1:2::3', '2001:db8:1:2::4', 429],
    ['an invalid address counts as the proxy', 'qm_secret', 'unknown', 429],
  ])('%s', async (_, first, second, expected) => {
    await unknown(first)
    expect((await unknown(second)).status).toBe(expected)
  })

  test.each([['GET /nothing'], ['POST /livez']])('%s counts for the caller', async (operation) => {
    const caller = `198.51.100.${operation.length}`
    await unknown(caller, operation)
    expect((await unknown(caller)).status).toBe(429)
  })
})

test('bodies that one address leaves unfinished do not block other clients', async () => {
  const open = await startGateway({ settings: { ...settings, burst: 10_000 } })
  const head = [
    'POST /auth/session HTTP/1.1',
    'Host: a',
    'X-Forwarded-For: 192.0.2.1',
    'Content-Type: application/json',
    'Content-Length: 8192',
  ]
  const sockets = Array.from({ length: 2200 }, () => connect(open.port, '127.0.0.1'))
  // A busy machine may lose an answer to the reset of its connection.
  const refused = Promise.any(sockets.map((socket) => once(socket, 'data')))
  for (const socket of sockets) socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(8191)}`)
  expect(String(await refused)).toMatch(/^HTTP\/1.1 429 /)
  const signIn = (address: string) =>
    open.send('POST /auth/session', {
      as: null,
      text: JSON.stringify({ token: 'qm_nobody' }).padEnd(8000),
      headers: { 'x-forwarded-for': address },
    })
  expect((await signIn('192.0.2.1')).status).toBe(429)
  expect((await signIn('192.0.2.2')).status).toBe(403)
  for (const socket of sockets) socket.destroy()
  await open.close()
})

describe('requests without a token', () => {
  const open = endpoints.filter(({ access }) => access === 'public')
  const operations = open.map((each) => [`${each.method.toUpperCase()} ${each.path}`, each] as const)
  test.each(operations)('%s counts for its address, unless it is a probe', async (operation, each) => {
    const caller = `203.0.114.${open.indexOf(each)}`
    await unknown(caller, operation)
    const isRefused = (await unknown(caller, operation)).status === 429
    expect(isRefused).toBe(!['/livez', '/readyz'].includes(each.path))
  })
})

test('the audit names the caller', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.7' }
  await gateway.send('DELETE /orgs/acme/resources/defs/none', { headers })
  const records = gateway.logged.map(({ fields }) => fields)
  expect(records).toContainEqual(expect.objectContaining({ source_address: '198.51.100.7' }))
})

describe('a client of IPv4, at an address of both families,', () => {
  const sourceOf = async (trustedProxies: readonly string[], headers: Record<string, string> = {}) => {
    const both = await startGateway({ settings: { ...settings, burst: 10, trustedProxies }, host: '::' })
    try {
      await both.send('DELETE /orgs/acme/resources/defs/none', { headers })
      const [{ source_address: address }] = both.logged.map(({ fields }) => fields) as [
        { source_address: string },
      ]
      return address
    } finally {
      await both.close()
    }
  }

  test('is in the audit in the form of IPv4', async () => {
    expect(await sourceOf([])).toBe('127.0.0.1')
  })

  test.each([
    ['is a trusted proxy of a range of IPv4', ['127.0.0.0/8'], '198.51.100.7', '198.51.100.7'],
    ['is a trusted proxy by its address', ['127.0.0.1'], '198.51.100.7', '198.51.100.7'],
    ['may report another one in the form of IPv6', ['127.0.0.0/8'], '::ffff:198.51.100.7', '198.51.100.7'],
    ['is no trusted proxy of another range', ['10.0.0.0/8'], '198.51.100.7', '127.0.0.1'],
  ])('%s', async (_, proxies, forwarded, expected) => {
    expect(await sourceOf(proxies, { 'x-forwarded-for': forwarded })).toBe(expected)
  })
})

test.each([
  ['10.0.0.0/8, 2001:db8::/32,192.0.2.1', ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']],
  ['', []],
])('the setting %j names proxies', (text, expected) => {
  expect(readConfig({ QUARTERMASTER_TRUSTED_PROXIES: text }).trustedProxies).toEqual(expected)
})

test.each(['proxy.example.test', '10.0.0.0/33', '0.0.0.0/0', '::/0', 'true', '*'])(
  'the setting %j is refused by name',
  (text) => {
    expect(() => readConfig({ QUARTERMASTER_TRUSTED_PROXIES: text })).toThrow(
      /QUARTERMASTER_TRUSTED_PROXIES.*not/,
    )
  },
)
