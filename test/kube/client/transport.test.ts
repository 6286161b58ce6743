import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createClient, type KubeClient } from '../../../operator/kube/client/client.ts'

const path = '/api/v1/namespaces/acme/configmaps'
const open: { client?: KubeClient; server?: Server } = {}

afterEach(async () => {
  await open.client?.close()
  open.server?.closeAllConnections()
  open.server?.close()
})

async function clientOf(listener: RequestListener, timeoutMs?: number, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  const server = createServer(listener).on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((listening) => {
    server.listen(0, host, listening)
  })
  const origin = `http://${host === '::1' ? '[::1]' : host}:${(server.address() as AddressInfo).port}` // of TCP
  const connection = {
    origin,
    pathPrefix: '/k8s',
    credentials: async () => ({ headers: { a: 'b' }, tls: {} }),
  }
  const client = createClient(connection, timeoutMs === undefined ? {} : { timeoutMs })
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

describe('a request', () => {
  test.each(['GET', 'POST', 'PATCH', 'DELETE'])(
    '%s keeps its connection, its body and its path',
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
      for (let round = 0; round < 3; round += 1) await client.request(method, path, { body, query: { q: 1 } })
      const each = [method, `/k8s${path}?q=1`, 'b', body === undefined ? '' : text]
      expect(seen).toEqual([each, each, each])
      expect(sockets.size).toBe(1)
    },
  )

  test.each<[what: string, listener: RequestListener]>([
    ['is never answered', () => {}],
    ['is answered in part', (_, response) => response.write('{"a":')],
  ])('that %s fails when the server is silent for too long', async (_, listener) => {
    const { client } = await clientOf(listener, 50)
    await expect(client.request('GET', path)).rejects.toThrow('was silent for 50 ms')
  })

  test('fails when the connection breaks within the body', async () => {
    const { client } = await clientOf((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"a":')
      setImmediate(() => response.destroy())
    })
    await expect(client.request('GET', path)).rejects.toThrow('aborted')
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

describe('a watch', () => {
  test('yields the lines of the server, wherever it cuts them', async () => {
    const { client } = await clientOf((_, response) => writeByByte(response, `${text}\n\n${text}\n`))
    expect(await linesOf(client)).toEqual([text, '', text])
  })

  test('is never too silent once it is answered', async () => {
    const { client } = await clientOf((_, response) => {
      response.flushHeaders()
      setTimeout(() => response.end('late\n'), 200)
    }, 50)
    expect(await linesOf(client)).toEqual(['late'])
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
    await expect(linesOf(client)).rejects.toThrow('aborted')
  })

  test('that the server refuses fails with the answer', async () => {
    const { client } = await clientOf((_, response) => response.writeHead(410).end('{"reason":"Expired"}'))
    await expect(linesOf(client)).rejects.toMatchObject({ status: 410, reason: 'Expired' })
  })
})
