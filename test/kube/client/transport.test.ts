import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from '@jest/globals'
import { NoAnswer } from '../../../operator/kube/client/api-error.ts'
import { createClient, type KubeClient } from '../../../operator/kube/client/client.ts'
import { ServerClock } from '../../../operator/kube/client/server-clock.ts'

const path = '/api/v1/namespaces/acme/configmaps'
const open: { client?: KubeClient; server?: Server } = {}

afterEach(async () => {
  await open.client?.close()
  open.server?.closeAllConnections()
  open.server?.close()
})

function connectionTo(origin: string) {
  return { origin, pathPrefix: '/k8s', credentials: async () => ({ headers: { a: 'b' }, tls: {} }) }
}

async function clientOf(listener: RequestListener, timeoutMs?: number, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  const server = createServer(listener).on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((listening) => {
    server.listen(0, host, listening)
  })
  const origin = `http://${host === '::1' ? '[::1]' : host}:${(server.address() as AddressInfo).port}` // of TCP
  const client = createClient(connectionTo(origin), timeoutMs === undefined ? {} : { timeoutMs })
  Object.assign(open, { client, server })
  return { client, sockets, origin }
}

async function linesOf(client: KubeClient, signal = new AbortController().signal): Promise<string[]> {
  const lines: string[] = []
  for await (const line of client.watch(path, { query: { watch: true }, signal })) lines.push(line)
  return lines
}

function writeByByte(response: ServerResponse, content: string): void {
  const bytes = Buffer.from(content)
  let at = 0
  const next = () => {
    if (at === bytes.length) response.end()
    else response.write(bytes.subarray(at, (at += 1)), () => setImmediate(next))
  }
  next()
}

const text = '{"name":"Größe ☃ 𝄞"}'

test('the clock of the API server follows the dates of answers and of watches', async () => {
  const dates = ['Thu, 01 Jan 2026 12:00:00 GMT', 'Thu, 01 Jan 2026 14:00:00 GMT']
  const { origin } = await clientOf((_, response) => {
    response.setHeader('date', dates.shift() ?? '')
    response.end('{}')
  })
  const serverClock = new ServerClock(() => 0)
  const client = createClient(connectionTo(origin), { serverClock })
  await client.request('GET', path)
  expect(new Date(serverClock.now()).getUTCHours()).toBe(12)
  await linesOf(client)
  expect(new Date(serverClock.now()).getUTCHours()).toBe(14)
  await client.close()
})

describe('a request', () => {
  test.each(['GET', 'POST', 'PATCH', 'DELETE'])(
    '%s keeps its connections, its body and its path',
    async (method) => {
      const seen: unknown[] = []
      const { client, sockets } = await clientOf((request, response) => {
        let body = ''
        request.setEncoding('utf8').on('data', (part: string) => {
          body += part
        })
        request.on('end', () => {
          seen.push([request.method, request.url, request.headers.a, body])
          response.end('{}')
        })
      })
      const body = method === 'GET' ? undefined : JSON.parse(text)
      for (let round = 0; round < 6; round += 1) await client.request(method, path, { body, query: { q: 1 } })
      const each = [method, `/k8s${path}?q=1`, 'b', body === undefined ? '' : text]
      expect(seen).toEqual(Array.from({ length: 6 }, () => each))
      // A connection is free again a turn of the event loop after its answer.
      expect(sockets.size).toBeLessThanOrEqual(2)
    },
  )

  test.each<[what: string, listener: RequestListener]>([
    ['is never answered', () => {}],
    ['is answered in part', (_, response) => response.write('{"a":')],
  ])('that %s fails when the server is silent for too long', async (_, listener) => {
    const { client } = await clientOf(listener, 50)
    await expect(client.request('GET', path)).rejects.toThrow(`was silent for 50 ms after GET /k8s${path}`)
  })

  test('that waits for a connection fails when the server is silent for too long', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const sockets: Socket[] = []
    silent.on('connection', (socket) => sockets.push(socket))
    const { port } = silent.address() as AddressInfo // of TCP
    const client = createClient(connectionTo(`https://127.0.0.1:${port}`), { timeoutMs: 50 })
    await expect(client.request('GET', path)).rejects.toThrow('was silent for 50 ms')
    await client.close()
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  test.each(['content-length', 'chunked'])(
    'fails when the connection breaks within a %s body',
    async (kind) => {
      const { client } = await clientOf((_, response) => {
        response.writeHead(200, kind === 'chunked' ? {} : { 'content-length': 100 }).write('{"a":')
        setImmediate(() => response.destroy())
      })
      await expect(client.request('GET', path)).rejects.toThrow('closed')
    },
  )

  test('whose connection breaks says which it was, without its query', async () => {
    const { client } = await clientOf((_, response) => response.destroy())
    const expected = `no answer of the API server to PATCH /k8s${path}: other side closed`
    await expect(client.request('PATCH', path, { body: {}, query: { q: 'x' } })).rejects.toThrow(expected)
  })

  test.each(['{"data":{"password":"c2VjcmV0', '<html>c2VjcmV0</html>', '{"a":1}c2VjcmV0'])(
    'that is answered with %s was not answered, and the error does not quote it',
    async (sent) => {
      const { client } = await clientOf((_, response) => response.end(sent))
      const error = await client.request('GET', path).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(NoAnswer)
      expect(String(error)).toContain(`the API server answered GET ${path} with what is not JSON`)
      expect(inspect(error)).not.toContain('c2Vj')
    },
  )

  test('that is refused in an answer which is cut was not answered: the reason is not known', async () => {
    const { client } = await clientOf((_, response) => {
      response.writeHead(403).end('{"kind":"Status","message":"pods \\"x\\" is forbidden: exceeded qu')
    })
    const refused = client.request('POST', path, { body: {} })
    await expect(refused).rejects.toThrow(NoAnswer)
  })

  test('that fails leaves the client usable', async () => {
    let count = 0
    const { client } = await clientOf((_, response) => {
      count += 1
      if (count % 2 === 1) response.destroy()
      else response.end('{"ok":true}')
    })
    for (let round = 0; round < 3; round += 1) {
      await expect(client.request('GET', path)).rejects.toThrow()
      expect(await client.request('GET', path)).toEqual({ ok: true })
    }
  })

  test('reaches an address of IPv6', async () => {
    const { client } = await clientOf((_, response) => response.end('{"six":true}'), undefined, '::1')
    expect(await client.request('GET', path)).toEqual({ six: true })
  })

  test.each([
    ['GET', undefined, {}],
    ['DELETE', undefined, {}],
    ['DELETE', {}, { 'content-type': 'application/json', 'content-length': '2' }],
    ['PATCH', { text: 'Größe' }, { 'content-type': 'a/b', 'content-length': '18' }],
  ])('%s with the body %j has these headers alone', async (method, body, ofBody) => {
    const { client, origin } = await clientOf((request, response) => {
      response.end(JSON.stringify(request.headers))
    })
    const contentType = method === 'PATCH' ? 'a/b' : undefined
    const { host } = new URL(origin)
    const headers = { host, a: 'b', accept: 'x/y', connection: 'keep-alive', ...ofBody }
    expect(await client.request(method, path, { body, contentType, accept: 'x/y' })).toEqual(headers)
  })

  test('reads a body wherever the server cuts it', async () => {
    const { client } = await clientOf((_, response) => writeByByte(response, text))
    expect(await client.request('GET', path)).toEqual(JSON.parse(text))
  })

  test('of a closed client is refused', async () => {
    const { client, sockets } = await clientOf((_, response) => response.end('{}'))
    await client.close()
    await expect(client.request('GET', path)).rejects.toThrow('closed')
    expect(sockets.size).toBe(0)
  })
})

describe('refused credentials', () => {
  /** The API server accepts `accepted` alone; the file has `given` first, then `accepted`. */
  async function rotating(given: string, accepted: string) {
    const seen: unknown[] = []
    const { origin } = await clientOf((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(request.headers.authorization === accepted ? 200 : 401).end('{"a":1}\n')
    })
    const of = (authorization: string) => ({ headers: { authorization }, tls: {} })
    const [first, second] = [of(given), of(accepted)]
    const credentials = async (refused?: unknown) => (refused === first ? second : first)
    const client = createClient({ origin, pathPrefix: '', credentials })
    return { client, seen, [Symbol.asyncDispose]: () => client.close() }
  }

  test('are replaced, and the request is repeated once', async () => {
    await using api = await rotating('old', 'new')
    expect(await api.client.request('POST', path, { body: {} })).toEqual({ a: 1 })
    expect(await linesOf(api.client)).toEqual(['', '{"a":1}'])
    expect(api.seen).toEqual(['old', 'new', 'old', 'new'])
  })

  test('that did not change are not tried again', async () => {
    let count = 0
    const { client } = await clientOf((_, response) => {
      count += 1
      response.writeHead(401).end('{}')
    })
    await expect(client.request('GET', path)).rejects.toMatchObject({ status: 401 })
    expect(count).toBe(1)
  })
})

describe('a watch', () => {
  test('yields an empty line for the answer, and the lines of the server, wherever it cuts them', async () => {
    const { client } = await clientOf((_, response) => writeByByte(response, `${text}\n\n${text}\n`))
    expect(await linesOf(client)).toEqual(['', text, '', text])
  })

  test('says that it is answered before the server has news, and ends its connection when it is left then', async () => {
    const { client, sockets } = await clientOf((_, response) => response.flushHeaders())
    for await (const line of client.watch(path, { query: {}, signal: new AbortController().signal })) {
      expect(line).toBe('')
      break
    }
    const [socket] = sockets
    if (!socket?.closed) await once(socket as Socket, 'close') // there is one
  })

  test('is never too silent once it is answered', async () => {
    const { client } = await clientOf((_, response) => {
      response.flushHeaders()
      setTimeout(() => response.end('late\n'), 1000)
    }, 500)
    expect(await linesOf(client)).toEqual(['', 'late'])
  })

  test.each([true, false])('that is aborted says so (answered: %s)', async (isAnswered) => {
    const aborting = new AbortController()
    const { client } = await clientOf((_, response) => {
      if (isAnswered) response.write('line\n')
      setTimeout(() => aborting.abort(), 20)
    })
    await expect(linesOf(client, aborting.signal)).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('that breaks fails', async () => {
    const { client } = await clientOf((_, response) => {
      response.write('line\n')
      setImmediate(() => response.destroy())
    })
    await expect(linesOf(client)).rejects.toThrow('closed')
  })

  test('that the server refuses fails with the answer', async () => {
    const { client } = await clientOf((_, response) => response.writeHead(410).end('{"reason":"Expired"}'))
    await expect(linesOf(client)).rejects.toMatchObject({ status: 410, reason: 'Expired' })
  })

  test('whose refusal never ends fails when the server is silent for too long', async () => {
    const { client } = await clientOf((_, response) => response.writeHead(410).write('{"reason":'), 50)
    await expect(linesOf(client)).rejects.toThrow('was silent for 50 ms')
  })

  test('that is read slowly makes the server wait, and loses no line', async () => {
    const line = 'x'.repeat(1000)
    const count = 40_000
    let written = 0
    const { client } = await clientOf((_, response) => {
      const next = () => {
        while (written < count) {
          written += 1
          if (!response.write(`${line}\n`)) return response.once('drain', next)
        }
        return response.end()
      }
      next()
    })
    const signal = new AbortController().signal
    let read = 0
    for await (const each of client.watch(path, { query: {}, signal })) {
      if (each === '') continue
      expect(each).toBe(line)
      read += 1
      if (read > 1) continue
      await sleep(300)
      expect(written).toBeLessThan(count / 2)
    }
    expect(read).toBe(count)
  })

  test('that is left ends its connection', async () => {
    const { client, sockets } = await clientOf((_, response) => response.write('line\n'))
    const signal = new AbortController().signal
    for await (const line of client.watch(path, { query: {}, signal })) {
      expect(['', 'line']).toContain(line)
      if (line !== '') break
    }
    const [socket] = sockets
    if (!socket?.closed) await once(socket as Socket, 'close') // there is one
    expect(sockets.size).toBe(1)
  })
})
