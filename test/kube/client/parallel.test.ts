import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { inParallel } from '../../../operator/kube/client/parallel.ts'
import { casesOf, fc } from '../../support/properties.ts'

async function* later<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) {
    await turn()
    yield item
  }
}

describe.each([
  ['items that are there', <T>(items: readonly T[]): Iterable<T> | AsyncIterable<T> => items],
  ['items that come later', later],
])('%s', (_, from) => {
  test('are each worked on once, as many at a time as there may be', async () => {
    const law = fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 10 }),
      async (turns, concurrency) => {
        const done: number[] = []
        let running = 0
        let most = 0
        await inParallel(
          from([...turns.keys()]),
          async (index) => {
            running += 1
            most = Math.max(most, running)
            for (let left = turns[index] ?? 0; left >= 0; left -= 1) await turn()
            running -= 1
            done.push(index)
          },
          concurrency,
        )
        expect(done.sort((a, b) => a - b)).toEqual([...turns.keys()])
        expect(most).toBeLessThanOrEqual(concurrency)
        if (from !== later) expect(most).toBe(Math.min(concurrency, turns.length))
      },
    )
    await fc.assert(law, { numRuns: casesOf(200) })
  })

  test('are not begun after one has failed, whose error is thrown when the others have ended', async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 8 }),
      async (failing, concurrency) => {
        const begun: number[] = []
        let running = 0
        let failedAt = Number.POSITIVE_INFINITY
        const all = inParallel(
          from(Array.from({ length: 40 }, (__, index) => index)),
          async (index) => {
            begun.push(index)
            running += 1
            await turn()
            running -= 1
            if (index !== failing) return
            failedAt = begun.length
            throw new Error(`item ${index} failed`)
          },
          concurrency,
        )
        await expect(all).rejects.toThrow(`item ${failing} failed`)
        expect(running).toBe(0)
        expect(begun).toHaveLength(failedAt)
        expect(failedAt).toBeLessThanOrEqual(failing + concurrency)
      },
    )
    await fc.assert(law, { numRuns: casesOf(200) })
  })
})

test('an error of the source is thrown, and no item is taken after an error', async () => {
  let taken = 0
  function* source(): Generator<number> {
    for (;;) {
      taken += 1
      if (taken === 3) throw new Error('the source failed')
      yield taken
    }
  }
  await expect(inParallel(source(), () => turn())).rejects.toThrow('the source failed')
  expect(taken).toBe(3)
  taken = 10
  const failing = inParallel(source(), () => Promise.reject(new Error('the work failed')), 1)
  await expect(failing).rejects.toThrow('the work failed')
  expect(taken).toBe(11)
})

test('no items are no work', async () => {
  await inParallel([], () => Promise.reject(new Error('unexpected')))
})
