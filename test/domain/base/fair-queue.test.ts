import { describe, expect, test } from '@jest/globals'
import { createFairQueue, type Urgency } from '../../../operator/domain/base/fair-queue.ts'
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

  test('more urgent items are before others, in order of arrival, and four in a row at most', () => {
    const turns = createFairQueue<string>()
    for (const item of ['l1', 'l2']) turns.add('a', item, 'low')
    for (const item of ['n1', 'n2', 'n3']) turns.add('a', item)
    for (const item of ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']) turns.add('a', item, 'high')
    const taken = Array.from({ length: 11 }, () => turns.take())
    expect(taken).toEqual(['h1', 'h2', 'h3', 'h4', 'n1', 'h5', 'h6', 'n2', 'n3', 'l1', 'l2'])
  })

  test('an item becomes more urgent, and never less', () => {
    const turns = createFairQueue<string>()
    for (const item of ['x1', 'x2', 'x3']) turns.add('a', item, 'low')
    turns.add('a', 'x3')
    turns.add('a', 'x2', 'high')
    turns.add('a', 'x2', 'low')
    expect([turns.size, turns.take(), turns.take(), turns.take(), turns.size]).toEqual([
      3,
      'x2',
      'x3',
      'x1',
      0,
    ])
  })

  test('all items come once, the most urgent one whose turn it is first', () => {
    const urgency = fc.constantFrom<Urgency>('high', 'normal', 'low')
    const step = fc.oneof(fc.constant('take' as const), fc.record({ item: fc.nat(20), urgency }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const turns = createFairQueue<number>()
        const levels = (['high', 'normal', 'low'] as const).map((of) => ({
          of,
          items: [] as number[],
          inARow: 0,
        }))
        const sizeFrom = (index: number) =>
          levels.slice(index).reduce((sum, { items }) => sum + items.length, 0)
        const take = () => {
          const isTurn = ({ items, inARow }: (typeof levels)[number], index: number) =>
            items.length > 0 && (inARow < 4 || sizeFrom(index + 1) === 0)
          const next = levels.findIndex(isTurn)
          expect(turns.take()).toBe(levels[next]?.items.shift())
          for (const [index, level] of levels.entries())
            if (sizeFrom(0) === 0 || index < next) level.inARow = 0
            else if (index === next) level.inARow += 1
        }
        for (const each of steps) {
          if (each === 'take') {
            if (turns.size > 0) take()
            continue
          }
          turns.add('a', each.item, each.urgency)
          const [known, wanted] = [
            levels.findIndex(({ items }) => items.includes(each.item)),
            levels.findIndex(({ of }) => of === each.urgency),
          ]
          if (known === -1 || wanted < known) {
            const before = levels[known]
            if (before) before.items = before.items.filter((item) => item !== each.item)
            levels[wanted]?.items.push(each.item)
          }
          expect(turns.size).toBe(sizeFrom(0))
        }
        while (turns.size > 0) take()
      }),
      { numRuns: casesOf(500) },
    )
  })

  test('no item waits for ever: one of low urgency comes after at most 24 others of its owner', () => {
    const turns = createFairQueue<number>()
    turns.add('a', -1, 'low')
    let taken = 0
    for (let next: number | undefined = 0; next !== -1; taken += 1) {
      for (const urgency of ['high', 'normal'] as const)
        for (let index = 0; index < 5; index += 1)
          turns.add('a', taken * 10 + index + (urgency === 'high' ? 5 : 0), urgency)
      next = turns.take()
    }
    expect(taken).toBeLessThanOrEqual(25)
  })
})
