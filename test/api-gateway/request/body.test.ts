import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { oneOfThree } from '../../support/retry.ts'
import { tokenOf } from '../support/gateway.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { bodiesIn, raw } from '../support/raw-socket.ts'

const mebibyte = 1024 * 1024
const hundredMebibytes = 100 * mebibyte
const letters = Buffer.alloc(65_536, 'a')
const endless = Buffer.concat([Buffer.from('10000\r\n'), letters, Buffer.from('\r\n')])
const bomb = gzipSync(Buffer.alloc(hundredMebibytes, ' '))

let gateway: Awaited<ReturnType<typeof startGatewayProcess>>

beforeAll(async () => {
  gateway = await startGatewayProcess()
  await send(JSON.stringify({ id: 'warm', name: 'Warm' })) // objects that the first request creates are not counted
})
afterAll(() => gateway.close())

const head = (...headers: string[]) =>
  [
    'POST /orgs/acme/apps HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${tokenOf('admin')}`,
    'Content-Type: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n')

const send = (body: string | Uint8Array, ...headers: string[]) =>
  raw(
    gateway.port,
    Buffer.concat([
      Buffer.from(head(`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', ...headers)),
      Buffer.from(body),
    ]),
  )

const manyKeys = (count: number) =>
  `{"id":"many","name":"a",${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`
const deep = (depth: number) => `{"id":"deep","name":"a","x":${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}}`

describe('a body that is too much costs no memory', () => {
  test.each([
    [
      '100 MiB are refused before they are sent',
      400,
      () =>
        raw(gateway.port, head(`Content-Length: ${hundredMebibytes}`), {
          chunk: letters,
          most: hundredMebibytes,
        }),
    ],
    [
      'chunks without end are refused at the limit',
      400,
      () => raw(gateway.port, head('Transfer-Encoding: chunked'), { chunk: endless }),
    ],
    ['a million keys', 400, () => send(manyKeys(1_000_000))],
    ['as many keys as fit', 400, () => send(manyKeys(90_000))],
    ['100,000 levels of objects', 400, () => send(deep(100_000))],
    ['100,000 levels of lists', 400, () => send(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['a bomb of gzip', 422, () => send(bomb, 'Content-Encoding: gzip')],
    ['a bomb of deflate', 422, () => send(bomb, 'Content-Encoding: deflate')],
    ['compressed twice', 422, () => send(bomb, 'Content-Encoding: gzip, gzip')],
  ])('%s: %i', async (_, status, attempt) => {
    await attempt()
    await oneOfThree(async () => {
      const before = await gateway.condition()
      for (let round = 0; round < 3; round += 1) {
        const answer = await attempt()
        expect(answer.status).toBe(status)
        expect(bodiesIn(answer.text)).toEqual([{ error: expect.any(String), message: expect.any(String) }])
        expect(answer.sent).toBeLessThan(20 * mebibyte)
      }
      const after = await gateway.condition()
      expect((after.rss - before.rss) / mebibyte).toBeLessThan(20)
    })
  })

  test('a client that disconnects within a body is not logged as an error', async () => {
    for (const length of ['Content-Length: 100000', 'Transfer-Encoding: chunked']) {
      const socket = connect(gateway.port, '127.0.0.1', () => socket.write(`${head(length)}100\r\na`))
      await sleep(50)
      socket.destroy()
    }
    await sleep(50)
    expect((await gateway.condition()).errors).toEqual([])
  })
})

describe.each(['__proto__', 'constructor', 'prototype'])('the key %s is refused', (key) => {
  const evil = `{"${key}":{"polluted":true}}`
  const definition = (more: string) =>
    `{"id":"db","name":"a","type":"s3","driver_type":"quartermaster/echo",${more}}`
  const apps = '/orgs/acme/apps'
  test.each([
    ['a body', apps, `{"id":"evil","name":"a","${key}":{"polluted":true}}`],
    ['inputs', '/orgs/acme/resources/defs', definition(`"driver_inputs":{"values":${evil}}`)],
    ['secrets', '/orgs/acme/resources/defs', definition(`"driver_inputs":{"secrets":${evil}}`)],
    ['references', '/orgs/acme/resources/defs', definition(`"driver_inputs":{"secret_refs":${evil}}`)],
    ['criteria', '/orgs/acme/resources/defs', definition(`"criteria":[${evil}]`)],
    ['a co-provisioned resource', '/orgs/acme/resources/defs', definition(`"provision":${evil}`)],
    [
      'credentials',
      '/orgs/acme/resources/accounts',
      `{"id":"cloud","name":"a","type":"any","credentials":${evil}}`,
    ],
    [
      'a schema',
      '/orgs/acme/resources/types',
      `{"type":"acme/x","use":"direct","inputs_schema":{"properties":${evil}}}`,
    ],
    ['headers', `${apps}/shop/webhooks`, `{"id":"hook","url":"a.test","headers":${evil}}`],
    ['a payload', `${apps}/shop/webhooks`, `{"id":"hook","url":"a.test","payload":{"a":[${evil}]}}`],
    ['a delta', `${apps}/shop/deltas`, `{"modules":{"add":${evil}}}`],
    [
      'the path of a patch',
      `${apps}/shop/deltas`,
      `{"shared":[{"op":"add","path":"/${key}/polluted","value":true}]}`,
    ],
    [
      'the inner path of a patch',
      `${apps}/shop/deltas`,
      `{"modules":{"update":{"web":[{"op":"add","path":"/spec/${key}","value":1}]}}}`,
    ],
  ])('in %s', async (_, path, body) => {
    const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' }
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body })
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      400,
      expect.stringContaining(`'${key}'`),
    ])
  })
})
