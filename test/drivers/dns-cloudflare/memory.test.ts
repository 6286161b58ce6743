import { describe, expect, test } from '@jest/globals'
import { createZoneMemory } from '../../../operator/drivers/dns-cloudflare/memory.ts'
import { type ExistingRecord, markOf } from '../../../operator/drivers/dns-cloudflare/record.ts'

const name = 'shop.example.test'
const mark = markOf('0a1b2c3d', 'a'.repeat(40))

function held(id: string, changes: Partial<ExistingRecord> = {}): ExistingRecord {
  return { id, type: 'A', name, content: '192.0.2.1', ttl: 1, proxied: false, comment: mark, ...changes }
}

const foreign = held('f', { comment: 'by hand' })

describe('the memory of a zone', () => {
  const patience = { settleMs: 10_000, confirmMs: 5000, overlayMs: 60_000 }
  const desired = { name, mark }

  function memoryAt(start = 0) {
    const time = { now: start }
    return { time, memory: createZoneMemory(() => time.now, patience) }
  }

  test('our own writes count for more than a late list', () => {
    const { time, memory } = memoryAt()
    memory.wrote(held('1'))
    expect(memory.corrected(name, [])).toEqual([held('1')])
    memory.removed(name, '2')
    expect(memory.corrected(name, [held('2'), foreign])).toEqual([foreign, held('1')])
    time.now = 60_001
    expect(memory.corrected(name, [foreign])).toEqual([foreign])
  })

  test.each([
    ['older than our write', '2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z', 60],
    ['changed by hand since', '2026-01-01T00:00:03Z', '2026-01-01T00:00:02Z', 300],
  ])('a list that shows a record %s', (_, listedOn, modifiedOn, ttl) => {
    const { memory } = memoryAt()
    memory.wrote(held('1', { ttl: 60, modifiedOn }))
    expect(memory.corrected(name, [held('1', { ttl: 300, modifiedOn: listedOn })])[0]?.ttl).toBe(ttl)
  })

  test('a new process trusts the absence after operations of the process before have happened', () => {
    const { time, memory } = memoryAt(1000)
    // Begun just before the crash.
    const mayHappenUntil = 1000 + patience.settleMs
    time.now = mayHappenUntil
    expect(memory.doubtSeconds(desired, mayHappenUntil - 1)).toBeGreaterThan(0)
    expect(memory.doubtSeconds(desired, mayHappenUntil)).toBe(0)
  })

  test('the absence in a list is trusted when the last write was a while before it', () => {
    const { time, memory } = memoryAt(1000)
    expect(memory.doubtSeconds(desired, 1000)).toBe(10)
    time.now = 10_900
    expect(memory.doubtSeconds(desired, 1000)).toBe(1)
    expect(memory.doubtSeconds(desired, 11_000)).toBe(0)
    time.now = 20_000
    expect(memory.lost(desired)).toBe(1)
    expect(memory.unsettledSeconds(desired)).toBe(10)
    expect(memory.doubtSeconds(desired, 20_000)).toBe(10)
    memory.settled(desired, true)
    expect(memory.doubtSeconds(desired, 20_000)).toBe(0)
    expect(memory.unsettledSeconds(desired)).toBeUndefined()
  })

  test('is forgotten when it is too old to matter, and not before', () => {
    const { time, memory } = memoryAt()
    const other = { name: 'other.example.test', mark }
    memory.wrote(held('1'))
    memory.lost(desired)
    memory.settled(other, true)
    const known = () => [
      memory.corrected(name, []).length,
      memory.isUnsure(desired),
      memory.doubtSeconds(other, 0) === 0,
    ]
    time.now = patience.overlayMs
    memory.prune()
    expect(known()).toEqual([1, true, true])
    time.now = 2 * patience.overlayMs + 1
    memory.prune()
    expect(known()).toEqual([0, false, false])
  })
})
