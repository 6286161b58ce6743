import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { shareReads } from '../../../operator/domain/base/shared-read.ts'
import { fc } from '../../support/properties.ts'

const step = fc.oneof(
  fc.record({ ask: fc.constantFrom('a', 'b') }),
  fc.record({ turns: fc.integer({ min: 1, max: 3 }) }),
)

test('each caller gets a read that began after its question, never two at once for a key, and no caller waits for more than two', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, length) => {
        let events = 0
        const running = new Map<string, number>()
        let isOverlap = false
        let reads = 0
        const read = shareReads(async (key) => {
          reads += 1
          const began = (events += 1)
          running.set(key, (running.get(key) ?? 0) + 1)
          if ((running.get(key) ?? 0) > 1) isOverlap = true
          for (let i = 0; i < length; i += 1) await turn()
          running.set(key, (running.get(key) ?? 1) - 1)
          // Every second one fails, which must not affect later callers.
          if (reads % 2 === 0) throw new Error('unreachable')
          return began
        })
        const early: string[] = []
        const asked: Promise<void>[] = []
        let asking = 0
        for (const each of steps) {
          if ('turns' in each) for (let i = 0; i < each.turns; i += 1) await turn()
          else {
            const at = (events += 1)
            asking += 1
            asked.push(
              read(each.ask).then(
                (began) => void (began < at && early.push(`${began} < ${at}`)),
                () => undefined,
              ),
            )
          }
        }
        await Promise.all(asked)
        expect(early).toEqual([])
        expect(isOverlap).toBe(false)
        expect(reads).toBeLessThanOrEqual(asking)
      },
    ),
  )
})

test('callers that arrive during a read share the next one', async () => {
  let reads = 0
  const read = shareReads(async () => {
    await turn()
    return (reads += 1)
  })
  const answers = await Promise.all(Array.from({ length: 1000 }, () => read('acme')))
  expect([reads, answers[0], answers[999]]).toEqual([2, 1, 2])
})
