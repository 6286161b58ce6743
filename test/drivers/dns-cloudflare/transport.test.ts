import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createZoneApi } from '../../../operator/drivers/dns-cloudflare/api.ts'
import { createRateLimiter } from '../../../operator/drivers/dns-cloudflare/rate-limiter.ts'
import { wildcardCertificate } from '../../support/certificates.ts'
import { type DnsWorld, startDnsWorld } from '../support/dns-world.ts'

const bomb = gzipSync(Buffer.alloc(128 * 1024 * 1024))
let world: DnsWorld
let server: Server | undefined
beforeAll(async () => {
  world = await startDnsWorld()
})
afterAll(() => world.close())
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A provider that answers everything in one way. */
async function provider(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/client/v4`
}

const record = { id: 'a', type: 'A', name: 'a.example.test' }

test.each<[rule: string, result: object, isBelieved: boolean]>([
  ['each record', { patches: [], posts: [record] }, true],
  ['a record too few', { patches: [], posts: [] }, false],
  ['a record too many', { patches: [], posts: [record, record] }, false],
  ['a change that was not asked for', { patches: [record], posts: [record] }, false],
])('the answer to a batch that shows %s', async (_, result, isBelieved) => {
  const baseUrl = await provider((_request, response) =>
    response.end(JSON.stringify({ success: true, result })),
  )
  const zone = createZoneApi('z', { token: 't', rateLimiter: createRateLimiter({ clock: () => 0 }), baseUrl })
  const post = {
    type: 'A',
    name: 'a.example.test',
    content: '192.0.2.1',
    ttl: 1,
    proxied: false,
    comment: '',
  } as const
  const written = zone.change([{ deletes: [], patches: [], posts: [post] }])
  if (isBelieved) expect(await written).toMatchObject([{ written: [record] }])
  else await expect(written).rejects.toMatchObject({ kind: 'unknown' })
})

test.each<[rule: string, answer: (response: ServerResponse) => void, message: string]>([
  [
    'an answer that unpacks to more than the limit',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(bomb)
    },
    'longer than',
  ],
  [
    'success without records',
    (response) => response.end(JSON.stringify({ success: true, result: { id: 'a' } })),
    'cannot be read',
  ],
  [
    'records that are none',
    (response) => response.end(JSON.stringify({ success: true, result: [{ id: 7 }], result_info: {} })),
    'cannot be read',
  ],
  [
    'success without a result',
    (response) => response.end(JSON.stringify({ success: true, result: null })),
    'cannot be read',
  ],
  ['no JSON', (response) => response.end('<html>'), 'cannot be read'],
  ['nothing', (response) => response.end(), 'cannot be read'],
])('not believed: %s', async (_, answer, message) => {
  const baseUrl = await provider((_request, response) => answer(response))
  // Long enough to unpack an answer up to the limit on a busy machine.
  const driver = world.process({ baseUrl, timeoutMs: 60_000 })
  const call = driver.provision(world.numbered(1))
  await expect(call).rejects.toMatchObject({
    reason: 'ProviderUnavailable',
    message: expect.stringContaining(message),
  })
})

test('the message for a provider that cannot be reached says why', async () => {
  const baseUrl = await provider(() => {})
  server?.close()
  const call = world.process({ baseUrl }).provision(world.numbered(1))
  await expect(call).rejects.toMatchObject({ message: 'the provider cannot be reached: ECONNREFUSED' })
})

test('the message for a provider that does not answer says so', async () => {
  const baseUrl = await provider(() => {})
  const call = world.process({ baseUrl, timeoutMs: 50 }).provision(world.numbered(1))
  await expect(call).rejects.toMatchObject({ message: 'the provider cannot be reached in time' })
})

test.each([
  ['none', { success: true, errors: [] }],
  ['null', { success: true, errors: [], result: null }],
])('a removal does not take an answer for an empty zone: its result is %s', async (_, answer) => {
  const baseUrl = await provider((_request, response) => response.end(JSON.stringify(answer)))
  const call = world.process({ baseUrl }).deprovision(world.deprovisionOf(world.numbered(1)))
  await expect(call).rejects.toMatchObject({ reason: 'ProviderUnavailable' })
})

test('a record of another client whose name is in Unicode', async () => {
  const name = 'shop-dev-aaaaaaaa.münchen.test'
  const record = { id: '3'.repeat(32), type: 'A', name, content: '192.0.2.99', ttl: 1, proxied: false }
  const baseUrl = await provider((_, response) =>
    response.end(JSON.stringify({ success: true, result: [record], result_info: { total_pages: 1 } })),
  )
  const { crt, key } = await wildcardCertificate('xn--mnchen-3ya.test')
  const secrets = { tls: { 'tls.crt': crt, 'tls.key': key } }
  const request = world.request({ values: { domain: 'münchen.test' }, secrets })
  const call = world.process({ baseUrl }).provision(request)
  await expect(call).rejects.toMatchObject({ reason: 'Conflict' })
})

test('an error with a status of success', async () => {
  const errors = [{ code: 10000, message: 'Authentication error' }]
  const url = await provider((_, response) =>
    response.end(JSON.stringify({ success: false, errors, result: null })),
  )
  const call = world.process({ baseUrl: url }).provision(world.numbered(1))
  await expect(call).rejects.toMatchObject({ reason: 'NotAllowed' })
})

test('nothing of the environment reaches the provider', async () => {
  const headers: IncomingMessage['headers'][] = []
  const url = await provider((request, response) => {
    headers.push(request.headers)
    response.writeHead(500).end()
  })
  const names = {
    CLOUDFLARE_API_TOKEN: 'environment',
    CLOUDFLARE_API_KEY: 'environment',
    CLOUDFLARE_EMAIL: 'environment@test',
    CLOUDFLARE_API_USER_SERVICE_KEY: 'environment',
    CLOUDFLARE_BASE_URL: 'http://127.0.0.1:1',
    CLOUDFLARE_CUSTOM_HEADERS: 'X-Environment: environment\nAuthorization: environment',
  }
  Object.assign(process.env, names)
  try {
    await world
      .process({ baseUrl: url })
      .provision(world.numbered(1))
      .catch(() => {})
  } finally {
    for (const name of Object.keys(names)) delete process.env[name]
  }
  expect(headers).toHaveLength(1)
  expect(JSON.stringify(headers)).not.toContain('environment')
  expect(headers[0]?.authorization).toBe(`Bearer ${world.fake.token}`)
})
