import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createPace } from '../../../operator/kube/loop/pace.ts'
import { createQueue } from '../../../operator/kube/loop/queue.ts'
import { casesOf, fc } from '../../support/properties.ts'

/** The clock never moves, so that the workers are the only limit. */
const noTime = () => createPace(() => 0)

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn()
}

describe('the work of a namespace', () => {
  test('starts, waits for a call and ends, although another namespace has any number of keys that never end', async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.constantFrom('keeps its worker', 'waits for a call'), { minLength: 1, maxLength: 40 }),
      async (workers, busy) => {
        const { promise: end, resolve: release } = Promise.withResolvers<void>()
        const ended: string[] = []
        const queue = createQueue(
          workers,
          async (key) => {
            const way = busy[Number(key.slice('acme/'.length))]
            if (key.startsWith('globex/')) await queue.releaseWorker(key, () => turns(1))
            else if (way === 'waits for a call') await queue.releaseWorker(key, () => end)
            else await end
            ended.push(key)
          },
          noTime(),
        )
        for (const index of busy.keys()) queue.add(`acme/${index}`)
        await turns(2)
        for (let each = 0; each < 2 * workers; each += 1) queue.add(`globex/${each}`)
        await turns(20)
        expect(ended).toHaveLength(2 * workers)
        release()
        await queue.idle()
        expect(ended).toHaveLength(2 * workers + busy.length)
      },
    )
    await fc.assert(law, { numRuns: casesOf(300) })
  })

  test('starts after at most two turns of each other namespace, however many keys start and return there', async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.record({ calls: fc.nat(2), work: fc.nat(2) }), { minLength: 1, maxLength: 40 }),
      fc.nat(30),
      async (workers, namespaces, keys, delay) => {
        let others = 0
        let before = Number.NaN
        const queue = createQueue(
          workers,
          async (key) => {
            if (key === 'small/1') {
              before = others
              return
            }
            const { calls = 0, work = 0 } = keys[Number(key.split('/')[1])] ?? {}
            others += 1
            await turns(work)
            for (let left = calls; left > 0; left -= 1) {
              await queue.releaseWorker(key, () => turns(left))
              others += 1
              await turns(work)
            }
          },
          noTime(),
        )
        for (let each = 0; each < namespaces; each += 1)
          for (const index of keys.keys()) queue.add(`busy-${each}/${index}`)
        await turns(delay)
        const atAdd = others
        queue.add('small/1')
        await queue.idle()
        // Work that has a worker already may still begin.
        expect(before - atAdd).toBeLessThanOrEqual(2 * namespaces + Math.ceil((workers * 4) / 3))
      },
    )
    await fc.assert(law, { numRuns: casesOf(300) })
  })

  test('gets its share of the processor: it waits for one piece of work of each other namespace', async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 60 }),
      async (workers, namespaces, duration) => {
        let clock = 0
        let others = 0
        let before = Number.NaN
        const pace = createPace(() => clock)
        const small = createQueue(
          1,
          async () => {
            before = others
          },
          pace,
        )
        // Each namespace has its own queue, as different kinds have, and all share the processor.
        const busy = Array.from({ length: namespaces }, () =>
          createQueue(
            workers,
            async () => {
              others += 1
              clock += duration
            },
            pace,
          ),
        )
        for (const [index, queue] of busy.entries())
          for (let each = 0; each < 2 * workers; each += 1) queue.add(`busy-${index}/${each}`)
        await turns(1)
        const atAdd = others
        small.add('small/1')
        await Promise.all([small, ...busy].map((queue) => queue.idle()))
        // The iteration of the event loop that has begun, and the next one.
        const perIteration = Math.ceil(20 / duration)
        expect(before - atAdd).toBeLessThanOrEqual(2 * namespaces + 2 * perIteration)
      },
    )
    await fc.assert(law, { numRuns: casesOf(300) })
  })
})
