import { expect, test } from '@jest/globals'
import { RecentDeletions } from '../../../operator/kube/cache/recent-deletions.ts'

const minute = 60_000
let now = 0
const uidsIn = (deletions: RecentDeletions, count: number) =>
  Array.from({ length: count }, (_, i) => `${i}`).filter((uid) => deletions.versionOf(uid) !== undefined)

test('a deletion is remembered while an older version may arrive, and forgotten after a while', () => {
  now = 0
  const deletions = new RecentDeletions(() => now)
  deletions.add('0', 7n)
  now = 4 * minute
  deletions.add('1', 8n)
  expect([deletions.versionOf('0'), deletions.versionOf('1')]).toEqual([7n, 8n])
  for (const at of [6, 12]) {
    now = at * minute
    deletions.add('2', 9n)
  }
  expect([deletions.versionOf('0'), deletions.versionOf('1'), deletions.versionOf('2')]).toEqual([
    undefined,
    undefined,
    9n,
  ])
})

test('the newest version of a deletion counts', () => {
  const deletions = new RecentDeletions()
  for (const version of [5n, 9n, 7n]) deletions.add('0', version)
  expect(deletions.versionOf('0')).toBe(9n)
})

test('any number of deletions at once takes bounded memory, and the last ones are remembered', () => {
  const deletions = new RecentDeletions(() => 0)
  for (let i = 0; i < 100_000; i += 1) deletions.add(`${i}`, 1n)
  const remembered = uidsIn(deletions, 100_000)
  expect(remembered.length).toBeLessThanOrEqual(40_002)
  expect(remembered).toEqual(
    Array.from({ length: remembered.length }, (_, i) => `${100_000 - remembered.length + i}`),
  )
})

test('nothing is remembered after a restore of etcd', () => {
  const deletions = new RecentDeletions()
  deletions.add('0', 1n)
  deletions.clear()
  expect(deletions.versionOf('0')).toBeUndefined()
})
