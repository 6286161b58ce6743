import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createByteBudget } from '../../../api-gateway/request/byte-budget.ts'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { tokenOf } from '../support/gateway.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { bodiesIn, raw } from '../support/raw-socket.ts'

const mebibyte = 1024 * 1024
const livez = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'
const twoHosts = 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'
const expectation = 'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n'

let gateway: Awaited<ReturnType<typeof startGatewayProcess>>
const sockets: Socket[] = []

beforeAll(async () => {
  gateway = await startGatewayProcess()
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(() => gateway.close())

async function open(): Promise<Socket> {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const status = async () => (await fetch(`${gateway.url}/livez`)).status

test.each([
  ['a tunnel', tunnel],
  ['a request with two hosts', twoHosts],
  ['an expectation', expectation],
  ['bytes that are not HTTP', 'hello\r\n\r\n'],
])('%s whose connection is reset at once does not end the process', async (_, text) => {
  for (let round = 0; round < 100; round += 1) {
    const socket = await open()
    socket.write(text)
    if (round % 2 === 1) await sleep(round % 5)
    socket.resetAndDestroy()
  }
  await sleep(100)
  expect(await status()).toBe(200)
})

describe('a connection that was refused', () => {
  test.each([
    ['as a tunnel', tunnel, 405],
    ['for its two hosts', twoHosts, 400],
    ['for its expectation', expectation, 400],
  ])('%s is answered, and ends although the client keeps it', async (_, text, expected) => {
    const all = await Promise.all(Array.from({ length: 20 }, open))
    const texts = await Promise.all(
      all.map(async (socket) => {
        const chunks: Buffer[] = []
        socket.on('data', (chunk: Buffer) => chunks.push(chunk))
        socket.write(text)
        await once(socket, 'end')
        return Buffer.concat(chunks).toString()
      }),
    )
    for (const each of texts) expect(each).toMatch(new RegExp(`^HTTP/1.1 ${expected} `))
    await sleep(1000)
    // The peer has closed the connection fully, not only its sending side.
    const areGone = await Promise.all(all.map(isGone))
    expect(areGone).toEqual(all.map(() => true))
  })

  test.each([twoHosts, expectation, tunnel])('takes nothing more in: %j', async (first) => {
    await pour(first)
    const before = await gateway.condition()
    const taken = await pour(first)
    expect(taken / mebibyte).toBeLessThan(20)
    // The limit is the usual garbage of a moment; a leak per request would be gigabytes.
    expect(((await gateway.condition()).rss - before.rss) / mebibyte).toBeLessThan(60)
  })
})

/** Sends requests behind the first one while they are accepted, at most ten seconds; returns the bytes sent. */
async function pour(first: string): Promise<number> {
  const socket = await open()
  socket.resume()
  socket.write(first)
  const chunk = livez.repeat(1000)
  const end = performance.now() + 10_000
  while (!socket.destroyed && performance.now() < end) {
    if (socket.write(chunk)) await sleep(0)
    else await Promise.race([once(socket, 'drain'), once(socket, 'close'), sleep(2000)]).catch(() => {})
  }
  return socket.bytesWritten - socket.writableLength
}

/** Whether writing fails: the first one only makes the other side say so. */
async function isGone(socket: Socket): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => {
    socket.once('close', () => resolve(true))
  })
  socket.write('x')
  await sleep(100)
  socket.write('y')
  return Promise.race([closed, sleep(20_000, false)])
}

test.each([
  ['GET http://[ HTTP/1.1', 400],
  ['GET http:// HTTP/1.1', 400],
  ['POST http://: HTTP/1.1', 400],
  ['GET http://a/livez HTTP/1.1', 200],
  ['OPTIONS * HTTP/1.1', 404],
  ['GET //[ HTTP/1.1', 404],
])('%s is answered in JSON: %i', async (line, expected) => {
  const answer = await raw(gateway.port, `${line}\r\nHost: a\r\nConnection: close\r\n\r\n`)
  expect(answer.status).toBe(expected)
  expect(answer.text).toMatch(/^content-type: application\/json$/im)
  expect(answer.text).toMatch(/^x-content-type-options: nosniff$/im)
  expect(bodiesIn(answer.text)).toHaveLength(1)
})

describe('bodies that never end', () => {
  const head = (path: string, length: number, token?: string) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: a',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      'Connection: close',
      '\r\n',
    ].join('\r\n')

  test('of those who need no token are short', async () => {
    for (const size of [8193, mebibyte]) {
      const answer = await raw(gateway.port, head('/auth/session', size))
      expect([size, answer.status]).toEqual([size, 400])
    }
  })

  test('of one user are at most so many bytes at the same time, and others are served', async () => {
    const size = mebibyte - 1
    const text = `${head('/orgs/acme/apps', size, tokenOf('admin'))}{"name":"${'x'.repeat(size - 20)}`
    const first: string[] = []
    for (let round = 0; round < 24; round += 1) {
      const socket = await open()
      socket.once('data', (chunk: Buffer) => first.push(chunk.toString().slice(0, 12)))
      socket.write(text)
    }
    await eventually('refusals', 30_000, async () => first.length >= 7 || undefined)
    await sleep(500)
    expect(new Set(first)).toEqual(new Set(['HTTP/1.1 429']))
    expect(await status()).toBe(200)
  })

  test('count until they are released', () => {
    const budget = createByteBudget({ limit: 100, total: 1000 })
    budget.reserve('ana', 60)
    budget.reserve('ben', 100)
    expect(() => budget.reserve('ana', 41)).toThrow('rate limit')
    budget.reserve('ana', 40)
    budget.release('ana', 60)
    budget.reserve('ana', 60)
    expect(() => budget.reserve('ana', 1)).toThrow('rate limit')
  })

  test('of all are limited too, and then only those of who has more than a share are refused', () => {
    const budget = createByteBudget({ limit: 100, total: 120 })
    budget.reserve('ana', 100)
    budget.reserve('ben', 20)
    expect(() => budget.reserve('cid', 24)).toThrow('rate limit')
    budget.reserve('cid', 23)
    expect(() => budget.reserve('cid', 1)).toThrow('rate limit')
    budget.release('ana', 100)
    budget.reserve('cid', 60)
    expect(() => budget.reserve('ana', 41)).toThrow('rate limit')
  })

  test('of addresses take no room from users', () => {
    const budget = createByteBudget({ limit: 100, total: 120 })
    for (let i = 0; i < 100; i += 1) {
      try {
        budget.reserve(`address:${i}`, 20)
      } catch {
        // It is refused.
      }
    }
    expect(() => budget.reserve('address:new', 20)).toThrow('rate limit')
    budget.reserve('user:ana', 60)
    budget.reserve('user:ben', 60)
  })

  test.each([
    [100, 200],
    [100, 300],
  ])(
    'of all are at most two and a half times the limit of all, with many callers: %d of %d',
    (limit, total) => {
      const budget = createByteBudget({ limit, total })
      let all = 0
      const isServed = (caller: string, bytes: number) => {
        try {
          budget.reserve(caller, bytes)
          all += bytes
          return true
        } catch {
          return false
        }
      }
      for (const caller of Array.from({ length: 1000 }, (_, i) => String(i)))
        for (let bytes = limit; bytes > total / 1e6; bytes /= 1.1) if (isServed(caller, bytes)) break
      expect(all).toBeGreaterThan(total)
      expect(all).toBeLessThanOrEqual(2.5 * total)
    },
  )

  test('may exceed the limit once, or when they are forced; then nothing is available', () => {
    const budget = createByteBudget({ limit: 100, total: 1000 })
    budget.reserve('ana', 101)
    expect(() => budget.ensureAvailable('ana')).toThrow('rate limit')
    budget.release('ana', 101)
    budget.ensureAvailable('ana')
    budget.reserve('ana', 60)
    budget.reserve('ana', 60, { force: true })
    expect(() => budget.ensureAvailable('ana')).toThrow('rate limit')
    budget.ensureAvailable('ben')
    budget.release('ana', 60)
    budget.ensureAvailable('ana')
  })
})
