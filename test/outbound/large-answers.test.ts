import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { eventually } from '../../dev/control-plane/kubernetes.ts'
import { createLargeAnswers } from '../../operator/outbound/large-answers.ts'
import type { OutboundRequest } from '../../operator/outbound/outbound.ts'
import { closeAll, get, guard, serve } from './support/servers.ts'

afterEach(closeAll)

/** Enters, and says in `log` when it may begin. */
function entering(ofAll: number, ofOwner: number) {
  const answers = createLargeAnswers({ ofAll, ofOwner })
  const log: string[] = []
  return {
    log,
    async enter(owner: string, signal = new AbortController().signal): Promise<() => void> {
      const leave = await answers.enter(owner, signal)
      log.push(owner)
      return leave
    },
  }
}

const codeOf = ({ code }: { code: string }) => code

const turn = () => new Promise(setImmediate)

describe('of large answers', () => {
  test('an owner reads few at the same time', async () => {
    const { enter, log } = entering(16, 2)
    const [leave] = await Promise.all([enter('a'), enter('a')])
    void enter('a')
    await turn()
    expect(log).toEqual(['a', 'a'])
    leave()
    await turn()
    expect(log).toEqual(['a', 'a', 'a'])
  })

  test('all owners together read few', async () => {
    const { enter, log } = entering(2, 2)
    const [leave] = await Promise.all([enter('a'), enter('b')])
    void enter('c')
    await turn()
    expect(log).toEqual(['a', 'b'])
    leave()
    await turn()
    expect(log).toEqual(['a', 'b', 'c'])
  })

  test('an owner that waits holds up no other', async () => {
    const { enter, log } = entering(2, 1)
    await enter('a')
    void enter('a')
    await enter('b')
    expect(log).toEqual(['a', 'b'])
  })

  test.each(['a', 'b'])('one that is given up keeps no other: a later one of %s', async (owner) => {
    const { enter, log } = entering(1, 2)
    const leave = await enter('a')
    const over = new AbortController()
    const given = enter('a', over.signal)
    over.abort(new Error('late'))
    await expect(given).rejects.toThrow('late')
    await expect(enter('a', over.signal)).rejects.toThrow('late')
    void enter(owner)
    leave()
    await turn()
    expect(log).toEqual(['a', owner])
  })

  test('one organization does not fill the memory, nor hold up another, or its own small answers', async () => {
    const part = 65_536
    // More than connections hold outside of the process.
    const whole = 512 * part
    const sent: number[] = []
    const { port } = await serve((request, response) => {
      if (request.url !== '/slow') return response.end('x'.repeat(request.url === '/small' ? 60_000 : 70_000))
      const index = sent.push(0) - 1
      const more = (): void => {
        const bytes = (sent[index] ?? 0) + part
        sent[index] = bytes
        const isTaken = response.write('x'.repeat(part))
        if (bytes >= whole) return // and never ends
        if (isTaken) setImmediate(more)
        else response.once('drain', more)
      }
      return more()
    })
    const outbound = guard({ allowed: ['127.0.0.0/8'] })
    const over = new AbortController()
    const call = (path: string, owner: string, signal = new AbortController().signal) =>
      outbound.request({
        ...get(`http://127.0.0.1:${port}${path}`, { totalMs: 60_000, maxBytes: 2 * whole }),
        owner,
        signal,
      })
    const slow = Array.from({ length: 6 }, () => call('/slow', 'greedy', over.signal).catch(codeOf))
    const read = () => sent.filter((bytes) => bytes === whole).length
    await eventually('four of them', 30_000, async () => read() >= 4 || undefined)
    expect((await call('/large', 'other')).text.length).toBe(70_000)
    expect((await call('/small', 'greedy')).text.length).toBe(60_000)
    expect([sent.length, read()]).toEqual([6, 4])
    over.abort()
    expect(await Promise.all(slow)).toEqual(Array.from({ length: 6 }, () => 'Aborted'))
    expect((await call('/large', 'greedy')).text.length).toBe(70_000)
  })

  describe('while others are read, the server of one', () => {
    /** Calls of one organization: four that are read until `end`, and one that is answered after a pause. */
    async function busy(totalMs: number, pauseMs: number) {
      const { port } = await serve((request, response) => {
        if (request.url === '/slow') return response.write('x'.repeat(70_000))
        return setTimeout(() => response.end('x'.repeat(70_000)), pauseMs)
      })
      const outbound = guard({ allowed: ['127.0.0.0/8'] })
      const over = new AbortController()
      const call = (path: string, changes: Partial<OutboundRequest>) =>
        outbound.request({ ...get(`http://127.0.0.1:${port}${path}`, changes), owner: 'acme' })
      const slow = Array.from({ length: 4 }, () =>
        call('/slow', { totalMs: 60_000, signal: over.signal }).catch(() => 'ended'),
      )
      await sleep(300)
      return {
        answer: call('/large', { totalMs }),
        async end() {
          over.abort()
          await Promise.all(slow)
        },
      }
    }

    test('has all of its time', async () => {
      const { answer, end } = await busy(3000, 2000)
      setTimeout(() => void end(), 4000)
      expect((await answer).text.length).toBe(70_000)
    })

    test('is not blamed when the wait is too long', async () => {
      const { answer, end } = await busy(300, 0)
      await expect(answer).rejects.toMatchObject({ code: 'Busy' })
      await end()
    })
  })
})
