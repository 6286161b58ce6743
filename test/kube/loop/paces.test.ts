import { expect, test } from '@jest/globals'
import { RetryPace } from '../../../operator/kube/loop/retry-pace.ts'
import { casesOf, fc } from '../../support/properties.ts'

test('retries of a namespace are at most 25 in a second after a burst of 100, and wait for no other namespace', () => {
  const law = fc.property(
    fc.array(fc.tuple(fc.constantFrom('acme', 'globex'), fc.nat(50)), { maxLength: 600 }),
    (steps) => {
      let clock = 0
      const pace = new RetryPace(() => clock)
      const alone = new Map<string, RetryPace>()
      const times = new Map<string, number[]>()
      for (const [namespace, pause] of steps) {
        clock += pause
        const own = alone.get(namespace) ?? new RetryPace(() => clock)
        alone.set(namespace, own)
        const delay = pace.reserve(namespace)
        expect(delay).toBe(own.reserve(namespace))
        times.set(namespace, [...(times.get(namespace) ?? []), clock + delay])
      }
      for (const at of times.values())
        for (const [index, time] of at.entries()) {
          const later = at.filter((other, i) => i > index && other - time < 1000).length
          expect(later).toBeLessThanOrEqual(100 + 25)
        }
    },
  )
  fc.assert(law, { numRuns: casesOf(100) })
})

test('the first hundred retries of a namespace do not wait', () => {
  const pace = new RetryPace(() => 1_000_000)
  const delays = Array.from({ length: 103 }, () => pace.reserve('acme'))
  expect(delays.map(Math.round)).toEqual([...Array.from({ length: 100 }, () => 0), 40, 80, 120])
})
