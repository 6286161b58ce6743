import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Random } from '../../support/random.ts'

/** An answer that follows the protocol. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A request with what a fault needs of it. */
export interface Asked {
  readonly method: string
  readonly body: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A way to misbehave. */
export interface Fault {
  readonly name: string
  /** Whether the driver does its work before: both, unless the protocol says what the answer means. */
  readonly effect: 'yes' | 'no' | 'either'
  readonly methods?: readonly string[]
  /** Whether the answer may not arrive. */
  readonly mayLose?: boolean
  /** Whether the answer has no headers, or none that count. */
  readonly withoutHeaders?: boolean
  /** Whether the caller may take the answer for what the protocol says. */
  readonly isGood?: boolean
  /** Replaces the cookie of the answer. */
  readonly cookie?: string
  give(asked: Asked, reply: Reply, headers: Readonly<Record<string, string>>): void
}

const json = { 'content-type': 'application/json' }

/** Answers, a text as it is and all else as JSON. */
export function answer({ response }: Asked, { status, body, headers }: Reply): void {
  const text = typeof body === 'string' || body === undefined ? (body ?? '') : JSON.stringify(body)
  response.writeHead(status, { ...json, ...headers }).end(text)
}

const withStatus = (status: number, more: Partial<Fault> = {}, extra = {}): Fault => ({
  name: String(status),
  effect: 'no',
  // As careless drivers do, it repeats the request.
  give: (asked, _, headers) =>
    answer(asked, {
      status,
      body: { error: 'RES-1', message: `no: ${asked.body}` },
      headers: { ...headers, ...extra },
    }),
  ...more,
})

const page = (body: string) =>
  `<html><style>x</style><body><h1>Error</h1><p>${body.replaceAll('"', '&quot;')}</p></body></html>`

const hint = (random: Random): unknown =>
  random.pick<unknown>([
    undefined,
    '{',
    '<html>',
    [],
    {
      status: 'creating',
      current_time: '2030-01-01T00:00:00Z',
      estimated_completion_time: '2030-01-01T00:00:01Z',
    },
    { status: 7, current_time: 'now', estimated_completion_time: null, timeout: 'never' },
    { current_time: '2030-01-01T00:00:00Z', timeout: '2029-01-01T00:00:00Z' },
  ])

/** All ways to misbehave. */
export const faultsBy = (random: Random): readonly Fault[] => [
  withStatus(500, { effect: 'either' }),
  withStatus(502, {
    name: '502 with a page',
    effect: 'either',
    give: ({ body, response }, _, headers) =>
      response.writeHead(502, { 'content-type': 'text/html', ...headers }).end(page(body)),
  }),
  withStatus(503, {
    name: '503 in plain text',
    effect: 'either',
    give: ({ body, response }, _, headers) =>
      response.writeHead(503, { 'content-type': 'text/plain', ...headers }).end(`cannot do ${body}`),
  }),
  withStatus(400, { effect: 'either' }),
  withStatus(422),
  withStatus(401, { methods: ['PUT'] }),
  withStatus(403, { methods: ['PUT'] }),
  withStatus(404, { methods: ['PUT'] }),
  withStatus(408, { effect: 'either' }),
  withStatus(409, {
    effect: 'either',
    give: (asked, _, headers) => answer(asked, { status: 409, body: hint(random), headers }),
  }),
  withStatus(429, {}, { 'retry-after': '1' }),
  ...[201, 204, 206, 304].map((status) =>
    withStatus(status, {
      methods: ['PUT'],
      effect: 'yes',
      give: ({ response }, _, headers) => response.writeHead(status, headers).end(),
    }),
  ),
  withStatus(202, {
    effect: 'either',
    give: (asked, _, headers) => answer(asked, { status: 202, body: hint(random), headers }),
  }),
  ...[302, 307, 308].map((status) => withStatus(status, { effect: 'either' }, { location: '/elsewhere/x' })),
  { name: 'cut before', effect: 'no', withoutHeaders: true, give: ({ request }) => request.socket.destroy() },
  { name: 'cut after', effect: 'yes', withoutHeaders: true, give: ({ request }) => request.socket.destroy() },
  {
    name: 'half headers',
    effect: 'yes',
    withoutHeaders: true,
    give: ({ request }) => request.socket.end('HTTP/1.1 200 OK\r\nset-humanitec-driver-cookie: half'),
  },
  {
    name: 'no HTTP',
    effect: 'yes',
    withoutHeaders: true,
    give: ({ request }) => request.socket.end('SSH-2.0-OpenSSH\r\n'),
  },
  {
    name: 'half body',
    effect: 'yes',
    mayLose: true,
    give({ response, request }, { status, body }, headers) {
      const text = JSON.stringify(body ?? {})
      response.writeHead(status === 204 ? 500 : status, {
        ...json,
        ...headers,
        'content-length': text.length + 9,
      })
      response.write(text)
      setTimeout(() => request.socket.destroy(), 150)
    },
  },
  {
    name: 'half chunks',
    effect: 'yes',
    mayLose: true,
    give({ response, request }, { status, body }, headers) {
      response.writeHead(status === 204 ? 500 : status, { ...json, ...headers })
      response.write(JSON.stringify(body ?? {}))
      setTimeout(() => request.socket.destroy(), 150)
    },
  },
  {
    name: 'slow',
    isGood: true,
    effect: 'yes',
    give: (asked, reply, headers) => void setTimeout(() => answer(asked, { ...reply, headers }), 1500),
  },
  {
    name: 'in small pieces',
    isGood: true,
    effect: 'yes',
    give({ response }, { status, body }, headers) {
      response.writeHead(status, { ...json, ...headers })
      const text = status === 204 ? '' : JSON.stringify(body ?? {})
      for (let at = 0; at < text.length; at += 40)
        setTimeout(() => response.write(text.slice(at, at + 40)), at)
      setTimeout(() => response.end(), text.length + 40)
    },
  },
  {
    name: 'compressed',
    effect: 'yes',
    methods: ['PUT'],
    give: ({ response }, { status, body }, headers) =>
      response
        .writeHead(status, { ...json, ...headers, 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify(body ?? {}))),
  },
  {
    name: 'another content type',
    isGood: true,
    effect: 'yes',
    give: (asked, reply, headers) =>
      answer(asked, { ...reply, headers: { ...headers, 'content-type': 'text/html' } }),
  },
  ...[
    '',
    '{"resource": {"values": {"bu',
    '[]',
    '{"resource": {"values": {"bucket": null}}}',
    '{"resource": 7}',
    'null',
    '<html><p>no</p></html>',
  ].map(
    (body): Fault => ({
      name: `200 with '${body}'`,
      effect: 'yes',
      methods: ['PUT'],
      give: (asked, _, headers) => answer(asked, { status: 200, body, headers }),
    }),
  ),
  {
    name: 'huge',
    effect: 'yes',
    methods: ['PUT'],
    mayLose: true,
    give: (asked, { status }, headers) =>
      answer(asked, { status, body: ' '.repeat(6 * 1024 * 1024), headers }),
  },
  {
    name: 'two answers',
    isGood: true,
    effect: 'yes',
    mayLose: true,
    give({ request }, { status, body }, headers) {
      const foreign = JSON.stringify({ resource: { values: { bucket: 'foreign', revision: -1 } } })
      const own = status === 204 ? '' : JSON.stringify(body ?? {})
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      const first = `HTTP/1.1 ${status} Ok\r\n${lines.join('')}${status === 204 ? '' : `content-length: ${own.length}\r\n`}\r\n${own}`
      const second = `HTTP/1.1 200 OK\r\nset-humanitec-driver-cookie: foreign\r\ncontent-length: ${foreign.length}\r\n\r\n${foreign}`
      if (random.chance(0.5)) request.socket.write(first + second)
      else {
        request.socket.write(first)
        setTimeout(() => request.socket.destroyed || request.socket.write(second), 30)
      }
    },
  },
  ...['caf\u00e9', 'a\tb'].map(
    (cookie): Fault => ({
      name: `cookie '${cookie}'`,
      effect: 'yes',
      isGood: true,
      methods: ['PUT'],
      cookie,
      give: (asked, reply, headers) => answer(asked, { ...reply, headers }),
    }),
  ),
  {
    name: 'a long cookie',
    effect: 'yes',
    methods: ['PUT'],
    withoutHeaders: true,
    give: (asked, reply) =>
      answer(asked, { ...reply, headers: { 'set-humanitec-driver-cookie': 'x'.repeat(11 * 1024) } }),
  },
]

/** Ways to end the operator between the effect of a call and its answer. */
export const killingFaults = (kill: () => Promise<void>, random: Random): readonly Fault[] => [
  {
    name: 'ends the operator instead of an answer',
    effect: 'yes',
    withoutHeaders: true,
    give({ request }) {
      void kill()
      setTimeout(() => request.socket.destroy(), 2000)
    },
  },
  {
    name: 'ends the operator after the answer',
    effect: 'yes',
    isGood: true,
    mayLose: true,
    give(asked, reply, headers) {
      answer(asked, { ...reply, headers })
      setTimeout(() => void kill(), random.below(40))
    },
  },
]
