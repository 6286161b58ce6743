import { expect, test } from '@jest/globals'
import { type Entry, entryFor, invalidate, readAgain, use } from '../../../portal/api/read-store.ts'
import { casesOf, fc } from '../../support/properties.ts'

let count = 0

/** Something with a value that changes, at an unused address. */
function something() {
  const address = `/things/${(count += 1)}`
  const thing = {
    address,
    value: 0,
    reads: 0,
    /** A page draws it: an entry that is known already stays the same. */
    draw: (): Entry =>
      entryFor(address, async () => {
        thing.reads += 1
        return thing.value
      }),
  }
  return thing
}

const settled = async ({ running }: Entry) => running

test('a change between the first drawing and the first use is not the last one that the page shows', async () => {
  const thing = something()
  const entry = thing.draw()
  await readAgain(thing.address)
  use(entry)
  thing.value = 1
  await readAgain(thing.address)
  expect(entry.state.value).toEqual({ data: 1, problem: undefined, isLoading: false })
})

test('the answer of a page that is left is forgotten with the next change', async () => {
  const thing = something()
  const entry = thing.draw()
  const leave = use(entry)
  await settled(entry)
  leave()
  await invalidate('/things')
  expect(thing.draw().state.value).toEqual({ data: undefined, problem: undefined, isLoading: true })
  expect(thing.reads).toBe(1)
})

test('in any order of drawing, use, changes, reports of changes, and leaving, a page shows the last reported value', async () => {
  const steps = fc.array(fc.constantFrom('draw', 'use', 'leave', 'change', 'wait'), { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const thing = something()
      let drawn: Entry | undefined
      let leave: (() => void) | undefined
      for (const step of each) {
        if (step === 'draw') drawn ??= thing.draw()
        if (step === 'use' && drawn) leave ??= use(drawn)
        if (step === 'leave') {
          leave?.()
          if (leave) drawn = leave = undefined
        }
        if (step === 'change') {
          thing.value += 1
          void readAgain(thing.address)
        }
        if (step === 'wait') await new Promise(setImmediate)
      }
      if (!leave || !drawn) return
      await settled(drawn)
      expect(drawn.state.value.data).toBe(thing.value)
    }),
    { numRuns: casesOf(2000) },
  )
})

test('many addresses that no page uses are forgotten, but not one that a page uses or is about to use', async () => {
  const used = something()
  const entry = used.draw()
  const leave = use(entry)
  const things = Array.from({ length: 300 }, something)
  for (const thing of things) expect(thing.draw()).toBe(thing.draw())
  const [first, last] = [things[0], things.at(-1)]
  const before = first?.draw()
  expect(last?.draw().users).toBe(0)
  for (const thing of things) thing.draw()
  expect(first?.draw()).not.toBe(before)
  expect(used.draw()).toBe(entry)
  leave()
})
