import { describe, expect, test } from '@jest/globals'
import { TokenBucket } from '../../../operator/domain/base/token-bucket.ts'
import { createRateLimiter, tokenLimit } from '../../../operator/drivers/dns-cloudflare/rate-limiter.ts'
import { fc } from '../../support/properties.ts'

describe('the budget of a token', () => {
  test('at most four fifths of the limit are used in any 300 seconds', () => {
    const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(20_000)), { maxLength: 60 })
    const bursts = fc.array(fc.nat(900), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(pauses, bursts, (waits, sizes) => {
        const bucket = new TokenBucket(tokenLimit, 0)
        const calls: number[] = []
        let now = 0
        for (const [i, size] of sizes.entries()) {
          for (let call = 0; call < size; call += 1) {
            for (let wait = bucket.take(now); wait > 0; wait = bucket.take(now)) now += wait
            calls.push(now)
          }
          now += waits[i] ?? 0
        }
        expect(mostWithin(calls, 300_000)).toBeLessThanOrEqual(960)
      }),
      { numRuns: 50 },
    )
  })

  test('a rest of one token leaves others alone', async () => {
    let now = 0
    const rateLimiter = createRateLimiter({ clock: () => now })
    rateLimiter.pause('a', 300)
    await expect(rateLimiter.take('a')).rejects.toMatchObject({ kind: 'rateLimited', seconds: 300 })
    await rateLimiter.take('b')
    now = 300_001
    await rateLimiter.take('a')
  })

  test('a caller waits only briefly for its slot', async () => {
    let now = 0
    const rateLimiter = createRateLimiter({
      clock: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds
      },
    })
    for (let call = 0; call < tokenLimit.burst + 100; call += 1) await rateLimiter.take('a')
    expect(now).toBeGreaterThan(49_000)
  })

  test('a caller whom others forestall gives up after five seconds, and learns when to come again', async () => {
    let now = 0
    const rateLimiter = createRateLimiter({
      clock: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds
        if (now > 60_000) throw new Error('it still waits')
        await rateLimiter.take('a')
      },
    })
    for (let call = 0; call < tokenLimit.burst; call += 1) await rateLimiter.take('a')
    await expect(rateLimiter.take('a')).rejects.toMatchObject({ kind: 'rateLimited', seconds: 6 })
    expect(now).toBe(5000)
  })

  test('a caller that gave up takes no slot', async () => {
    const rateLimiter = createRateLimiter({ clock: () => 0, sleep: () => Promise.reject(new Error('full')) })
    await expect(rateLimiter.take('a', AbortSignal.abort())).rejects.toBeDefined()
    for (let call = 0; call < tokenLimit.burst; call += 1) await rateLimiter.take('a')
  })
})

function mostWithin(times: readonly number[], window: number): number {
  let first = 0
  let most = 0
  for (const [i, time] of times.entries()) {
    while ((times[first] ?? 0) <= time - window) first += 1
    most = Math.max(most, i - first + 1)
  }
  return most
}
