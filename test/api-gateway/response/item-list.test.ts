import { expect, test } from '@jest/globals'
import { createLongWork } from '../../../api-gateway/long-work.ts'
import { serializeItems } from '../../../api-gateway/response/item-list.ts'

test('a long list lets other requests run before it is complete, and counts as memory while it is made', async () => {
  let hasRun = false
  setImmediate(() => {
    hasRun = true
  })
  const item = 'x'.repeat(1_500_000)
  const { run } = createLongWork()
  let counted = 0
  const { content, count } = await serializeItems([item, item, item], (each) => each, {
    inTurn: (work) => run('ada', async (next) => work(next)),
    reserveAnswer(bytes) {
      counted += bytes
    },
  })
  expect([hasRun, count, JSON.parse(content)]).toEqual([true, 3, [item, item, item]])
  expect(counted).toBe(3 * (item.length + 2))
})
