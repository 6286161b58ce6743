import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createQueue } from '../../../operator/kube/loop/queue.ts'

describe('work that waits for another system', () => {
  test('leaves its place to others, and never are more than the workers at work', async () => {
    const count = 20
    const ended = new AbortController()
    const { promise: allAway, resolve: leave } = Promise.withResolvers<void>()
    let atWork = 0
    let most = 0
    let away = 0
    let mostAway = 0
    const busy = async () => {
      atWork += 1
      most = Math.max(most, atWork)
      await sleep(1)
      atWork -= 1
    }
    const queue = createQueue(2, async (key) => {
      await busy()
      await queue.releaseWorker(key, async () => {
        away += 1
        mostAway = Math.max(mostAway, away)
        if (away === count) leave()
        await Promise.race([allAway, sleep(2000, undefined, { signal: ended.signal })]).catch(() => {})
        away -= 1
      })
      await busy()
    })
    for (let each = 0; each < count; each += 1) queue.add(`key-${each}`)
    await queue.idle()
    ended.abort()
    expect(most).toBe(2)
    expect(mostAway).toBe(count)
  })

  test('returns its result', async () => {
    const outcomes: unknown[] = []
    const queue = createQueue(1, async (key) => {
      outcomes.push(
        await queue
          .releaseWorker(key, async () => {
            if (key === 'bad') throw new Error('no')
            return key
          })
          .catch((error: unknown) => error),
      )
    })
    queue.add('good')
    queue.add('bad')
    await queue.idle()
    expect(outcomes.map(String).sort()).toEqual(['Error: no', 'good'])
  })

  test('ends although the queue was stopped meanwhile', async () => {
    let ended = 0
    const queue = createQueue(1, async (key) => {
      await queue.releaseWorker(key, () => sleep(10))
      ended += 1
    })
    for (let each = 0; each < 5; each += 1) queue.add(`key-${each}`)
    await sleep(2)
    await queue.stop()
    expect(ended).toBe(5)
  })

  test.each([1, 8, 64])(
    'of one namespace never uses the workers of another, with %i of them, and all end',
    async (workers) => {
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
      const { promise: allHome, resolve: home } = Promise.withResolvers<void>()
      let away = 0
      let mostAway = 0
      let ended = 0
      let others = 0
      const queue = createQueue(workers, async (key) => {
        if (key.startsWith('globex/')) {
          await queue.releaseWorker(key, async () => {})
          others += 1
          if (others === 200) home()
          return
        }
        await queue.releaseWorker(key, async () => {
          away += 1
          mostAway = Math.max(mostAway, away)
          await answered
          away -= 1
        })
        ended += 1
      })
      for (let each = 0; each < 5000; each += 1) queue.add(`acme/${each}`)
      for (let before = -1; before !== queue.depth; await sleep(2)) before = queue.depth
      for (let each = 0; each < 200; each += 1) queue.add(`globex/${each}`)
      await allHome
      expect({ ended, others }).toEqual({ ended: 0, others: 200 })
      expect(mostAway).toBeGreaterThanOrEqual(500)
      answer()
      await queue.idle()
      expect(mostAway).toBeLessThan(500 + workers)
      expect(ended).toBe(5000)
    },
  )

  test('of one namespace continues when one of its workers returns', async () => {
    const answers: (() => void)[] = []
    const started: string[] = []
    const queue = createQueue(1, async (key) => {
      started.push(key)
      await queue.releaseWorker(key, () => new Promise<void>((resolve) => answers.push(resolve)))
    })
    for (let each = 0; each < 502; each += 1) queue.add(`acme/${each}`)
    while (started.length < 500) await sleep(1)
    await sleep(1)
    expect(started).toHaveLength(500)
    queue.add('globex/1')
    await sleep(1)
    expect(started.slice(500)).toEqual(['globex/1'])
    answers.shift()?.()
    await sleep(1)
    expect(started.slice(501)).toEqual(['acme/500'])
    for (let left = 0; left < 502; left += 1) {
      answers.shift()?.()
      await sleep(0)
    }
    await queue.idle()
    expect(started).toHaveLength(503)
  })
})
