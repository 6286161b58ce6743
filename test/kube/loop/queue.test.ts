import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { createQueue } from '../../../operator/kube/loop/queue.ts'
import { casesOf, fc } from '../../support/properties.ts'

/** Remembers when each key was added and run, counted in events. */
function createHistory() {
  let clock = 0
  const lastAdd = new Map<string, number>()
  const lastStart = new Map<string, number>()
  return {
    added: (key: string) => lastAdd.set(key, (clock += 1)),
    started: (key: string) => lastStart.set(key, (clock += 1)),
    /** Keys that were added after their last run began. */
    forgotten: () => [...lastAdd].filter(([key, at]) => (lastStart.get(key) ?? 0) < at).map(([key]) => key),
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd', 'e') }) },
  { weight: 1, arbitrary: fc.record({ later: fc.constantFrom('a', 'b', 'c'), after: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ turns: fc.nat(3) }) },
)

describe('a queue', () => {
  test('never runs a key twice at once, keeps to its workers, and follows every add with a run that starts after it', async () => {
    const scripts = fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      fc.nat(4),
      async (steps, workers, busy) => {
        const history = createHistory()
        const running = new Set<string>()
        const faults: string[] = []
        const queue = createQueue(workers, async (key) => {
          if (running.has(key)) faults.push(`${key} twice at once`)
          running.add(key)
          if (running.size > workers) faults.push('too many workers')
          history.started(key)
          for (let left = busy; left > 0; left -= 1) await turn()
          running.delete(key)
        })
        for (const each of steps) {
          if ('add' in each) {
            history.added(each.add)
            queue.add(each.add)
          } else if ('later' in each) queue.addAfter(each.later, each.after)
          else for (let left = each.turns; left > 0; left -= 1) await turn()
        }
        await queue.idle()
        expect([...faults, ...history.forgotten()]).toEqual([])
        await queue.stop()
      },
    )
    await fc.assert(scripts, { numRuns: casesOf(300) })
  })

  test('is fair to namespaces: none waits for all keys of another', async () => {
    const runs: string[] = []
    const queue = createQueue(1, async (key) => {
      runs.push(key)
      await turn()
    })
    for (const key of ['acme/1', 'acme/2', 'acme/3', 'globex/1', 'acme/4']) queue.add(key)
    await queue.idle()
    await queue.stop()
    expect(runs).toEqual(['acme/1', 'globex/1', 'acme/2', 'acme/3', 'acme/4'])
  })

  test('ends what has begun: a key that is under way, or changed while it ran, is before new ones, except every fifth time', async () => {
    const runs: string[] = []
    const queue = createQueue(1, async (key) => {
      runs.push(key)
      if (runs.length === 1) queue.add(key)
      await turn()
    })
    for (const key of ['new-1', 'new-2', 'new-3']) queue.add(key)
    for (const key of ['begun-1', 'begun-2', 'begun-3', 'begun-4']) queue.add(key, 'high')
    await queue.idle()
    await queue.stop()
    expect(runs.join(' ')).toBe('new-1 begun-1 begun-2 begun-3 begun-4 new-2 new-1 new-3')
  })

  test('runs once a key that is added many times in one burst', async () => {
    const runs: string[] = []
    const queue = createQueue(2, async (key) => {
      runs.push(key)
    })
    for (const key of ['a', 'a', 'b', 'a', 'c', 'c']) queue.add(key)
    await queue.idle()
    expect(runs.sort()).toEqual(['a', 'b', 'c'])
  })

  test.each<
    [
      rule: string,
      act: (add: (key: string) => void, after: (key: string, ms: number) => void) => void,
      runs: number,
    ]
  >([
    ['a delayed key runs after its delay', (_, after) => after('a', 20), 1],
    [
      'the earlier of two times counts',
      (_, after) => {
        after('a', 5000)
        after('a', 20)
        after('a', 5000)
      },
      1,
    ],
    [
      'an add at once takes the place of a delayed one',
      (add, after) => {
        after('a', 20)
        add('a')
      },
      1,
    ],
    ['a key does not run before its delay', (_, after) => after('a', 5000), 0],
  ])('%s', async (_, act, runs) => {
    let started = 0
    const queue = createQueue(1, async () => {
      started += 1
    })
    act(
      (key) => queue.add(key),
      (key, ms) => queue.addAfter(key, ms),
    )
    await sleep(120)
    expect(started).toBe(runs)
    await queue.stop()
  })

  test('forgets the delay that a run asks for when the next run of the key begins', async () => {
    let runs = 0
    const queue = createQueue(1, async (key) => {
      runs += 1
      // The object changes while the first run looks at it.
      if (runs === 1) queue.add(key)
      queue.addAfter(key, runs === 1 ? 10 : 60_000)
      await turn()
    })
    queue.add('a')
    await sleep(100)
    await queue.stop()
    expect(runs).toBe(2)
  })

  test('waits for a delay that is longer than any timer', async () => {
    let runs = 0
    const queue = createQueue(1, async () => {
      runs += 1
    })
    queue.addAfter('due in a month', 30 * 86_400_000)
    await sleep(20)
    expect(runs).toBe(0)
    await queue.stop()
  })

  test('that is stopped accepts no keys, and ends after its running work', async () => {
    let runs = 0
    let ended = 0
    const queue = createQueue(1, async () => {
      runs += 1
      await sleep(30)
      ended += 1
    })
    queue.add('running')
    queue.add('waiting')
    queue.addAfter('delayed', 1)
    await turn()
    await queue.stop()
    expect({ runs, ended }).toEqual({ runs: 1, ended: 1 })
    queue.add('late')
    queue.addAfter('later', 0)
    await sleep(20)
    expect({ runs, depth: queue.depth }).toEqual({ runs: 1, depth: 0 })
    await queue.idle()
  })
})
