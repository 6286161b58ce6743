import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { startTimeLimit } from '../../operator/outbound/time-limit.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('a pause costs no time, and leaves the time that remained before it', () => {
  const limit = startTimeLimit(1000)
  jest.advanceTimersByTime(400)
  limit.pause()
  jest.advanceTimersByTime(5000)
  limit.resume()
  jest.advanceTimersByTime(599)
  expect(limit.signal.aborted).toBe(false)
  jest.advanceTimersByTime(1)
  expect(limit.signal.aborted).toBe(true)
})

test('two pauses leave what both left', () => {
  const limit = startTimeLimit(1000)
  for (let turn = 0; turn < 2; turn += 1) {
    jest.advanceTimersByTime(400)
    limit.pause()
    jest.advanceTimersByTime(5000)
    limit.resume()
  }
  jest.advanceTimersByTime(199)
  expect(limit.signal.aborted).toBe(false)
  jest.advanceTimersByTime(1)
  expect(limit.signal.aborted).toBe(true)
})

test('a limit that ended never aborts', () => {
  const limit = startTimeLimit(1000)
  limit.end()
  jest.advanceTimersByTime(5000)
  expect(limit.signal.aborted).toBe(false)
})
