import { describe, expect, test } from '@jest/globals'
import { createFairQueue } from '../../../operator/domain/base/fair-queue.ts'
import { casesOf, fc } from '../../support/properties.ts'

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

  test('preferred items are before others, in order of arrival, and four in a row at most', () => {
    const turns = createFairQueue<string>()
    for (const item of ['a1', 'a2', 'a3']) turns.add('a', item)
    for (const item of ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']) turns.add('a', item, true)
    turns.add('a', 'a3', true)
    const taken = Array.from({ length: 9 }, () => turns.take())
    expect(taken).toEqual(['p1', 'p2', 'p3', 'p4', 'a1', 'p5', 'p6', 'a2', 'a3'])
  })

  test('all items come once, and none waits for more than its turn', () => {
    const step = fc.oneof(fc.constant('take' as const), fc.boolean())
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const turns = createFairQueue<number>()
        const waiting: Record<'preferred' | 'other', number[]> = { preferred: [], other: [] }
        let inARow = 0
        const take = () => {
          const hasOthers = waiting.other.length > 0
          const kind = waiting.preferred.length > 0 && !(inARow >= 4 && hasOthers) ? 'preferred' : 'other'
          expect(turns.take()).toBe(waiting[kind].shift())
          // An owner without items is forgotten.
          inARow = kind === 'preferred' && turns.size > 0 ? inARow + 1 : 0
        }
        for (const [index, each] of steps.entries()) {
          if (each === 'take') take()
          else {
            turns.add('a', index, each)
            waiting[each ? 'preferred' : 'other'].push(index)
          }
          expect(turns.size).toBe(waiting.preferred.length + waiting.other.length)
        }
        while (turns.size > 0) take()
      }),
      { numRuns: casesOf(500) },
    )
  })
})
