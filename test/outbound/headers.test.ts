import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { InvalidHeader } from '../../operator/outbound/errors.ts'
import { canary, closeAll, get, guard, listen } from './support/servers.ts'

afterEach(closeAll)

const allowed = ['127.0.0.0/8']

describe('headers', () => {
  const framing =
    'Host content-length TRANSFER-ENCODING Connection Keep-Alive Proxy-Connection TE Trailer Upgrade Expect accept-encoding'
  const malformed = ['', ' ', 'a b', 'a:', 'a\r\nb', 'a\nHost', 'é', 'a\0', ':authority', '"a"', 'a(']
  const names = [...framing.split(' '), ...malformed, 'x'.repeat(300)]
  const values: unknown[] = [
    'a\r\nHost: b',
    'a\nb',
    'a\rb',
    'a\0b',
    '\x7f',
    '\x1b[31m',
    '…',
    '日本',
    undefined,
    1,
  ]

  test.each<[headers: Record<string, string>]>([
    ...names.map((name): [Record<string, string>] => [{ [name]: 'value' }]),
    ...values.map((value): [Record<string, string>] => [{ 'x-own': value as string }]), // as a caller may slip
    [{ 'x-own': 'a', 'X-Own': 'b' }],
  ])('nothing is sent with %j', async (headers) => {
    const { port, connections } = await canary()
    const call = guard({ allowed }).request(get(`http://127.0.0.1:${port}/`, { headers }))
    await expect(call).rejects.toThrow(InvalidHeader)
    expect(connections()).toBe(0)
  })

  test('for all headers, one request arrives or none', async () => {
    let received = ''
    const { port } = await listen(
      createServer((socket) => {
        socket.on('data', (data) => {
          received += data.toString('latin1')
          if (data.includes('\r\n\r\n')) socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
        })
      }),
    )
    const outbound = guard({ allowed })
    const alphabet = ['a', 'B', '-', ' ', ':', '\r', '\n', '\t', '\0', 'é', '…', '"', ',', ';']
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const text = () => Array.from({ length: random(6) }, () => alphabet[random(alphabet.length)]).join('')
    let sent = 0
    for (let turn = 0; turn < 10_000; turn += 1) {
      received = ''
      const headers = { [text()]: text(), 'x-own': text() }
      const isSent = await outbound.request(get(`http://127.0.0.1:${port}/`, { headers })).then(
        () => true,
        (error: unknown) => !(error instanceof InvalidHeader),
      )
      sent += Number(isSent)
      expect(received.match(/ HTTP\/1\.1\r\n/g) ?? []).toHaveLength(Number(isSent))
      expect(received.match(/^host:/gim) ?? []).toHaveLength(Number(isSent))
    }
    expect(sent).toBeGreaterThan(20)
  })
})
