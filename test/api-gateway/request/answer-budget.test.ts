import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type Endpoint, endpoint } from '../../../api-gateway/endpoint.ts'
import { string } from '../../../operator/api/schema.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'
import { raw } from '../support/raw-socket.ts'

const mebibyte = 1024 * 1024
let written = 0

const common = { tag: 'Test', summary: 'Test.', responses: { 200: string('Much.') } }
/** An answer of this many MiB; made once, since JSON of this size takes a second. */
const answers = new Map(
  [0, 24, 100].map((size) => [
    size,
    { status: 200, text: { contentType: 'text/plain', content: Buffer.alloc(size * mebibyte, 'x') } },
  ]),
)
const answerOf = (size: number) => answers.get(size) ?? { status: 500 }
const sized = (size: number, path: string, more: Partial<Endpoint>) =>
  endpoint({
    method: 'get',
    path,
    access: 'authenticated',
    ...common,
    textType: 'text/plain',
    handle: () => answerOf(size),
    ...more,
  })
const endpoints = [
  sized(24, '/much', {}),
  sized(100, '/most', {}),
  sized(0, '/little', {}),
  sized(24, '/public', { access: 'public' }),
  sized(0, '/probe', { access: 'public', isUnlimited: true }),
  sized(0, '/much', {
    method: 'post',
    handle() {
      written += 1
      return answerOf(24)
    },
  }),
]

let gateway: TestGateway
const sockets: Socket[] = []

beforeAll(async () => {
  gateway = await startGateway({ endpoints })
  gateway.addUser('ana')
})
afterEach(async () => {
  written = 0
  await leave()
})
afterAll(() => gateway.close())

const requestOf = (operation: string, user?: string, ...more: string[]) =>
  [
    `${operation} HTTP/1.1`,
    'Host: a',
    ...(user === undefined ? [] : [`Authorization: Bearer ${tokenOf(user)}`]),
    ...more,
    '\r\n',
  ].join('\r\n')

/** Asks, and reads of the answer only its beginning. */
async function ask(operation: string, user?: string): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  socket.write(requestOf(operation, user))
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return chunk.toString('latin1')
}

async function statusesOf(operations: readonly string[], user?: string): Promise<number[]> {
  const statuses = []
  for (const each of operations) statuses.push(Number((await ask(each, user)).slice(9, 12)))
  return statuses
}

/** Ends all connections; the memory of their answers is free once the gateway notices. */
async function leave(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.resetAndDestroy()
  let status = 0
  do status = (await raw(gateway.port, requestOf('GET /much', 'ana', 'Connection: close'))).status
  while (status !== 200)
}

describe('answers that are not taken', () => {
  test.each<[rule: string, operations: string[], statuses: number[]]>([
    ['are kept up to a limit', ['GET /much', 'GET /much', 'GET /much'], [200, 200, 429]],
    [
      'leave room for answers that fit',
      ['GET /much', 'GET /much', 'GET /much', 'GET /little'],
      [200, 200, 429, 200],
    ],
    ['can have any size when they are the only one', ['GET /most', 'GET /little'], [200, 429]],
    ['are not in the way of probes', ['GET /most', 'GET /probe', 'GET /little'], [200, 200, 429]],
  ])('%s', async (_, operations, statuses) => {
    expect(await statusesOf(operations, 'ana')).toEqual(statuses)
  })

  test('have Retry-After', async () => {
    await statusesOf(['GET /most'], 'ana')
    expect(await ask('GET /little', 'ana')).toMatch(/^retry-after: 1\r$/im)
  })

  test('are counted for each user and each address', async () => {
    expect(await statusesOf(['GET /most', 'GET /little'], 'ana')).toEqual([200, 429])
    expect(await statusesOf(['GET /much'], 'admin')).toEqual([200])
    expect(await statusesOf(['GET /public', 'GET /public', 'GET /public'])).toEqual([200, 200, 429])
    expect(await statusesOf(['GET /much'], 'admin')).toEqual([200])
  })

  test('count no more once they are taken or given up', async () => {
    expect(await statusesOf(['GET /much', 'GET /much', 'GET /much'], 'ana')).toEqual([200, 200, 429])
    sockets[0]?.resume()
    sockets[1]?.destroy()
    for (let status = 429; status !== 200; ) [status = 0] = await statusesOf(['GET /much'], 'ana')
    for (let each = 0; each < 10; each += 1) expect((await gateway.send('GET /much')).status).toBe(200)
  })

  test('of writes are sent after the write, and a write beyond the limit is refused before it begins', async () => {
    const posts = Array.from({ length: 5 }, () => 'POST /much')
    expect(await statusesOf(posts, 'ana')).toEqual([200, 200, 200, 429, 429])
    expect(written).toBe(3)
  })

  test('at the same time are no more than that', async () => {
    const statuses = await Promise.all(Array.from({ length: 30 }, () => statusesOf(['GET /much'], 'ana')))
    expect(statuses.flat().filter((status) => status === 200)).toHaveLength(2)
  })
})
