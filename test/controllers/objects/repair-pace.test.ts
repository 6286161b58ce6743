import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { RepairPace } from '../../../operator/controllers/objects/repair-pace.ts'

const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'acme--shop--dev', name: 'settings' }

let enqueued: string[]
let pace: RepairPace

beforeEach(() => {
  jest.useFakeTimers()
  enqueued = []
  pace = new RepairPace(
    (key) => enqueued.push(key),
    () => Date.now(),
  )
})
afterEach(() => void jest.useRealTimers())

/** Asks for repairs, and returns how many may begin. */
function repairsOf(key: string, count: number): number {
  return Array.from({ length: count }, () => pace.take(key, object)).filter(Boolean).length
}

test('ten repairs begin at once, and one each thirty seconds after them', () => {
  expect(repairsOf('acme/a', 50)).toBe(10)
  expect(pace.contested('acme/a')).toEqual(object)
  for (let i = 0; i < 3; i += 1) {
    jest.advanceTimersByTime(30_000)
    expect(enqueued.splice(0)).toEqual(['acme/a'])
    expect(repairsOf('acme/a', 50)).toBe(1)
  }
})

test('repairs of one resource do not delay those of another, and few of them are no contest', () => {
  repairsOf('acme/a', 50)
  expect(repairsOf('acme/b', 10)).toBe(10)
  expect(pace.contested('acme/b')).toBeUndefined()
})

test('a contest ends when no repair was needed for five minutes', () => {
  repairsOf('acme/a', 11)
  jest.advanceTimersByTime(30_000)
  repairsOf('acme/a', 1)
  enqueued = []
  jest.advanceTimersByTime(299_000)
  expect([enqueued, pace.contested('acme/a')]).toEqual([[], object])
  jest.advanceTimersByTime(2000)
  expect([enqueued, pace.contested('acme/a')]).toEqual([['acme/a'], undefined])
  expect(repairsOf('acme/a', 50)).toBe(10)
})

test('a contest ends also when no repair follows its pause', () => {
  repairsOf('acme/a', 11)
  jest.advanceTimersByTime(30_000)
  expect([enqueued.splice(0), pace.contested('acme/a')]).toEqual([['acme/a'], object])
  jest.advanceTimersByTime(302_000)
  expect([enqueued, pace.contested('acme/a')]).toEqual([['acme/a'], undefined])
})

test('of several objects that another client changes, one is named until the next repair', () => {
  const other = { ...object, name: 'other' }
  repairsOf('acme/a', 11)
  for (let i = 0; i < 3; i += 1) {
    pace.take('acme/a', other)
    expect(pace.contested('acme/a')).toEqual(object)
  }
  jest.advanceTimersByTime(30_000)
  pace.take('acme/a', other)
  expect(pace.contested('acme/a')).toEqual(other)
})

test('repairs that change nothing have the same pauses, and are no contest', () => {
  repairsOf('acme/a', 10)
  pace.noteRepaired('acme/a', false)
  expect(repairsOf('acme/a', 5)).toBe(0)
  expect(pace.contested('acme/a')).toBeUndefined()
  jest.advanceTimersByTime(30_000)
  expect(enqueued.splice(0)).toEqual(['acme/a'])
  expect(repairsOf('acme/a', 1)).toBe(1)
})

test('a contest ends with a repair that changes nothing, and begins after one that does', () => {
  repairsOf('acme/a', 11)
  pace.noteRepaired('acme/a', false)
  expect(pace.contested('acme/a')).toBeUndefined()
  pace.noteRepaired('acme/a', true)
  expect(repairsOf('acme/a', 1)).toBe(0)
  expect(pace.contested('acme/a')).toEqual(object)
})

test('a resource that is removed is not enqueued any more', () => {
  repairsOf('acme/a', 11)
  pace.forget('acme/a')
  jest.advanceTimersByTime(600_000)
  expect([enqueued, pace.contested('acme/a')]).toEqual([[], undefined])
})
