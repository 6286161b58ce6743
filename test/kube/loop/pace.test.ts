import { expect, test } from '@jest/globals'
import { createPace, inTurns } from '../../../operator/kube/loop/pace.ts'
import { createQueue } from '../../../operator/kube/loop/queue.ts'
import { fc } from '../../support/properties.ts'

test('a queue uses only a share of each iteration of the event loop, for every size of its steps', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 64 }),
      async (durations, workers) => {
        let clock = 0
        let turn = 0
        let isOver = false
        const countTurns = () => {
          turn += 1
          if (!isOver) setImmediate(countTurns)
        }
        setImmediate(countTurns)
        const ofTurn = new Map<number, number[]>()
        // Like the compilation of a schema: it never gives way.
        const queue = createQueue(
          workers,
          async (key) => {
            const duration = durations[Number(key)] ?? 0
            clock += duration
            ofTurn.set(turn, [...(ofTurn.get(turn) ?? []), duration])
          },
          createPace(() => clock),
        )
        for (const index of durations.keys()) queue.add(String(index))
        await queue.idle()
        isOver = true
        for (const done of ofTurn.values()) {
          const butLast = done.slice(0, -1).reduce((sum, each) => sum + each, 0)
          // One counted iteration may contain the end of one share and the next.
          expect(butLast).toBeLessThan(20 + 60 + 20)
        }
        expect([...ofTurn.values()].flat()).toHaveLength(durations.length)
      },
    ),
  )
})

test.each([0, 1, 1000, 1001, 3500])(
  '%d items are worked on once each, in order, a thousand in a turn',
  async (count) => {
    let turn = 0
    let isOver = false
    const countTurns = () => {
      turn += 1
      if (!isOver) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    const items = Array.from({ length: count }, (_, index) => index)
    const done: number[] = []
    const ofTurn = new Map<number, number>()
    await inTurns(items, (item) => {
      done.push(item)
      ofTurn.set(turn, (ofTurn.get(turn) ?? 0) + 1)
    })
    isOver = true
    expect(done).toEqual(items)
    expect(Math.max(0, ...ofTurn.values())).toBeLessThanOrEqual(1000)
  },
)
