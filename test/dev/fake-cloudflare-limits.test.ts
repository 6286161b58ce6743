import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test } from '@jest/globals'
import { codesOf, startFake } from './fake-cloudflare-support.ts'

type Fake = Awaited<ReturnType<typeof startFake>>
const running: Fake[] = []

async function start(options: Parameters<typeof startFake>[0] = {}): Promise<Fake> {
  const fake = await startFake(options)
  running.push(fake)
  return fake
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.close()))
})

const record = { type: 'A', name: 'shop', content: '192.0.2.1' }
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('limits', () => {
  test('every answer has the remaining budget', async () => {
    const fake = await start()
    const { headers } = await fake.call('GET', '/zones')
    expect(headers.get('ratelimit')).toBe('"default";r=1199;t=300')
    expect(headers.get('ratelimit-policy')).toBe('"default";q=1200;w=300')
  })

  test('over the limit all calls of the token are refused until the window ends, others are not', async () => {
    let now = 1_800_000_000_000
    const fake = await start({ limits: { requests: 3 }, clock: () => now })
    const value = 'another-token-0123456789-0123456789-0123'
    await fake.control('POST', '/__tokens', { name: 'other', value })
    for (let call = 0; call < 3; call += 1) expect((await fake.call('GET', '/zones')).status).toBe(200)
    now += 100_000
    const refused = await fake.call('POST', fake.recordsPath, record)
    expect([refused.status, codesOf(refused), refused.headers.get('retry-after')]).toEqual([
      429,
      ['971'],
      '200',
    ])
    expect((await fake.call('GET', '/zones', undefined, value)).status).toBe(200)
    now += 199_999
    expect((await fake.call('GET', '/zones')).status).toBe(429)
    now += 1
    expect((await fake.call('GET', '/zones')).status).toBe(200)
    expect(fake.records()).toEqual([])
  })

  test('the most calls in any sliding window are remembered', async () => {
    let now = 1_800_000_000_000
    const fake = await start({ limits: { requests: 3 }, clock: () => now })
    // Two windows that touch: neither is over the limit, four calls fall into 300 seconds.
    for (const step of [0, 290_000, 0, 10_000, 0, 400_000]) {
      now += step
      await fake.call('GET', '/zones')
    }
    const { body } = await fake.control('GET', '/__limits')
    expect(body.tokens).toMatchObject([{ token: 'main', calls: 6, refused: 0, maximum: 4 }])
  })

  test('can be set', async () => {
    let now = 1_800_000_000_000
    const fake = await start({ clock: () => now })
    await fake.control('POST', '/__limits', { requests: 1, windowSeconds: 1, batch: 1, comment: 3 })
    expect(codesOf(await fake.create({ ...record, comment: 'long' }))).toEqual(['9313'])
    expect((await fake.call('GET', '/zones')).status).toBe(429)
    now += 1001
    const batch = { posts: [record, { ...record, name: 'other' }] }
    expect((await fake.call('POST', `${fake.recordsPath}/batch`, batch)).status).toBe(400)
  })
})

describe('misbehaviour', () => {
  const rule = (fields: Record<string, unknown>) => ({ rules: [{ match: { method: 'POST' }, ...fields }] })

  test.each<[commit: string, recordsAtOnce: number, recordsLater: number]>([
    ['before', 1, 1],
    ['after', 0, 1],
    ['never', 0, 0],
  ])('a bad status with the operation committed %s', async (commit, recordsAtOnce, recordsLater) => {
    const fake = await start()
    await fake.control('POST', '/__misbehave', rule({ do: 'status', status: 502, commit, delayMs: 1000 }))
    expect((await fake.create(record)).status).toBe(502)
    expect(fake.records()).toHaveLength(recordsAtOnce)
    await sleep(1100)
    expect(fake.records()).toHaveLength(recordsLater)
    expect(fake.calls()).toMatchObject([
      { status: 502, committed: recordsLater === 1, token: 'main', body: record },
    ])
    expect((await fake.create({ ...record, content: '192.0.2.2' })).status).toBe(200)
  })

  test('429 has Retry-After, and any error of the interface can be chosen', async () => {
    const fake = await start()
    const errors = [{ code: 81057, message: 'The record already exists.' }]
    await fake.control('POST', '/__misbehave', rule({ do: 'status', status: 429, retryAfter: 7 }))
    await fake.control('POST', '/__misbehave', rule({ do: 'status', status: 400, errors }))
    expect((await fake.create(record)).headers.get('retry-after')).toBe('7')
    expect(codesOf(await fake.create(record))).toEqual(['81057'])
  })

  test.each(['reset', 'hang', 'garbage', 'flood'])('%s after the operation is done', async (deed) => {
    const fake = await start()
    await fake.control('POST', '/__misbehave', rule({ do: deed, commit: 'before' }))
    await expect(fake.create(record)).rejects.toThrow()
    expect(fake.calls()).toMatchObject([{ committed: true }])
    expect(codesOf(await fake.create(record))).toEqual(['81058'])
  })

  test('a slow answer', async () => {
    const fake = await start()
    await fake.control('POST', '/__misbehave', rule({ do: 'slow', delayMs: 500 }))
    const order: number[] = []
    const [slow] = await Promise.all([
      fake.create(record).finally(() => order.push(1)),
      fake.control('GET', '/__calls').finally(() => order.push(2)),
    ])
    expect([slow.status, ...order]).toEqual([200, 2, 1])
  })

  test('a redirect', async () => {
    const fake = await start()
    await fake.control('POST', '/__misbehave', rule({ do: 'redirect', location: 'http://127.0.0.1:9/' }))
    const { status, headers } = await fake.create(record)
    expect([status, headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/'])
  })

  test.each<[rule: string, fields: Record<string, unknown>, statuses: readonly number[]]>([
    ['once when nothing else is said', {}, [500, 200, 200]],
    ['some times', { times: 2 }, [500, 500, 200]],
    ['for ever', { times: -1 }, [500, 500, 500]],
    ['after some that went well', { after: 1 }, [200, 500, 200]],
    ['by a part of the path', { match: { path: 'zones?name=' } }, [500, 200, 200]],
    ['by a pattern of the path', { match: { path: 'zones\\?.*test$' } }, [500, 200, 200]],
    ['by the token', { match: { token: 'main' } }, [500, 200, 200]],
    ['not those of another token', { match: { token: 'other' } }, [200, 200, 200]],
    ['not those of another method', { match: { method: 'POST' } }, [200, 200, 200]],
  ])('happens %s', async (_, fields, statuses) => {
    const fake = await start()
    await fake.control('POST', '/__misbehave', { rules: [{ match: {}, do: 'status', ...fields }] })
    const seen: number[] = []
    for (const _ of statuses) seen.push((await fake.call('GET', '/zones?name=example.test')).status)
    expect(seen).toEqual(statuses)
    await fake.control('DELETE', '/__misbehave')
    expect((await fake.call('GET', '/zones')).status).toBe(200)
  })

  test('an invalid rule is refused', async () => {
    const fake = await start()
    expect((await fake.control('POST', '/__misbehave', rule({ do: 'nonsense' }))).status).toBe(400)
  })
})

describe('control', () => {
  test('hands add, edit and delete records without checks', async () => {
    const fake = await start()
    const made = await fake.control('POST', '/__records', { ...record, ttl: 5, comment: 'x'.repeat(500) })
    const path = `/__records/${made.body.id}`
    expect((await fake.control('PATCH', path, { content: '198.51.100.1' })).status).toBe(200)
    expect((await fake.control('GET', '/__records')).body).toMatchObject([
      { zone_id: fake.zoneId, name: 'shop.example.test', content: '198.51.100.1', ttl: 5 },
    ])
    expect((await fake.control('DELETE', path)).status).toBe(200)
    expect((await fake.control('DELETE', path)).status).toBe(400)
    expect(fake.records()).toEqual([])
  })

  test('the journal shows the calls, never a token', async () => {
    const fake = await start()
    await fake.create(record)
    await fake.call('GET', `${fake.recordsPath}?type=A`)
    const { body } = await fake.control('GET', '/__calls')
    expect(body).toMatchObject([
      { method: 'POST', path: fake.recordsPath, token: 'main', body: record, status: 200, committed: true },
      { method: 'GET', query: { type: 'A' }, status: 200, committed: false },
    ])
    expect(JSON.stringify(body)).not.toContain(fake.token)
    await fake.control('DELETE', '/__calls')
    expect(fake.calls()).toEqual([])
  })

  test('a reset removes records and calls', async () => {
    const fake = await start()
    await fake.create(record)
    await fake.control('POST', '/__reset')
    expect([fake.records(), fake.calls()]).toEqual([[], []])
    expect((await fake.create(record)).status).toBe(200)
  })
})

describe('a separate process', () => {
  const main = join(import.meta.dirname, '../../dev/fake-cloudflare/main.ts')

  async function launch(...options: readonly string[]) {
    const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(createInterface(child.stdout), 'line')
    return { child, said: JSON.parse(line) }
  }

  test('says where it listens and nothing that is secret, and keeps its records over a restart', async () => {
    const state = join(mkdtempSync(join(tmpdir(), 'fake-cloudflare-')), 'state.json')
    const zoneId = 'ab'.repeat(16)
    const token = 'a-token-of-40-characters-for-this-test-01'
    const first = await launch('--state', state, '--zone-id', zoneId, '--token', token)
    expect(first.said).toEqual({ zoneId, url: expect.any(String), dnsPort: expect.any(Number) })
    await fetch(`${first.said.url}/__records`, { method: 'POST', body: JSON.stringify(record) })
    first.child.kill('SIGTERM')
    await once(first.child, 'exit')
    const second = await launch('--state', state, '--zone-id', zoneId)
    const kept = await (await fetch(`${second.said.url}/__records`)).json()
    expect(kept).toMatchObject([{ zone_id: zoneId, name: 'shop.example.test' }])
    second.child.kill('SIGTERM')
    expect(await once(second.child, 'exit')).toEqual([0, null])
  })
})
