import { expect, jest, test } from '@jest/globals'
import { TokenBucket, TokenBuckets } from '../../../operator/domain/base/token-bucket.ts'
import { fc } from '../../support/properties.ts'

const limits = fc.record({
  burst: fc.integer({ min: 1, max: 50 }),
  perSecond: fc.integer({ min: 1, max: 20 }),
})
const steps = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 100 })

test('allows the burst at once, and in any time no more than the burst and the rate', () => {
  fc.assert(
    fc.property(limits, steps, (limit, pauses) => {
      const bucket = new TokenBucket(limit, 0)
      let now = 0
      let taken = 0
      while (bucket.take(now) === 0) taken += 1
      expect(taken).toBe(limit.burst)
      for (const pause of pauses) {
        now += pause
        while (bucket.take(now) === 0) taken += 1
        expect(taken).toBeLessThanOrEqual(limit.burst + (now / 1000) * limit.perSecond + 1e-6)
      }
    }),
  )
})

test('has a token after the time that it names, even when the clock is set back before', () => {
  fc.assert(
    fc.property(
      limits,
      fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 30 }),
      (limit, jumps) => {
        let now = 1_000_000
        const bucket = new TokenBucket(limit, now)
        for (const jump of [0, ...jumps]) {
          now += jump
          while (bucket.take(now) === 0);
          expect(bucket.isFull(now)).toBe(false)
          now += bucket.take(now)
          const rest = bucket.take(now)
          // Rounding may cost a millisecond.
          if (rest > 0) expect([rest, bucket.take(now + rest)]).toEqual([1, 0])
        }
      },
    ),
  )
})

test('buckets by key are as many single ones, whichever of them are forgotten', () => {
  const limit = { burst: 2, perSecond: 1 }
  const buckets = new TokenBuckets(limit)
  const single = new Map<string, TokenBucket>()
  let now = 0
  let most = 0
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 3000 }), fc.nat({ max: 400 })), { minLength: 200, maxLength: 600 }),
      (takes) => {
        for (const [number, pause] of takes) {
          now += pause / 100
          const key = String(number)
          const one = single.get(key) ?? new TokenBucket(limit, now)
          single.set(key, one)
          expect(buckets.take(key, now)).toBe(one.take(now))
          most = Math.max(most, buckets.size)
        }
      },
    ),
    { numRuns: 100 },
  )
  expect(most).toBeGreaterThan(1000)
  for (let key = 0; key < 3000; key += 1) {
    now += 10_000
    buckets.take(`later ${key}`, now)
  }
  expect(buckets.size).toBeLessThanOrEqual(most)
})

test('a thousand buckets that stay in use are looked through once for each doubling', () => {
  const looked = jest.spyOn(TokenBucket.prototype, 'isFull')
  const buckets = new TokenBuckets({ burst: 10, perSecond: 0.001 })
  for (let key = 0; key < 20_000; key += 1) buckets.take(String(key), key)
  expect(looked.mock.calls.length).toBeLessThan(40_000)
  looked.mockRestore()
})
