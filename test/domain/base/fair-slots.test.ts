import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createFairSlots } from '../../../operator/domain/base/fair-slots.ts'
import { casesOf, fc } from '../../support/properties.ts'

const step = fc.record({
  owner: fc.constantFrom('a', 'b', 'c'),
  isFailing: fc.boolean(),
  turns: fc.nat(3),
})

describe('fair slots', () => {
  test('run all work, never more at once than there are slots, and an owner waits for one turn of each other', async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 40 }),
      async (count, steps) => {
        const slots = createFairSlots(count)
        const started: string[] = []
        let running = 0
        let most = 0
        let ended = 0
        const results = steps.map(async ({ owner, isFailing, turns }, index) => {
          const work = async () => {
            started.push(owner)
            running += 1
            most = Math.max(most, running)
            for (let left = turns; left > 0; left -= 1) await turn()
            running -= 1
            if (isFailing) throw new Error(`failed ${index}`)
            return index
          }
          const result = await slots.run(owner, work).catch((error: unknown) => String(error))
          ended += 1
          return result
        })
        const before = started.length
        const own = slots.run('small', async () => started.length - before)
        expect(await own).toBeLessThanOrEqual(3)
        expect(await Promise.all(results)).toEqual(
          steps.map(({ isFailing }, index) => (isFailing ? `Error: failed ${index}` : index)),
        )
        expect(most).toBeLessThanOrEqual(count)
        expect(ended).toBe(steps.length)
      },
    )
    await fc.assert(law, { numRuns: casesOf(300) })
  })

  test('are free again after work that fails', async () => {
    const slots = createFairSlots(1)
    await slots.run('a', () => Promise.reject(new Error('no'))).catch(() => {})
    expect(await slots.run('a', async () => 'yes')).toBe('yes')
  })
})
