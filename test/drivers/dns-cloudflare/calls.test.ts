import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type DnsWorld, numbers, reasonsOf, startDnsWorld } from '../support/dns-world.ts'

let world: DnsWorld
beforeAll(async () => {
  world = await startDnsWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

const writes = { path: 'batch' }
const lists = { method: 'GET', path: 'dns_records' }

describe('how many calls it takes', () => {
  test('1,000 new records', async () => {
    const driver = world.process()
    expect(reasonsOf(await world.provisionAll(driver, 1000))).toEqual({ done: 1000 })
    expect(world.shown()).toHaveLength(1000)
    expect((await world.takeCalls()).length).toBeLessThanOrEqual(1000 / 200 + 4)
  })

  test('100 changes among 5,000 records, and none where nothing changed', async () => {
    const { url, zoneId, zoneName, token } = world.fake
    for (const batch of numbers(49)) {
      const posts = numbers(100).map((n) => ({
        type: 'A',
        name: `foreign-${batch}-${n}.${zoneName}`,
        content: '192.0.2.99',
      }))
      const { status } = await fetch(`${url}/client/v4/zones/${zoneId}/dns_records/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ posts }),
      })
      expect(status).toBe(200)
    }
    await world.provisionAll(world.process(), 100)
    await world.takeCalls()
    const driver = world.process()
    expect(reasonsOf(await world.provisionAll(driver, 100, { target: '192.0.2.77' }))).toEqual({ done: 100 })
    expect((await world.takeCalls()).length).toBeLessThanOrEqual(3)
    expect(reasonsOf(await world.provisionAll(world.process(), 100, { target: '192.0.2.77' }))).toEqual({
      done: 100,
    })
    expect(await world.takeCalls()).toEqual(['GET dns_records'])
    expect(world.shown().filter(({ content }) => content === '192.0.2.77')).toHaveLength(100)

    await world.control('POST', '/__records', { name: 'a', content: '192.0.2.99' }) // the 5,001st needs a second page
    expect(reasonsOf(await world.provisionAll(world.process(), 100, { target: '192.0.2.77' }))).toEqual({
      done: 100,
    })
    expect(await world.takeCalls()).toEqual(['GET dns_records', 'GET dns_records'])
  })

  test('one new record', async () => {
    await world.provisionAll(world.process(), 1)
    expect(await world.takeCalls()).toEqual(['GET dns_records', 'GET zone', 'POST dns_records/batch'])
  })

  test('another one, which reads the name of the zone no more', async () => {
    const driver = world.process()
    await driver.provision(world.numbered(1))
    await world.takeCalls()
    await driver.provision(world.numbered(2))
    expect(await world.takeCalls()).not.toContain('GET zone')
  })

  test('a zone that allows smaller batches is learnt', async () => {
    await world.control('POST', '/__limits', { batch: 50 })
    expect(reasonsOf(await world.provisionAll(world.process(), 200))).toEqual({ done: 200 })
    expect((await world.takeCalls()).length).toBeLessThanOrEqual(2 + 1 + 4)
    await world.control('POST', '/__limits', { batch: 200 })
  })

  test('a limit of another kind makes no batch smaller', async () => {
    const driver = world.process()
    const errors = [{ code: 81_045, message: 'The quota of 3 records is exceeded.' }]
    await world.misbehave({ match: writes, do: 'status', status: 400, errors, times: 1 })
    expect(reasonsOf(await world.provisionAll(driver, 8))).toEqual({ done: 8 })
    await world.takeCalls()
    expect(reasonsOf(await world.provisionAll(driver, 8, { ttl: 60 }))).toEqual({ done: 8 })
    expect(await world.takeCalls()).toEqual(['GET dns_records', 'POST dns_records/batch'])
  })
})

describe('a batch that is refused for one of its records', () => {
  test('leaves the others alone', async () => {
    const driver = world.process()
    const good = numbers(199).map((n) => driver.provision(world.numbered(n)))
    const bad = driver.provision(world.numbered(500, { ttl: 45 }))
    await expect(bad).rejects.toMatchObject({ reason: 'Rejected', message: expect.stringContaining('TTL') })
    expect(reasonsOf(await Promise.allSettled(good))).toEqual({ done: 199 })
    expect(world.shown()).toHaveLength(199)
    expect((await world.takeCalls()).length).toBeLessThanOrEqual(2 + 1 + 2 * 8)
  })

  test('takes no end of calls', async () => {
    const driver = world.process()
    const results = await world.provisionAll(driver, 200, { ttl: 45 })
    expect(Object.keys(reasonsOf(results)).sort()).toEqual(['BatchRefused', 'Rejected'])
    expect((await world.takeCalls()).length).toBeLessThan(150)
  })
})

describe('an error that needs a person is not retried', () => {
  test.each([
    ['a revoked token', 401, 1000, 'Unauthorized'],
    ['a token without the right', 403, 10000, 'NotAllowed'],
    ['a deleted zone', 404, 7003, 'ZoneNotFound'],
  ])('%s', async (_, status, code, reason) => {
    const errors = [{ code, message: 'no' }]
    await world.misbehave({ match: {}, do: 'status', status, errors, times: -1 })
    const driver = world.process()
    expect(reasonsOf(await world.provisionAll(driver, 1000))).toEqual({ [reason]: 1000 })
    expect(reasonsOf(await world.provisionAll(driver, 10))).toEqual({ [reason]: 10 })
    expect(await world.takeCalls()).toHaveLength(1)
  })

  test('after five minutes it is, and another token at once', async () => {
    let now = 0
    await world.misbehave({ match: { token: 'main' }, do: 'status', status: 403, times: -1 })
    await world.control('POST', '/__tokens', { name: 'second', value: 'second-'.repeat(7) })
    const driver = world.process({ clock: () => now })
    expect(reasonsOf(await world.provisionAll(driver, 2))).toEqual({ NotAllowed: 2 })
    await driver.provision(world.request({ account: { token: 'second-'.repeat(7) } }))
    await world.control('DELETE', '/__misbehave')
    now = 299_000
    expect(reasonsOf(await world.provisionAll(driver, 2))).toEqual({ NotAllowed: 2 })
    now = 301_000
    expect(reasonsOf(await world.provisionAll(driver, 2))).toEqual({ done: 2 })
  })

  test('a token with read access changes nothing, and correct records stay correct', async () => {
    await world.process().provision(world.numbered(1))
    const token = 'reader-'.repeat(7)
    await world.control('POST', '/__tokens', { name: 'reader', value: token, rights: ['read'] })
    const driver = world.process()
    const read = (n: number) => driver.provision({ ...world.numbered(n), account: { token } })
    await expect(read(2)).rejects.toMatchObject({ reason: 'NotAllowed' })
    await world.takeCalls()
    await expect(read(3)).rejects.toMatchObject({ reason: 'NotAllowed' })
    await read(1)
    expect((await world.takeCalls()).some((call) => call.startsWith('POST'))).toBe(false)
  })
})

describe('too many calls', () => {
  test('no more of that token until it is time, and others as before', async () => {
    let now = 0
    await world.control('POST', '/__tokens', { name: 'second', value: 'second-'.repeat(7) })
    await world.misbehave({ match: { token: 'main' }, do: 'status', status: 429, retryAfter: 120 })
    const driver = world.process({ clock: () => now })
    await expect(driver.provision(world.numbered(1))).rejects.toMatchObject({
      reason: 'RateLimited',
      retryAfterSeconds: 120,
    })
    await world.takeCalls()
    now = 119_000
    await expect(driver.provision(world.numbered(1))).rejects.toMatchObject({
      reason: 'RateLimited',
      retryAfterSeconds: 1,
    })
    expect(await world.takeCalls()).toEqual([])
    await driver.provision(world.request({ account: { token: 'second-'.repeat(7) } }))
    now = 120_001
    await driver.provision(world.numbered(1))
    expect(world.shown()).toHaveLength(2)
  })

  test('the longest pause is an hour', async () => {
    await world.misbehave({ match: lists, do: 'status', status: 429, retryAfter: 4_000_000_000 })
    await expect(world.process().provision(world.numbered(1))).rejects.toMatchObject({
      reason: 'RateLimited',
      retryAfterSeconds: 3600,
    })
  })

  test('a refusal without a time is five minutes', async () => {
    await world.misbehave({ match: writes, do: 'status', status: 429 })
    const results = await world.provisionAll(world.process(), 3)
    const limited = { reason: { reason: 'RateLimited', retryAfterSeconds: 300 } }
    expect(results).toMatchObject([limited, limited, limited])
  })
})
