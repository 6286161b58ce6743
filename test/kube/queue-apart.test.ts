import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createQueue } from '../../operator/kube/queue.ts'

describe('a part of the work that waits for somebody else', () => {
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
    const queue = createQueue(2, async () => {
      await busy()
      await queue.apart(async () => {
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

  test('tells how it ended', async () => {
    const outcomes: unknown[] = []
    const queue = createQueue(1, async (key) => {
      outcomes.push(
        await queue
          .apart(async () => {
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
    const queue = createQueue(1, async () => {
      await queue.apart(() => sleep(10))
      ended += 1
    })
    for (let each = 0; each < 5; each += 1) queue.add(`key-${each}`)
    await sleep(2)
    await queue.stop()
    expect(ended).toBe(5)
  })
})
