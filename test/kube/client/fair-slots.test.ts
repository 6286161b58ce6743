import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createFairSlots } from '../../../operator/kube/client/fair-slots.ts'
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
        // Work that has a slot already may still begin.
        expect(await own).toBeLessThanOrEqual(3 + count)
        expect(await Promise.all(results)).toEqual(
          steps.map(({ isFailing }, index) => (isFailing ? `Error: failed ${index}` : index)),
        )
        expect(most).toBeLessThanOrEqual(count)
        expect(ended).toBe(steps.length)
      },
    )
    await fc.assert(law, { numRuns: casesOf(300) })
  })

  test('are shared while several owners ask for them; one owner that asks alone has all but a share', async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.constantFrom('a', 'b', 'a', ''), { minLength: 1, maxLength: 30 }),
      async (count, share, owners) => {
        let clock = 0
        const slots = createFairSlots(count, { share: Math.min(share, count), burst: 0, now: () => clock })
        const running = new Map<string, number>()
        const ends: (() => void)[] = []
        const start = (owner: string) =>
          slots.run(owner, async () => {
            running.set(owner, (running.get(owner) ?? 0) + 1)
            await new Promise<void>((resolve) => ends.push(resolve))
            running.set(owner, (running.get(owner) ?? 0) - 1)
          })
        const isSeveral = new Set(owners.filter(Boolean)).size > 1
        // All ask once before any work begins.
        const all = ['a', ...(isSeveral ? ['b'] : []), ...owners].map(start)
        for (let left = all.length; left > 0; left -= 1) {
          await turn()
          const own = (owner: string) => running.get(owner) ?? 0
          if (isSeveral && left < all.length - count)
            expect(own('a')).toBeLessThanOrEqual(Math.min(share, count))
          expect(own('a') + own('b') + own('')).toBeLessThanOrEqual(count)
          ends.shift()?.()
        }
        await Promise.all(all)
        clock = 10_000
        const alone = Array.from({ length: count }, () => start('a'))
        await turn()
        const least = Math.min(share, count)
        expect(running.get('a')).toBe(least < count ? Math.max(least, count - least) : count)
        while (ends.length > 0) {
          for (const end of ends.splice(0)) end()
          await turn()
        }
        await Promise.all(alone)
      },
    )
    await fc.assert(law, { numRuns: casesOf(300) })
  })

  test('are not limited for an owner that asks for little beside one that asks for much, until it asks for much too', async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 5, max: 20 }),
      async (share, burst) => {
        let clock = 0
        const slots = createFairSlots(40, { share, burst, now: () => clock })
        const running = { large: 0, small: 0 }
        const ends: (() => void)[] = []
        const start = (owner: 'large' | 'small') =>
          slots.run(owner, async () => {
            running[owner] += 1
            await new Promise<void>((resolve) => ends.push(resolve))
            running[owner] -= 1
          })
        const runFirst = async (count: number) => {
          for (const end of ends.splice(0, count)) end()
          for (let left = 5; left > 0; left -= 1) await turn()
        }
        const all = Array.from({ length: 200 }, () => start('large'))
        all.push(...Array.from({ length: burst }, () => start('small')))
        await runFirst(0)
        await runFirst(40 - share)
        expect(running).toEqual({ large: share, small: burst })
        all.push(...Array.from({ length: 60 }, () => start('small')))
        await runFirst(share + burst)
        expect(running).toEqual({ large: share, small: share })
        while (ends.length > 0) await runFirst(ends.length)
        await Promise.all(all)
        clock += 1000 * Math.ceil((burst + 1) / 25 + 1)
        const later = [start('large'), ...Array.from({ length: burst - 1 }, () => start('small'))]
        await runFirst(0)
        expect(running).toEqual({ large: 1, small: burst - 1 })
        await runFirst(ends.length)
        await Promise.all(later)
      },
    )
    await fc.assert(law, { numRuns: casesOf(100) })
  })

  test('are there for another owner while the work of one takes long, however little it asks for', async () => {
    let clock = 0
    const slots = createFairSlots(64, { share: 4, now: () => clock })
    const never = new Promise<never>(() => {})
    // Two requests a second that wait for a webhook which does not answer.
    for (let asked = 0; asked < 200; asked += 1) {
      clock += 500
      void slots.run('slow', () => never)
    }
    for (let asked = 0; asked < 20; asked += 1) {
      clock += 10
      expect(await slots.run('other', async () => 'done')).toBe('done')
    }
  })

  test('are free again after work that fails', async () => {
    const slots = createFairSlots(1)
    await slots.run('a', () => Promise.reject(new Error('no'))).catch(() => {})
    expect(await slots.run('a', async () => 'yes')).toBe('yes')
  })
})
