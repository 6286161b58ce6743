import { expect, test } from '@jest/globals'
import { TokenBucket } from '../../../operator/domain/base/token-bucket.ts'
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
