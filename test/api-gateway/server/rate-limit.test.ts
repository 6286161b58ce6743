import { createHash } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createRateLimit } from '../../../api-gateway/rate-limit.ts'
import { addressKey } from '../../../api-gateway/request/source-address.ts'
import { AccessToken } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { startGateway, type TestGateway, tokenOf } from '../support/gateway.ts'
import { raw } from '../support/raw-socket.ts'

const settings = { requestsPerSecond: 20, burst: 20 }
/** Three times the limit. */
const requests = 240
/** The clock of the gateway, in milliseconds. */
let time = Date.UTC(2026, 0, 1)

let gateway: TestGateway
const agent = new Agent({ keepAlive: true, maxSockets: 20 })

beforeAll(async () => {
  gateway = await startGateway({ settings, now: () => time })
  gateway.addUser('healthy')
})
afterAll(async () => {
  agent.destroy()
  await gateway.close()
})

/** The size of the live heap, in MiB. */
function heapMiB(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void // there by that flag
  collect()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

interface Attempt {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** On a new connection. */
  readonly alone?: boolean
}

function send({ method = 'GET', path = '/orgs', headers = {}, alone = false }: Attempt) {
  return new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: gateway.port,
      method,
      path,
      headers,
      agent: alone ? false : agent,
    }
    const sent = httpRequest(options, (response) => {
      response.resume()
      const { statusCode: status = 0, headers: given } = response
      response.once('end', () => resolve({ status, retryAfter: given['retry-after'] }))
    })
    sent.once('error', reject)
    sent.end()
  })
}

/** Sends many requests while the clock of the gateway shows three seconds; returns the accepted ones and the limit. */
async function attack(attempt: (i: number) => Attempt) {
  time += 3_600_000 // no caller owes anything
  let sent = 0
  let through = 0
  const one = async () => {
    while (sent < requests) {
      if (sent % (requests / 3) === 0) time += 1000
      const { status, retryAfter } = await send(attempt(sent++))
      if (status !== 429) through += 1
      else if (!/^[1-9]\d*$/.test(retryAfter ?? '')) throw new Error(`Retry-After is '${retryAfter}'`)
    }
  }
  await Promise.all(Array.from({ length: 20 }, one))
  return { through, allowed: settings.burst + settings.requestsPerSecond * 3 }
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const digits = (i: number) => `${(i >> 8) % 256}.${i % 256}`

function addTokens(user: string): (i: number) => Attempt {
  gateway.addUser(user)
  for (let i = 0; i < 50; i += 1) {
    const name = `${user}-${i}`
    const sha256 = createHash('sha256').update(tokenOf(name)).digest('hex')
    const metadata = { namespace: systemNamespace, name }
    gateway.cluster.put(AccessToken, newObject(AccessToken, metadata, { userName: user, sha256 }))
  }
  return (i) => ({ headers: bearer(tokenOf(`${user}-${i % 50}`)) })
}

describe('the limit is the maximum for every kind of request', () => {
  const paths = [
    '/orgs',
    '/orgs?a=1',
    '/orgs/',
    '/Orgs',
    '//orgs',
    '/orgs/acme',
    '/orgs/acme/apps/%61',
    '/%6frgs',
    '/x',
  ]
  const sender = (name: string) => {
    gateway.addUser(name)
    return bearer(tokenOf(name))
  }
  const attacks: [what: string, prepare: () => (i: number) => Attempt | Promise<Attempt>][] = [
    [
      'no token, and another address in X-Forwarded-For',
      () => (i) => ({ headers: { 'x-forwarded-for': `203.0.${digits(i)}` } }),
    ],
    [
      'no token, and another address in every such header',
      () => (i) => ({
        headers: {
          forwarded: `for=203.0.${digits(i)}`,
          'x-real-ip': `203.0.${digits(i)}`,
          'cf-connecting-ip': `203.0.${digits(i)}`,
          'x-client-ip': `203.0.${digits(i)}`,
          host: `host-${i}.example.com`,
        },
      }),
    ],
    ['another unknown token each time', () => (i) => ({ headers: bearer(`qm_nobody-${i}_secret`) })],
    ['a new unknown session each time', () => (i) => ({ headers: bearer(`eyJ${i}.e30.c2ln`) })],
    ['paths that are not there', () => (i) => ({ path: `/nothing-${i}` })],
    ['methods that are not allowed', () => () => ({ method: 'PATCH' })],
    ['unknown sessions', () => () => ({ method: 'DELETE', path: '/auth/session' })],
    ['many connections', () => () => ({ alone: true })],
    ['many tokens of one user', () => addTokens('hydra')],
    [
      'a token, and another spelling of the path each time',
      () => {
        const headers = sender('speller')
        // An unknown path counts for the address, which is another limit.
        return (i) => ({
          headers,
          path: paths.filter((path) => !/Orgs|orgs\/$|\/\/|%6f|x/.test(path))[i % 4] ?? '',
        })
      },
    ],
    [
      'no token, and another spelling of the path each time',
      () => (i) => ({ path: paths[i % paths.length] ?? '' }),
    ],
    [
      'a token, and other addresses and ids',
      () => {
        const headers = sender('forger')
        return (i) => ({
          headers: { ...headers, 'x-forwarded-for': `203.0.${digits(i)}`, 'x-request-id': `request-${i}` },
        })
      },
    ],
  ]

  test.each(attacks)('%s', async (_, prepare) => {
    const { through, allowed } = await attack(prepare() as (i: number) => Attempt)
    expect(through).toBeLessThanOrEqual(allowed)
  })

  test('a token and its session', async () => {
    gateway.addUser('twofold')
    const body = { token: tokenOf('twofold') }
    time += 3_600_000 // those before have used up the limit of the address
    const answer = await gateway.send('POST /auth/session', { as: null, body })
    const session = String(answer.body.token)
    const { through, allowed } = await attack((i) => ({
      headers: bearer(i % 2 === 0 ? session : tokenOf('twofold')),
    }))
    expect(through).toBeLessThanOrEqual(allowed)
  })

  test('a thousand requests in one go', async () => {
    gateway.addUser('pipeline')
    const one = (last = false) =>
      `GET /orgs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokenOf('pipeline')}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
    const { text } = await raw(gateway.port, one().repeat(999) + one(true))
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
    expect(statuses).toHaveLength(1000)
    expect(statuses.filter((status) => status === '200')).toHaveLength(settings.burst)
    expect(text.match(/^retry-after: \d+\r$/gim)).toHaveLength(
      statuses.filter((each) => each === '429').length,
    )
  })

  test('all addresses of an IPv6 /64, as a limit counts them', () => {
    let time = 0
    const limit = createRateLimit(settings, () => time)
    let through = 0
    for (let i = 0; i < 20_000; i += 1) {
      time = i / 10
      const address = `2001:db8:0:1:${i.toString(16)}:${(i * 7).toString(16)}::1`
      if (limit.consume(addressKey(address)) === 0) through += 1
    }
    expect(through).toBeLessThanOrEqual((settings.burst + settings.requestsPerSecond * 2) * 1.1)
  })

  test('one who has reached the limit, also when very many others came meanwhile', () => {
    let time = 0
    const limit = createRateLimit(settings, () => time)
    for (let i = 0; i < settings.burst; i += 1) limit.consume('busy')
    for (let i = 1; i < 50_000; i += 1) limit.consume(`address:${i}`)
    time = 100
    for (let i = 0; i < 2; i += 1) limit.consume('busy')
    limit.consume('one more')
    expect(limit.consume('busy')).toBeGreaterThan(0)
  })

  test('very many addresses, with no more memory than one limit needs', () => {
    const limit = createRateLimit(settings, () => 0)
    const before = heapMiB()
    for (let i = 0; i < 300_000; i += 1) limit.consume(`address:${i}`)
    expect(heapMiB() - before).toBeLessThan(30)
  })
})

test('others are served meanwhile', async () => {
  const healthy = Array.from({ length: settings.burst }, () =>
    send({ headers: bearer(tokenOf('healthy')), alone: true }),
  )
  await attack(() => ({}))
  expect(new Set((await Promise.all(healthy)).map(({ status }) => status))).toEqual(new Set([200]))
})
