import { fc } from '../../support/properties.ts'
import type { Death } from './process.ts'

/** A death at one of these requests, or none. */
export function anyDeath(at: {
  readonly min: number
  readonly max: number
}): fc.Arbitrary<Death | undefined> {
  const death = fc.record({
    at: fc.integer(at),
    moment: fc.constantFrom('before' as const, 'after' as const),
  })
  return fc.option(death, { nil: undefined })
}
