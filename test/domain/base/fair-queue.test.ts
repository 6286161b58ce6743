import { describe, expect, test } from '@jest/globals'
import { createFairQueue } from '../../../operator/domain/base/fair-queue.ts'

/** Items in the order in which they are taken; those of an owner begin with its letter. */
function orderOf(items: readonly string[]) {
  const turns = turnsOf(items)
  const taken: string[] = []
  for (let item = turns.take(); item !== undefined; item = turns.take()) taken.push(item)
  expect(turns.size).toBe(0)
  return taken
}

function turnsOf(items: readonly string[]) {
  const turns = createFairQueue<string>()
  for (const item of items) turns.add(item.charAt(0), item)
  expect(turns.size).toBe(new Set(items).size)
  return turns
}

describe('the fair queue', () => {
  test.each<[rule: string, items: string[], expected: string[]]>([
    ['nothing', [], []],
    ['first in, first out for one owner', ['a1', 'a2', 'a3'], ['a1', 'a2', 'a3']],
    ['one owner after the other', ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']],
    ['an item that waits already keeps its place', ['a1', 'a2', 'a1'], ['a1', 'a2']],
  ])('%s', (_, items, expected) => {
    expect(orderOf(items)).toEqual(expected)
  })

  test('it is empty after all items were removed', () => {
    const turns = turnsOf(['a1', 'b1'])
    turns.clear()
    expect([turns.size, turns.take()]).toEqual([0, undefined])
  })

  test('a new owner is before another item of the last owner', () => {
    const turns = turnsOf(['a1', 'a2', 'a3'])
    expect(turns.take()).toBe('a1')
    turns.add('b', 'b1')
    expect([turns.take(), turns.take(), turns.take()]).toEqual(['b1', 'a2', 'a3'])
  })

  test('items are counted by owner', () => {
    const turns = turnsOf(['a1', 'a2', 'b1'])
    expect([turns.countOf('a'), turns.countOf('b'), turns.countOf('c')]).toEqual([2, 1, 0])
  })

  test('a paused owner has no item until it is resumed, in spite of new items, and is counted', () => {
    const turns = turnsOf(['a1', 'a2', 'b1'])
    turns.pause('a')
    turns.pause('a')
    turns.pause('c')
    turns.add('a', 'a3')
    turns.add('c', 'c1')
    expect([turns.size, turns.countOf('a'), turns.countOf('c')]).toEqual([5, 3, 1])
    expect([turns.take(), turns.take()]).toEqual(['b1', undefined])
    turns.resume('a')
    turns.resume('d')
    expect([turns.take(), turns.take(), turns.take(), turns.take()]).toEqual(['a1', 'a2', 'a3', undefined])
    turns.resume('c')
    expect([turns.take(), turns.size]).toEqual(['c1', 0])
  })

  test('clearing also removes items of paused owners', () => {
    const turns = turnsOf(['a1'])
    turns.pause('a')
    turns.clear()
    turns.resume('a')
    expect([turns.size, turns.take()]).toEqual([0, undefined])
  })
})
