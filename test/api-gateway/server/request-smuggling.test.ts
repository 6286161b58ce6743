import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'
import { bodiesIn, type RawAnswer, raw } from '../support/raw-socket.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())

const authorization = `Authorization: Bearer ${tokenOf('admin')}`
/** The smuggled request: it must have no effect, in any disguise. */
const hidden = `DELETE /orgs/acme/env-types/production HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`
const post = (...headers: string[]) =>
  [
    'POST /orgs/acme/apps HTTP/1.1',
    'Host: a',
    authorization,
    'Content-Type: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n')
const app = '{"id":"smuggled","name":"Smuggled"}'
const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`

function statusesIn({ text }: RawAnswer): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

async function expectRefusal(bytes: string | Uint8Array): Promise<void> {
  const writes = gateway.cluster.writes.length
  const answer = await raw(gateway.port, bytes)
  expect(statusesIn(answer)).toEqual([400])
  expect(bodiesIn(answer.text)).toEqual([{ error: 'Invalid', message: expect.any(String) }])
  expect(answer.text).toMatch(/^connection: close\r$/im)
  expect(gateway.cluster.writes.slice(writes)).toEqual([])
}

describe('a request whose end is not certain gets one refusal, and nothing after it is served', () => {
  const chunked = `0\r\n\r\n${hidden}`
  test.each<[what: string, bytes: string]>([
    ['CL.TE', post(`Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked') + chunked],
    ['TE.CL', post('Transfer-Encoding: chunked', 'Content-Length: 4') + chunk(hidden) + chunked],
    ['CL.0 and TE', post('Content-Length: 0', 'Transfer-Encoding: chunked') + chunked],
    ['TE.TE, the second unknown', post('Transfer-Encoding: chunked', 'Transfer-Encoding: x') + chunked],
    [
      'TE.TE, the first unknown',
      post('Transfer-Encoding: x', 'Transfer-Encoding: chunked', 'Content-Length: 3') + chunked,
    ],
    ['TE: identity, and a length', post('Transfer-Encoding: identity', 'Content-Length: 0') + hidden],
    ['TE with a comma, and a length', post('Transfer-Encoding: , chunked', 'Content-Length: 3') + chunked],
    ['chunked twice', post('Transfer-Encoding: chunked, chunked') + chunked],
    ['chunked is not last', post('Transfer-Encoding: chunked, identity') + chunked],
    ['chunked in quotes', post('Transfer-Encoding: "chunked"') + chunked],
    ['chunked with a vertical tab', post('Transfer-Encoding: \vchunked') + chunked],
    ['chunked with a NUL', post('Transfer-Encoding: chunked\0') + chunked],
    ['chunked with a character like k', post('Transfer-Encoding: chun\u212aed') + chunked],
    ['xchunked', post('Transfer-Encoding: xchunked') + chunked],
    ['a blank before the colon', post('Transfer-Encoding : chunked') + chunked],
    ['a tab before the colon', post('Transfer-Encoding\t: chunked') + chunked],
    ['a blank before the name', post(' Transfer-Encoding: chunked') + chunked],
    ['a NUL in the name', post('Transfer\0-Encoding: chunked') + chunked],
    ['a header without a colon', post('Transfer-Encoding chunked') + chunked],
    ['obs-fold', post('Transfer-Encoding:\r\n chunked') + chunked],
    ['obs-fold with a tab', post('X-A: a\r\n\tTransfer-Encoding: chunked') + chunked],
    ['obs-fold in the first header', `GET /orgs HTTP/1.1\r\n Host: a\r\n\r\n${hidden}`],
    ['LF alone between headers', post('X-A: a\nTransfer-Encoding: chunked') + chunked],
    ['CR alone between headers', post('X-A: a\rTransfer-Encoding: chunked') + chunked],
    ['LF alone at the end', `GET /orgs HTTP/1.1\r\nHost: a\n\n${hidden}`],
    ['LF alone after the first line', `GET /orgs HTTP/1.1\nHost: a\r\n\r\n${hidden}`],
    ['two lengths that differ', post('Content-Length: 0', `Content-Length: ${hidden.length}`) + hidden],
    ['two equal lengths', post('Content-Length: 2', 'Content-Length: 2') + `{}${hidden}`],
    ['a list of lengths', post('Content-Length: 2, 2') + `{}${hidden}`],
    ['a length with a plus', post('Content-Length: +2') + `{}${hidden}`],
    ['a length with a minus', post('Content-Length: -2') + `{}${hidden}`],
    ['a length in hexadecimal', post('Content-Length: 0x2') + `{}${hidden}`],
    ['a length with a blank in it', post('Content-Length: 1 0') + `{}${hidden}`],
    ['a length with a fraction', post('Content-Length: 2.0') + `{}${hidden}`],
    ['a length that is empty', post('Content-Length:') + hidden],
    ['a length that is too large', post(`Content-Length: ${'9'.repeat(30)}`) + `{}${hidden}`],
    ['an empty header name', post(': a') + hidden],
    ['a chunk of negative size', `${post('Transfer-Encoding: chunked')}-1\r\n${chunked}`],
    ['a chunk size in 0x', `${post('Transfer-Encoding: chunked')}0x2\r\n{}\r\n${chunked}`],
    ['a chunk size with a plus', `${post('Transfer-Encoding: chunked')}+2\r\n{}\r\n${chunked}`],
    ['a chunk size with a blank before it', `${post('Transfer-Encoding: chunked')} 2\r\n{}\r\n${chunked}`],
    ['a chunk size with an underscore', `${post('Transfer-Encoding: chunked')}1_0\r\n${chunked}`],
    [
      'a chunk size that overflows',
      `${post('Transfer-Encoding: chunked')}10000000000000002\r\n{}\r\n${chunked}`,
    ],
    ['a chunk size ended by LF alone', `${post('Transfer-Encoding: chunked')}2\n{}\r\n${chunked}`],
    ['a chunk ended by LF alone', `${post('Transfer-Encoding: chunked')}2\r\n{}\n${chunked}`],
    ['a chunk that is longer than it says', `${post('Transfer-Encoding: chunked')}2\r\n{}xx\r\n${chunked}`],
    ['a chunk extension with LF alone', `${post('Transfer-Encoding: chunked')}2;a\nb\r\n{}\r\n${chunked}`],
    ['a chunk extension with CR alone', `${post('Transfer-Encoding: chunked')}2;a\rb\r\n{}\r\n${chunked}`],
    ['a chunk extension with a NUL', `${post('Transfer-Encoding: chunked')}2;a\0b\r\n{}\r\n${chunked}`],
    [
      'a chunk extension of 64 KiB',
      `${post('Transfer-Encoding: chunked')}2;${'a'.repeat(65_536)}\r\n{}\r\n${chunked}`,
    ],
    [
      'a trailer that is no header',
      `${post('Transfer-Encoding: chunked')}${chunk(app)}0\r\nno header\r\n\r\n${hidden}`,
    ],
    [
      'a length in a trailer',
      `${post('Transfer-Encoding: chunked')}${chunk(app)}0\r\nContent-Length: 5\r\n\r\n${hidden}`,
    ],
    [
      'two headers Host, of which a proxy uses one and the gateway the other',
      `GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${hidden}`,
    ],
    ...['foo://a', 'foo://a/livez', 'ftp://a/livez', 'http:///livez', 'http://?livez'].map(
      (target): [string, string] => [
        `the target ${target}`,
        `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`,
      ],
    ),
    ['an unknown expectation', `GET /livez HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n${hidden}`],
    ['HTTP/0.9', `GET /orgs\r\n\r\n${hidden}`],
    ['another version', `GET /orgs HTTP/1.2\r\nHost: a\r\n\r\n${hidden}`],
    ['a tab in the first line', `GET\t/orgs\tHTTP/1.1\r\nHost: a\r\n\r\n${hidden}`],
    ['blank before the method', ` GET /orgs HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`],
  ])('%s', (_, bytes) => expectRefusal(Buffer.from(bytes, 'utf8')))
})

describe('a request whose end is certain takes nothing of the next one with it', () => {
  const last = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const made = (id: string) => `{"id":"${id}","name":"${hidden.replaceAll('\r\n', ' ')}"}`

  test.each<[what: string, bytes: string, statuses: number[]]>([
    [
      'a length',
      `${post(`Content-Length: ${made('by-length').length}`)}${made('by-length')}${last}`,
      [201, 200],
    ],
    [
      'chunks',
      `${post('Transfer-Encoding: chunked')}${chunk(made('by-chunks'))}0\r\n\r\n${last}`,
      [201, 200],
    ],
    ['CHUNKED', `${post('Transfer-Encoding: CHUNKED')}${chunk(made('by-caps'))}0\r\n\r\n${last}`, [201, 200]],
    [
      'chunk extensions',
      `${post('Transfer-Encoding: chunked')}${chunk(made('by-ext'), ';a="b;c"')}0\r\n\r\n${last}`,
      [201, 200],
    ],
    [
      'trailers, which are no headers',
      `${post('Transfer-Encoding: chunked', 'Trailer: Authorization')}${chunk(made('by-trailer'))}0\r\nX-Http-Method-Override: DELETE\r\nAuthorization: none\r\n\r\n${last}`,
      [201, 200],
    ],
    [
      'a body of a read',
      `GET /orgs HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
      [200, 200],
    ],
    [
      'a body of HEAD',
      `HEAD /orgs HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
      [200, 200],
    ],
    ['a body that is refused', `${post(`Content-Length: ${hidden.length}`)}${hidden}${last}`, [422, 200]],
    [
      'a body of a path that is not there',
      `POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
      [404, 200],
    ],
    [
      'a body of a method that is not allowed',
      `PUT /orgs HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}${last}`,
      [405, 200],
    ],
    [
      'another host in the first line',
      `GET http://evil.example/livez HTTP/1.1\r\nHost: a\r\n\r\n${last}`,
      [200, 200],
    ],
    ['no path in it', `GET https://evil.example?a HTTP/1.1\r\nHost: a\r\n\r\n${last}`, [404, 200]],
    ['a fragment in it', `GET //a@h#b HTTP/1.1\r\nHost: a\r\n\r\n${last}`, [404, 200]],
    ['a user in it', `GET http://%@evil.example/livez HTTP/1.1\r\nHost: a\r\n\r\n${last}`, [200, 200]],
  ])('%s', async (_, bytes, statuses) => {
    const answer = await raw(gateway.port, bytes)
    expect(statusesIn(answer)).toEqual(statuses)
    expect(() => bodiesIn(answer.text)).not.toThrow()
    expect(gateway.cluster.writes.filter((write) => write.startsWith('remove'))).toEqual([])
  })
})

test('these refusals are not logged as errors', () => {
  expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([])
})
