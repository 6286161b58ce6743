import { expect, test } from '@jest/globals'
import { createLongWork } from '../../../api-gateway/long-work.ts'
import { serializeItems } from '../../../api-gateway/response/item-list.ts'

test('a long list lets other requests run before it is complete', async () => {
  let hasRun = false
  setImmediate(() => {
    hasRun = true
  })
  const item = 'x'.repeat(1_500_000)
  const { run } = createLongWork()
  const { content, count } = await serializeItems(
    [item, item, item],
    (each) => each,
    (work) => run('ada', async (next) => work(next)),
  )
  expect([hasRun, count, JSON.parse(content)]).toEqual([true, 3, [item, item, item]])
})
