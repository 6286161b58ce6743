import { describe, expect, test } from '@jest/globals'
import { TokenBucket } from '../../../operator/domain/base/token-bucket.ts'
import { decide } from '../../../operator/drivers/dns-cloudflare/decide.ts'
import { createZoneMemory } from '../../../operator/drivers/dns-cloudflare/memory.ts'
import { createRateLimiter, tokenLimit } from '../../../operator/drivers/dns-cloudflare/rate-limiter.ts'
import {
  type ExistingRecord,
  markOf,
  type WantedRecord,
} from '../../../operator/drivers/dns-cloudflare/record.ts'
import { fc } from '../../support/properties.ts'

const name = 'shop.example.test'
const mark = markOf('0a1b2c3d', 'a'.repeat(40))
const record: WantedRecord = { type: 'A', name, content: '192.0.2.1', ttl: 1, proxied: false, comment: mark }
const alias: WantedRecord = { ...record, type: 'CNAME', content: 'lb.test' }

function held(id: string, changes: Partial<ExistingRecord> = {}): ExistingRecord {
  return { id, ...record, ...changes }
}

const foreign = held('f', { comment: 'by hand' })
const changing = (change: object) => ({
  kind: 'change',
  change: { deletes: [], patches: [], posts: [], ...change },
})

describe('the changes of a name', () => {
  test.each<[rule: string, wanted: WantedRecord | undefined, records: ExistingRecord[], decision: object]>([
    ['nothing has it: it is made', record, [], changing({ posts: [record] })],
    ['our record is as wanted', record, [held('1')], { kind: 'asWanted' }],
    [
      'an IPv6 address in another spelling is as wanted',
      { ...record, type: 'AAAA', content: '2001:db8::1' },
      [held('1', { type: 'AAAA', content: '2001:0DB8::0001' })],
      { kind: 'asWanted' },
    ],
    [
      'other content',
      record,
      [held('1', { content: '192.0.2.9' })],
      changing({ patches: [{ id: '1', ...record }] }),
    ],
    ['other ttl', record, [held('1', { ttl: 60 })], changing({ patches: [{ id: '1', ...record }] })],
    [
      'proxied by hand',
      record,
      [held('1', { proxied: true })],
      changing({ patches: [{ id: '1', ...record }] }),
    ],
    ['another type: both at once', alias, [held('1')], changing({ deletes: ['1'], posts: [alias] })],
    [
      'of two of ours the correct one stays',
      record,
      [held('1', { ttl: 60 }), held('2')],
      changing({ deletes: ['1'] }),
    ],
    [
      'of two of ours one is kept',
      alias,
      [held('1'), held('2')],
      changing({ deletes: ['1', '2'], posts: [alias] }),
    ],
    [
      'a text record of another owner is no conflict',
      record,
      [held('t', { type: 'TXT', comment: '' })],
      changing({ posts: [record] }),
    ],
    ['it has to go', undefined, [held('1'), held('2')], changing({ deletes: ['1', '2'] })],
    ['it has to go, beside a foreign one', undefined, [held('1'), foreign], changing({ deletes: ['1'] })],
    ['it is deleted', undefined, [], { kind: 'absent' }],
    ['it is deleted, and another owner has the name', undefined, [foreign], { kind: 'absent' }],
    ['a text with our mark is not our record', undefined, [held('t', { type: 'TXT' })], { kind: 'absent' }],
  ])('%s', (_, wanted, records, decision) => {
    expect(decide({ name, mark, ...(wanted ? { record: wanted } : {}) }, records)).toEqual(decision)
  })

  test.each<[rule: string, wanted: WantedRecord, other: Partial<ExistingRecord>, owner: string]>([
    ['an address by hand', record, { comment: '' }, 'another client'],
    ['the very same address by hand', record, { comment: 'mine' }, 'another client'],
    ['an alias by hand', record, { comment: '', type: 'CNAME' }, 'another client'],
    ['name servers', record, { comment: '', type: 'NS' }, 'another client'],
    ['a text, where an alias must be alone', alias, { comment: '', type: 'TXT' }, 'another client'],
    ['another cluster', record, { comment: markOf('ffffffff', 'a'.repeat(40)) }, 'another Quartermaster'],
    ['another resource', record, { comment: markOf('0a1b2c3d', 'b'.repeat(40)) }, 'another resource of this'],
    ['almost our mark', record, { comment: `${mark} ` }, 'another client'],
  ])('the name is taken: %s', (_, wanted, other, owner) => {
    for (const records of [[held('f', other)], [held('1'), held('f', other)]]) {
      const decision = decide({ name, mark, record: wanted }, records)
      expect(decision).toMatchObject({ kind: 'conflict', message: expect.stringContaining(owner) })
    }
  })
})

test('a mark fits the comment of every zone', () => {
  const hex = (length: number) =>
    fc.string({
      unit: fc.constantFrom(...'0123456789abcdef'.split('')),
      minLength: length,
      maxLength: length,
    })
  fc.assert(
    fc.property(hex(8), hex(40), (installation, guResId) => {
      const text = markOf(installation, guResId)
      expect(text.length).toBeLessThanOrEqual(100)
      expect(text).toBe(`quartermaster:${installation}:${guResId}`)
    }),
  )
})

describe('the budget of a token', () => {
  test('at most four fifths of the limit are used in any 300 seconds', () => {
    const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(20_000)), { maxLength: 60 })
    const bursts = fc.array(fc.nat(900), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(pauses, bursts, (waits, sizes) => {
        const bucket = new TokenBucket(tokenLimit, 0)
        const calls: number[] = []
        let now = 0
        for (const [i, size] of sizes.entries()) {
          for (let call = 0; call < size; call += 1) {
            for (let wait = bucket.take(now); wait > 0; wait = bucket.take(now)) now += wait
            calls.push(now)
          }
          now += waits[i] ?? 0
        }
        expect(mostWithin(calls, 300_000)).toBeLessThanOrEqual(960)
      }),
      { numRuns: 50 },
    )
  })

  test('a rest of one token leaves others alone', async () => {
    let now = 0
    const rateLimiter = createRateLimiter({ clock: () => now })
    rateLimiter.pause('a', 300)
    await expect(rateLimiter.take('a')).rejects.toMatchObject({ kind: 'rateLimited', seconds: 300 })
    await rateLimiter.take('b')
    now = 300_001
    await rateLimiter.take('a')
  })

  test('a caller waits only briefly for its slot', async () => {
    let now = 0
    const rateLimiter = createRateLimiter({
      clock: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds
      },
    })
    for (let call = 0; call < tokenLimit.burst + 100; call += 1) await rateLimiter.take('a')
    expect(now).toBeGreaterThan(49_000)
    const stuck = createRateLimiter({ clock: () => now, sleep: async () => void (now += 4000) })
    for (let call = 0; call < tokenLimit.burst; call += 1) await stuck.take('a')
    await stuck.take('a')
  })
})

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

  test('the absence in a list is trusted when the last write was a while before it', () => {
    const { time, memory } = memoryAt(1000)
    expect(memory.doubtSeconds(desired, 1000)).toBe(5)
    time.now = 5900
    expect(memory.doubtSeconds(desired, 1000)).toBe(1)
    expect(memory.doubtSeconds(desired, 6000)).toBe(0)
    time.now = 20_000
    expect(memory.lost(desired)).toBe(1)
    expect(memory.unsettledSeconds(desired)).toBe(10)
    expect(memory.doubtSeconds(desired, 20_000)).toBe(5)
    memory.settled(desired, true)
    expect(memory.doubtSeconds(desired, 20_000)).toBe(0)
    expect(memory.unsettledSeconds(desired)).toBeUndefined()
  })
})

function mostWithin(times: readonly number[], window: number): number {
  let first = 0
  let most = 0
  for (const [i, time] of times.entries()) {
    while ((times[first] ?? 0) <= time - window) first += 1
    most = Math.max(most, i - first + 1)
  }
  return most
}
