import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createRateLimit } from '../../../api-gateway/rate-limit.ts'
import { addressKey } from '../../../api-gateway/request/source-address.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

/** Sends raw bytes; answers head and body of the response when the connection ends. */
function raw(text: string): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(text))
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
      resolve({ head, body })
    })
  })
}

const authorization = `Authorization: Bearer ${tokenOf('admin')}`

describe('bytes that are not HTTP', () => {
  test.each([
    ['no request line', 'hello\r\n\r\n', 400],
    ['unknown method', 'BREW /orgs HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['broken header', 'GET /orgs HTTP/1.1\r\nHost a\r\n\r\n', 400],
    ['header name with a space', 'GET /orgs HTTP/1.1\r\nHost : a\r\n\r\n', 400],
    ['folded header', 'GET /orgs HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n', 400],
    ['header too large', `GET /orgs HTTP/1.1\r\nHost: a\r\nX-A: ${'b'.repeat(20_000)}\r\n\r\n`, 400],
    [
      'two lengths',
      'POST /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    [
      'length and chunks',
      'POST /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['negative length', 'POST /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    [
      'unknown expectation',
      'POST /orgs HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nConnection: close\r\n\r\n',
      400,
    ],
  ])('%s is refused with JSON', async (_, text, status) => {
    const { head, body } = await raw(text)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/^content-type: application\/json$/im)
    expect(JSON.parse(body)).toEqual({ error: expect.any(String), message: expect.any(String) })
  })

  test('a request without Host is refused', async () => {
    const { head } = await raw('GET /orgs HTTP/1.1\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 400 /)
    expect(head).not.toMatch(/^content-type:/im)
  })
})

test('the rest of a refused body is not taken for a request', async () => {
  const inner = `GET /orgs HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`
  const outer = `POST /orgs/acme/apps HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${inner.length + 10}\r\n\r\n${inner}`
  const { head, body } = await raw(outer)
  expect(head).toMatch(/^HTTP\/1.1 401 /)
  expect(JSON.parse(body).error).toBe('Unauthorized')
})

test('a body that is larger than it may be is not read to its end', async () => {
  const head = `POST /orgs/acme/apps HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\n`
  const chunk = `100000\r\n${'a'.repeat(0x100000)}\r\n`
  const { head: answer } = await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}1\r\na\r\n`)
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
})

test.each([
  ['a path that is not there', 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a method that is not allowed', 'PUT /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'],
])('the connection is kept after %s', async (_, request) => {
  const { head } = await raw(`${request}GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  expect(head).not.toMatch(/^connection: close$/im)
})

test('HEAD answers like GET, without a body', async () => {
  const { head, body } = await raw(
    `HEAD /orgs HTTP/1.1\r\nHost: a\r\n${authorization}\r\nConnection: close\r\n\r\n`,
  )
  expect(head).toMatch(/^HTTP\/1.1 200 /)
  expect(body).toBe('')
})

describe('the rate limit', () => {
  test('a token has its burst, then its rate, and refusals have Retry-After', async () => {
    let time = Date.UTC(2026, 0, 1)
    const settings = { requestsPerSecond: 2, burst: 3 }
    const limited = await startGateway({ settings, now: () => time })
    limited.addUser('other')
    const statuses = async (n: number, as: string | null) => {
      const answers = []
      for (let i = 0; i < n; i += 1) answers.push(await limited.send('GET /orgs', { as }))
      return answers.map(({ status }) => status)
    }
    expect(await statuses(4, 'admin')).toEqual([200, 200, 200, 429])
    expect((await limited.send('GET /orgs')).headers.get('retry-after')).toBe('1')
    expect(await statuses(1, 'other')).toEqual([200])
    expect(await statuses(2, null)).toEqual([401, 401])
    expect(await statuses(2, 'unknown')).toEqual([403, 429])
    expect(await statuses(1, null)).toEqual([429])
    expect((await limited.send('GET /livez', { as: null })).status).toBe(200)
    time += 1000
    expect(await statuses(3, 'admin')).toEqual([200, 200, 429])
    await limited.close()
  })

  test('another X-Forwarded-For gives no other bucket', async () => {
    const limited = await startGateway({ settings: { requestsPerSecond: 1, burst: 1 }, now: () => 0 })
    await limited.send('GET /orgs', { as: null })
    const response = await limited.send('GET /orgs', {
      as: null,
      headers: { 'x-forwarded-for': '192.0.2.1' },
    })
    expect(response.status).toBe(429)
    await limited.close()
  })

  test('a clock that is set back gives nothing and takes nothing', () => {
    let time = 10_000
    const limit = createRateLimit({ requestsPerSecond: 1, burst: 1 }, () => time)
    expect(limit.consume('a')).toBe(0)
    time = 0
    expect(limit.consume('a')).toBe(1)
    time = 1000
    expect(limit.consume('a')).toBe(0)
  })

  test.each([
    ['192.0.2.1', 'address:192.0.2.1'],
    ['::ffff:192.0.2.1', 'address:192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2'],
    ['2001:db8:1:2::9', 'address:2001:db8:1:2'],
    ['2001:db8::1', 'address:2001:db8:0:0'],
    ['::1', 'address:0:0:0:0'],
    ['fe80::1%eth0', 'address:fe80:0:0:0'],
    ['', 'address:unknown'],
  ])('%s shares the bucket %s', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })
})
