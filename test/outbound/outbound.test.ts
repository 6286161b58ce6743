import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../dev/control-plane/kubernetes.ts'
import { bodyOf, canary, closeAll, get, guard, listen, serve } from './support/servers.ts'

afterEach(closeAll)

const allowed = ['127.0.0.0/8']

describe('calls', () => {
  test('the request arrives as it was given, and the answer as it was sent', async () => {
    let arrived: object = {}
    const { port } = await serve((request, response) => {
      const { method, url, headers } = request
      void bodyOf(request).then((body) => {
        arrived = { method, url, own: headers['x-own'], encoding: headers['accept-encoding'], body }
        response.writeHead(418, { 'X-Twice': ['a', 'b'] }).end('short and stout')
      })
    })
    const answer = await guard({ allowed }).request({
      ...get(`http://127.0.0.1:${port}/a/b?c=d#e`),
      method: 'PUT',
      headers: { 'X-Own': 'ü', 'Content-Type': 'application/json' },
      body: '{"é":1}',
    })
    expect(arrived).toEqual({
      method: 'PUT',
      url: '/a/b?c=d',
      own: 'ü',
      encoding: 'identity',
      body: '{"é":1}',
    })
    expect(answer).toMatchObject({ status: 418, headers: { 'x-twice': 'a, b' }, text: 'short and stout' })
  })

  test('a connection is kept for the next call to the same server', async () => {
    const server = await serve((_, response) => response.end('x'))
    const outbound = guard({ allowed })
    for (let turn = 0; turn < 9; turn += 1) await outbound.request(get(`http://127.0.0.1:${server.port}/`))
    // A second one while the first is just being put back.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test.each([301, 302, 303, 307, 308])('a redirect is an answer: %d', async (status) => {
    const inside = await canary('127.0.0.3')
    const { port } = await serve((_, response) => {
      response.writeHead(status, { location: `http://127.0.0.3:${inside.port}/` }).end()
    })
    const answer = await guard({ allowed }).request(get(`http://127.0.0.1:${port}/`))
    expect(answer.status).toBe(status)
    expect(inside.connections()).toBe(0)
  })

  test('headers are handled before the body, even if it never arrives', async () => {
    const { port } = await serve((_, response) => {
      response.writeHead(200, { 'x-kept': 'yes' }).write('beginning')
    })
    const heard: unknown[] = []
    const call = guard({ allowed }).request(
      get(`http://127.0.0.1:${port}/`, {
        totalMs: 3000,
        onHeaders: async (status, headers) => {
          heard.push(status, headers['x-kept'])
        },
      }),
    )
    await expect(call).rejects.toMatchObject({ code: 'Timeout' })
    expect(heard).toEqual([200, 'yes'])
  })

  test('an error of the header callback ends the call unchanged, and its connection', async () => {
    let isClosed = false
    const { port } = await serve((_, response) => {
      response.on('close', () => {
        isClosed = true
      })
      response.write('beginning')
    })
    const failure = new RangeError('not kept')
    const onHeaders = async () => {
      throw failure
    }
    const outbound = guard({ allowed })
    await expect(outbound.request(get(`http://127.0.0.1:${port}/`, { onHeaders }))).rejects.toBe(failure)
    await eventually('the end of the connection', 10_000, async () => isClosed || undefined)
  })
})

describe('bounds', () => {
  test.each<[rule: string, code: string, answer: Parameters<typeof serve>[0], limits: object]>([
    [
      'a body that announces too much',
      'TooLarge',
      (_, response) => {
        response.writeHead(200, { 'content-length': 2 ** 30 }).write('x')
      },
      {},
    ],
    [
      'a body without end',
      'TooLarge',
      (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      },
      {},
    ],
    [
      'a gigabyte, drop by drop',
      'Timeout',
      (_, response) => {
        response.writeHead(200, { 'content-length': 1000 })
        const drip = setInterval(() => response.write('x'), 20)
        response.on('close', () => clearInterval(drip))
      },
      { totalMs: 400 },
    ],
    ['an answer that never begins', 'Timeout', () => {}, { totalMs: 200 }],
    [
      'headers without end',
      'Connection',
      (request) => {
        request.socket.write(`HTTP/1.1 200 OK\r\n${'x-more: y\r\n'.repeat(100_000)}`)
      },
      {},
    ],
    [
      'a compressed body, that may be a bomb',
      'Compressed',
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(10_000_000)))
      },
      {},
    ],
    [
      'something that is not HTTP',
      'Connection',
      (request) => {
        request.socket.end('SSH-2.0-OpenSSH_9.6\r\n')
      },
      {},
    ],
    [
      'a connection that breaks',
      'Connection',
      (request) => {
        request.socket.destroy()
      },
      {},
    ],
    [
      'a body that breaks off',
      'Connection',
      (_, response) => {
        response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy())
      },
      {},
    ],
  ])('no answer: %s', async (_, code, answer, limits) => {
    const { port } = await serve(answer)
    const call = guard({ allowed }).request(get(`http://127.0.0.1:${port}/`, limits))
    await expect(call).rejects.toMatchObject({ name: 'OutboundError', code })
  })

  test('as many bytes as allowed are read, and not one more', async () => {
    const { port } = await serve((request, response) => {
      response.write('x'.repeat(Number(request.url?.slice(1))))
      response.end()
    })
    const outbound = guard({ allowed })
    const answer = await outbound.request(get(`http://127.0.0.1:${port}/10`, { maxBytes: 10 }))
    expect(answer.text).toHaveLength(10)
    const more = outbound.request(get(`http://127.0.0.1:${port}/11`, { maxBytes: 10 }))
    await expect(more).rejects.toMatchObject({ code: 'TooLarge' })
  })

  test('nothing listens: no answer', async () => {
    const call = guard({ allowed }).request(get('http://127.0.0.1:1/'))
    await expect(call).rejects.toMatchObject({ code: 'Connection' })
  })

  test('a connection that is never made ends in time', async () => {
    const { port } = await listen(createServer(() => {}))
    const call = guard({ allowed, connectMs: 100 }).request(get(`https://127.0.0.1:${port}/`))
    await expect(call).rejects.toMatchObject({ code: 'Timeout' })
  })

  test('a call ends when its caller gives it up', async () => {
    const { port } = await serve(() => {})
    const signal = AbortSignal.timeout(100)
    const call = guard({ allowed }).request(get(`http://127.0.0.1:${port}/`, { signal }))
    await expect(call).rejects.toMatchObject({ code: 'Aborted' })
  })

  test('a closed guard makes no calls', async () => {
    const outbound = guard({ allowed })
    await outbound.close()
    await expect(outbound.request(get('http://127.0.0.1:1/'))).rejects.toMatchObject({ code: 'Closed' })
  })
})
