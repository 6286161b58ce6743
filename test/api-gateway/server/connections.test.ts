import { once } from 'node:events'
import { Agent, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { closeServer, createHttpServer } from '../../../api-gateway/http-server.ts'
import { eventually } from '../../../dev/control-plane/kubernetes.ts'
import { tokenOf } from '../support/gateway.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { bodiesIn, raw } from '../support/raw-socket.ts'

const authorization = `Authorization: Bearer ${tokenOf('admin')}`
const livez = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
const lastLivez = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

let gateway: Awaited<ReturnType<typeof startGatewayProcess>>

beforeAll(async () => {
  gateway = await startGatewayProcess()
})
afterAll(() => gateway.close())

/** Sends requests one after the other, each of which is answered. */
async function areAnswered(url: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${tokenOf('admin')}` } })
    await answer.text()
    expect(answer.status).toBe(200)
  }
}

describe('slow clients', () => {
  const impatient = {
    headersTimeout: 300,
    requestTimeout: 600,
    keepAliveTimeout: 300,
    connectionsCheckingInterval: 50,
    idleTimeout: 900,
  }
  let server: Server
  let port = 0

  beforeAll(async () => {
    server = createHttpServer((request, response) => {
      const { url = '' } = request
      request.resume()
      request.on('end', () => {
        const answer = () => response.end(url.endsWith('large') ? 'x'.repeat(50_000_000) : '{}')
        setTimeout(answer, url.startsWith('/late') ? 2 * impatient.idleTimeout : 0)
      })
      request.on('error', () => {})
    }, impatient)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port // a server over TCP
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test.each([
    ['header by header', 'GET / HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n'],
    ['byte by byte within one header', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: ', 'a'],
    ['the body byte by byte', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n', 'a'],
    [
      'the body chunk by chunk',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\na\r\n',
    ],
  ])('that send %s are disconnected, and others are served meanwhile', async (_, first, chunk) => {
    const slow = Promise.all(Array.from({ length: 50 }, () => raw(port, first, { chunk, everyMs: 20 })))
    await areAnswered(`http://127.0.0.1:${port}/`, 20)
    for (const { status, text } of await slow) {
      expect(status).toBe(400)
      expect(bodiesIn(text)).toEqual([{ error: 'Invalid', message: 'the request timed out' }])
    }
  })

  test('that send nothing are closed', async () => {
    expect((await raw(port, '')).status).toBe(400)
  })

  test('that stay after their answer are closed', async () => {
    expect((await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(200)
  })

  test('that wait for an answer get it, however late it is', async () => {
    expect((await raw(port, 'GET /late HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(200)
  })

  test.each(['/large', '/late-and-large'])('that do not read their answer are closed: %s', async (path) => {
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
    const before = await connections()
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    socket.on('error', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await eventually(
      'the end of the connection',
      30_000,
      async () => (await connections()) <= before || undefined,
    )
    socket.destroy()
  })
})

describe('many connections', () => {
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  test.each([
    ['are idle', ''],
    ['have been served and stay', livez],
    ['have sent half a request', 'GET /orgs HTTP/1.1\r\nHost: a\r\nX-A: '],
    [
      'wait with their body',
      `POST /orgs/acme/apps HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ],
  ])('that %s do not disturb a healthy client', async (_, text) => {
    for (let batch = 0; batch < 3; batch += 1) {
      const opened = Array.from({ length: 200 }, () => {
        const socket = connect(gateway.port, '127.0.0.1')
        socket.on('error', () => {})
        sockets.push(socket)
        return once(socket, 'connect').then(() => text !== '' && socket.write(text))
      })
      await Promise.all(opened)
    }
    await areAnswered(`${gateway.url}/orgs`, 50)
  })
})

describe('requests in one go', () => {
  test('are answered in their order', async () => {
    const { text } = await raw(
      gateway.port,
      `GET /orgs HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${lastLivez}`,
    )
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
  })

  test('a thousand are all answered', async () => {
    const { text } = await raw(gateway.port, livez.repeat(999) + lastLivez)
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(1000)
  })

  test('bytes after a body of unknown encoding are not read as a request', async () => {
    const { text } = await raw(
      gateway.port,
      `POST /orgs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${livez}`,
    )
    expect(text).not.toContain('HTTP/1.1 200')
  })

  test('bytes after a request that is not HTTP get no answer', async () => {
    const { text } = await raw(gateway.port, `BREW / HTTP/1.1\r\nHost: a\r\n\r\n${livez}`)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
  })
})

describe('bytes that are not HTTP are refused with JSON, or get no answer', () => {
  const chunked = `POST /orgs/acme/apps HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  test.each([
    ['a chunk whose size is no number', `${chunked}zz\r\na\r\n0\r\n\r\n`],
    ['a chunk of negative size', `${chunked}-1\r\na\r\n0\r\n\r\n`],
    ['a chunk of a size that nothing has', `${chunked}ffffffffffffffffff\r\na\r\n`],
    ['a chunk that is longer than it says', `${chunked}1\r\naaaa\r\n0\r\n\r\n`],
    ['an endless chunk extension', `${chunked}1;${'a'.repeat(100_000)}\r\na\r\n0\r\n\r\n`],
    [
      'chunked twice',
      'POST /orgs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a tab before chunked, with a length',
      'POST /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n',
    ],
    ['a length with a plus', 'POST /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello'],
    ['a length in hexadecimal', 'POST /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello'],
    ['a NUL in the request line', 'GET /orgs\0 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a NUL in a header', 'GET /orgs HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\n\r\n'],
    ['a header line of 64 KiB', `GET /orgs HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(65_536)}\r\n\r\n`],
    ['a path of 64 KiB', `GET /${'a'.repeat(65_536)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a lone line feed at the end of a header', 'GET /orgs HTTP/1.1\nHost: a\n\n'],
    ['a lone carriage return', 'GET /orgs HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n'],
    ['a blank in the path', 'GET /or gs HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['another version', 'GET /orgs HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['HTTP/2 without being asked', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['only bytes', Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])],
  ])('%s', async (_, bytes) => {
    const { text, status } = await raw(gateway.port, bytes)
    expect(status).toBe(400)
    expect(text).toMatch(/^content-type: application\/json\r$/im)
    expect(text).toMatch(/^connection: close\r$/im)
    expect(bodiesIn(text)).toEqual([{ error: 'Invalid', message: expect.any(String) }])
  })

  test('these refusals are not logged as errors', async () => {
    expect((await gateway.condition()).errors).toEqual([])
  })
})

test('a server that closes ends a kept connection as soon as its open request is answered', async () => {
  const answering = Promise.withResolvers<void>()
  const server = createHttpServer((_, response) => {
    void answering.promise.then(() => response.end('{}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of TCP
  const agent = new Agent({ keepAlive: true })
  const asking = request({ port, agent, host: '127.0.0.1' }, (answer) => answer.resume()).end()
  await once(server, 'request')
  const closing = closeServer(server)
  answering.resolve()
  await once(asking, 'close')
  await closing
  agent.destroy()
}, 20_000)

test('a server that closes still answers a request on a kept connection, and says that it is the last one', async () => {
  const server = createHttpServer((_, response) => response.end('{}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of TCP
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async () => {
    const asking = request({ port, agent, host: '127.0.0.1' }).end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    return [asking.reusedSocket, answer.statusCode, answer.headers.connection]
  }
  expect(await ask()).toEqual([false, 200, 'keep-alive'])
  const closing = closeServer(server)
  expect(await ask()).toEqual([true, 200, 'close'])
  await closing
  agent.destroy()
}, 20_000)

test.each(['before', 'after'])(
  'a server that closes %s an answer begins sends all of it to a slow client',
  async (when) => {
    const body = 'x'.repeat(20_000_000)
    const answering = Promise.withResolvers<void>()
    const server = createHttpServer((_, response) => {
      void answering.promise.then(() => response.setHeader('Content-Length', body.length).end(body))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1') // of TCP
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(server, 'request')
    if (when === 'after') {
      answering.resolve()
      await once(socket, 'readable')
    }
    const closing = closeServer(server)
    answering.resolve()
    await sleep(500)
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    await once(socket, 'close')
    await closing
    expect(received).toBeGreaterThan(body.length)
  },
  30_000,
)
