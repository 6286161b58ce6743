import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createBatcher } from '../../../operator/drivers/dns-cloudflare/batcher.ts'

const { signal } = new AbortController()

/** A batcher of texts, whose key is their first letter; each batch takes some time. */
function batcherOf(options: { readonly collectMs: number; readonly enough: number }) {
  const batches: string[][] = []
  let running = 0
  let mostAtOnce = 0
  const batcher = createBatcher<string>({
    ...options,
    clock: () => performance.now(),
    keyOf: ([letter = '']) => letter,
    async run(batch) {
      batches.push(batch.map(({ item }) => item))
      running += 1
      mostAtOnce = Math.max(mostAtOnce, running)
      await sleep(20)
      running -= 1
      for (const each of batch) each.settle()
    },
  })
  const addAll = (items: readonly string[]) => Promise.all(items.map((each) => batcher.add(each, signal)))
  return { batcher, batches, addAll, mostAtOnce: () => mostAtOnce }
}

test('items that follow one another join one batch', async () => {
  const { batches, batcher } = batcherOf({ collectMs: 200, enough: 10 })
  const first = batcher.add('a', signal)
  await sleep(1)
  await Promise.all([first, batcher.add('b', signal)])
  expect(batches).toEqual([['a', 'b']])
})

test('a batch with enough items begins at once', async () => {
  const { batches, addAll } = batcherOf({ collectMs: 60_000, enough: 2 })
  await addAll(['a', 'b'])
  expect(batches).toEqual([['a', 'b']])
}, 10_000)

test('items that are added during a batch wait for its end, also those with the same key', async () => {
  const { batches, batcher, addAll, mostAtOnce } = batcherOf({ collectMs: 1, enough: 2 })
  const first = addAll(['a', 'a2'])
  while (batches.length === 0) await sleep(1)
  await Promise.all([first, batcher.add('b', signal)])
  expect(batches).toEqual([['a'], ['a2', 'b']])
  expect(mostAtOnce()).toBe(1)
})
