import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { QuotaExceeded } from '../../../operator/domain/base/errors.ts'
import {
  isConflict,
  isGone,
  isNotFound,
  isUnserved,
  QuotaError,
} from '../../../operator/kube/client/api-error.ts'
import { createClient, type KubeClient } from '../../../operator/kube/client/client.ts'
import { explainRefusal, explainRejection } from '../../../operator/kube/client/explain-rejection.ts'

const path = '/apis/quartermaster.dev/v1alpha1/namespaces/acme/webhooks'
const open: { client?: KubeClient; server?: Server } = {}

afterEach(async () => {
  jest.restoreAllMocks()
  await open.client?.close()
  open.server?.close()
})

async function clientFor(server: Server, connections?: number): Promise<KubeClient> {
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // of TCP
  const credentials = { headers: {}, tls: {} }
  const connection = { origin, pathPrefix: '', credentials: async () => credentials }
  const client = createClient(connection, connections === undefined ? {} : { connections })
  Object.assign(open, { client, server })
  return client
}

/** Answers each request with the next status and body; the last one for ever. */
async function clientOf(answers: readonly [status: number, body: object][]) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const [status, body] = answers[Math.min(seen.length, answers.length - 1)] ?? [500, {}]
    seen.push(`${request.method} ${request.url}`)
    request.resume()
    response.writeHead(status).end(JSON.stringify(body))
  })
  const client = await clientFor(server)
  const result = await client
    .request('POST', path, { body: { metadata: { name: 'x' } } })
    .catch((error: unknown) => error)
  return { result, requests: seen.length }
}

const status = (reason: string, message: string) => ({ kind: 'Status', reason, message })
const key = 'count/webhooks.quartermaster.dev'
const exceeded = status(
  'Forbidden',
  `webhooks.quartermaster.dev "x" is forbidden: exceeded quota: team, requested: ${key}=1, used: ${key}=5, limited: ${key}=5`,
)
const conflict = status(
  'Conflict',
  'Operation cannot be fulfilled on resourcequotas "team": the object has been modified',
)

test.each([400, 403, 404, 409, 410])(
  'a denial of an admission webhook with the status %i is a rejection',
  async (code) => {
    const message = 'admission webhook "hierarchy.example.test" denied the request: it is in use'
    const { result } = await clientOf([[code, status('Conflict', message)]])
    expect(isGone(result)).toBe(false)
    expect(isConflict(result)).toBe(false)
    expect(explainRejection(result, 'delete', { kind: 'ConfigMap', name: 'x' })).toMatchObject({
      reason: 'Rejected',
      message: expect.stringContaining('it is in use'),
    })
  },
)

test('a refusal by an API server that has not read the rules of admission yet is none of the request', async () => {
  const message = 'secrets "a" is forbidden: not yet ready to handle request'
  const { result } = await clientOf([[403, status('Forbidden', message)]])
  expect(result).toMatchObject({ status: 503, message })
})

const webhookMs = 30_000
const requestMs = 60_000

test.each<[method: string, isLonger: boolean]>([
  ['GET', false],
  ['POST', true],
  ['PATCH', true],
  ['DELETE', true],
])(
  '%s: only a write is waited for until webhooks and the API server have given up',
  async (method, isLonger) => {
    const client = await clientFor(createServer((_, response) => response.end('{}')))
    const timers = jest.spyOn(globalThis, 'setTimeout')
    await client.request(method, path)
    const longest = Math.max(...timers.mock.calls.map(([, milliseconds = 0]) => milliseconds))
    expect([longest > webhookMs, longest > requestMs]).toEqual([isLonger, isLonger])
  },
)

test.each<[rule: string, body: object, isMissing: boolean]>([
  ['an object that does not exist', status('NotFound', 'webhooks "x" not found'), true],
  ['a path that is not served', {}, false],
  [
    'a kind that its version lacks',
    status('NotFound', 'the server could not find the requested resource'),
    false,
  ],
])('the status 404 is for %s', async (_, body, isMissing) => {
  const { result } = await clientOf([[404, body]])
  expect([isNotFound(result), isGone(result), isUnserved(result)]).toEqual([isMissing, isMissing, !isMissing])
})

test.each<[rule: string, code: number, body: object, message: string]>([
  [
    'a path that is not served',
    404,
    {},
    `the API server answered 404 to POST ${path}: it does not serve this path`,
  ],
  [
    'a kind that its version lacks',
    404,
    status('NotFound', 'the server could not find the requested resource'),
    `the API server answered 404 to POST ${path}: it does not serve this path`,
  ],
  [
    'a kind of another version, which lists other fields for selection',
    400,
    status('BadRequest', 'field label not supported: spec.environmentName'),
    'field label not supported: spec.environmentName: the CustomResourceDefinition is of another version than this process',
  ],
  [
    'a body that a proxy refuses',
    413,
    {},
    `the API server answered 413 to POST ${path}: the body is too large for a proxy before it`,
  ],
  [
    'an answer that took too long',
    504,
    status('Timeout', 'Timeout: request did not complete within the allotted timeout'),
    `Timeout: request did not complete within the allotted timeout: POST ${path}`,
  ],
  ['an answer without a message', 502, {}, `the API server answered 502 to POST ${path}`],
  ['an answer with a message', 404, status('NotFound', 'webhooks "x" not found'), 'webhooks "x" not found'],
])('an error names the request or the cause for %s', async (_, code, body, message) => {
  const { result } = await clientOf([[code, body]])
  expect(result).toMatchObject({ message })
})

test.each([500, 503])(
  'a denial with the status %i is tried again: the webhook itself failed',
  async (code) => {
    const message = 'admission webhook "hierarchy.example.test" denied the request: context deadline exceeded'
    const { result } = await clientOf([[code, status('InternalError', message)]])
    expect(explainRejection(result, 'apply', { kind: 'ConfigMap', name: 'x' })).toBe(result)
  },
)

describe('a create', () => {
  test('that a quota refuses fails with the namespace, the quota, the kind, the use and the limit', async () => {
    const { result, requests } = await clientOf([[403, exceeded]])
    expect(requests).toBe(1)
    expect(result).toBeInstanceOf(QuotaError)
    expect(result).toMatchObject({
      namespace: 'acme',
      uses: [{ quotaName: 'team', kind: 'webhooks.quartermaster.dev', used: 5, limit: 5 }],
    })
    const target = { kind: 'Webhook', namespace: 'acme', name: 'x' }
    for (const explained of [explainRefusal(result), explainRejection(result, 'apply', target)]) {
      expect(explained).toBeInstanceOf(QuotaExceeded)
      expect(explained).toMatchObject({ reason: 'QuotaExceeded', namespace: 'acme' })
    }
  })

  test('is repeated when another create was counted at the same time', async () => {
    const { result, requests } = await clientOf([
      [409, conflict],
      [409, conflict],
      [201, { kind: 'Webhook' }],
    ])
    expect([result, requests]).toEqual([{ kind: 'Webhook' }, 3])
  })

  test.each<[what: string, code: number, body: object]>([
    ['an object that exists', 409, status('AlreadyExists', 'webhooks "x" already exists')],
    [
      'a conflict of the object itself',
      409,
      status('Conflict', 'Operation cannot be fulfilled on webhooks "x"'),
    ],
    ['too many requests without a time to wait', 429, status('TooManyRequests', 'not now')],
  ])('is not repeated for %s', async (_, code, body) => {
    const { result, requests } = await clientOf([[code, body]])
    expect([requests, result instanceof QuotaError]).toEqual([1, false])
    expect(explainRefusal(result)).toBe(result)
  })

  test('that lacks a right is not repeated, and says so', async () => {
    const message = 'User "x" cannot create resource "webhooks" in API group "quartermaster.dev"'
    const { result, requests } = await clientOf([[403, status('Forbidden', message)]])
    expect(requests).toBe(1)
    expect(explainRefusal(result)).toMatchObject({ reason: 'NotAllowed', message })
  })
})

test('the requests of an organization wait for one turn of each other, those of its environments included', async () => {
  const seen: string[] = []
  const held: (() => void)[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    held.push(() => response.end('{}'))
  })
  const client = await clientFor(server, 1)
  const get = (namespace: string) => client.request('GET', `/api/v1/namespaces/${namespace}/configmaps`)
  const busy = ['acme', 'acme--shop--dev', 'acme--shop--qa', 'acme', 'acme--shop--dev'].map(get)
  const small = get('globex')
  const answer = async () => {
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    held.shift()?.()
  }
  // The one that runs, a turn of `acme`, and the small one.
  for (let each = 0; each < 3; each += 1) await answer()
  await small
  expect(seen.map((url) => url.split('/')[4])).toContain('globex')
  expect(seen.length).toBeLessThanOrEqual(3)
  for (const _ of busy.slice(2)) await answer()
  await Promise.all(busy)
})

describe('after an outage, an API server that has not read the roles yet', () => {
  const forbidden = status('Forbidden', 'User "operator" cannot create resource "webhooks" in API group ""')

  /** A server that breaks the connection of the first request, and refuses the next ones. */
  async function starting(refusals: number, refusal = forbidden) {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(request.url ?? '')
      request.resume()
      if (seen.length === 1) response.destroy()
      else if (seen.length <= 1 + refusals) response.writeHead(403).end(JSON.stringify(refusal))
      else response.end('{}\n')
    })
    const client = await clientFor(server)
    await expect(client.request('GET', path)).rejects.toThrow('no answer')
    return { client, seen }
  }

  test('is asked again', async () => {
    const { client, seen } = await starting(1)
    expect(await client.request('POST', path, { body: {} })).toEqual({})
    expect(seen).toHaveLength(3)
  })

  test('has refused nothing for good, however often it is asked', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0)
    const { client, seen } = await starting(20)
    await expect(client.request('POST', path, { body: {} })).rejects.toMatchObject({ status: 503 })
    expect(seen).toHaveLength(10)
  }, 20_000)

  test('has not refused a watch for good', async () => {
    const { client, seen } = await starting(1)
    const lines = client.watch(path, { query: {}, signal: new AbortController().signal })
    expect(await lines[Symbol.asyncIterator]().next()).toEqual({ done: false, value: '' })
    expect(seen).toHaveLength(3)
  })

  test('does not start if it answers other requests meanwhile, so that the right is missing', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0)
    const server = createServer((request, response) => {
      request.resume()
      if (request.url === '/broken') response.destroy()
      else if (request.url === '/other') response.end('{}')
      else response.writeHead(403).end(JSON.stringify(forbidden))
    })
    const client = await clientFor(server)
    const breakOne = () => client.request('GET', '/broken').catch(() => {})
    await breakOne()
    // As behind a proxy that breaks some connections.
    const others = setInterval(() => void breakOne().then(() => client.request('GET', '/other')), 300)
    const lines = client.watch(path, { query: {}, signal: new AbortController().signal })
    const refused = [client.request('POST', path, { body: {} }), lines[Symbol.asyncIterator]().next()]
    const results = await Promise.allSettled(refused)
    clearInterval(others)
    expect(results).toMatchObject(refused.map(() => ({ reason: { status: 403 } })))
  }, 20_000)

  test('is believed when a policy denies the request', async () => {
    const message = "ValidatingAdmissionPolicy 'x' with binding 'x' denied request: cannot be"
    const { client, seen } = await starting(1, status('Forbidden', message))
    await expect(client.request('POST', path, { body: {} })).rejects.toMatchObject({ status: 403 })
    expect(seen).toHaveLength(2)
  })
})
