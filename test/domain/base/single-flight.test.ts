import { describe, expect, test } from '@jest/globals'
import { createSingleFlight } from '../../../operator/domain/base/single-flight.ts'

function setUp() {
  const share = createSingleFlight<string>()
  const calls: PromiseWithResolvers<string>[] = []
  const call = () => {
    const next = Promise.withResolvers<string>()
    calls.push(next)
    return next.promise
  }
  return { calls, run: (key: string) => share(key, call) }
}

describe('a single flight', () => {
  test('callers during a call get its result', async () => {
    const { calls, run } = setUp()
    const results = Promise.all([run('a'), run('a')])
    calls[0]?.resolve('first')
    expect(await results).toEqual(['first', 'first'])
    expect(calls).toHaveLength(1)
  })

  test('callers during a call get its error', async () => {
    const { calls, run } = setUp()
    const results = Promise.allSettled([run('a'), run('a')])
    calls[0]?.reject(new Error('no'))
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(calls).toHaveLength(1)
  })

  test.each<[after: string, end: (call: PromiseWithResolvers<string> | undefined) => void]>([
    ['a result', (call) => call?.resolve('first')],
    ['an error', (call) => call?.reject(new Error('no'))],
  ])('a caller after %s begins the next call', async (_, end) => {
    const { calls, run } = setUp()
    const first = run('a').catch(() => {})
    end(calls[0])
    await first
    const second = run('a')
    calls[1]?.resolve('second')
    expect(await second).toBe('second')
  })

  test('each key has its own call', () => {
    const { calls, run } = setUp()
    void run('a')
    void run('b')
    expect(calls).toHaveLength(2)
  })
})
