import { describe, expect, test } from '@jest/globals'
import { decide } from '../../../operator/drivers/dns-cloudflare/decide.ts'
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
      'an alias to a name in another spelling is as wanted',
      { ...alias, content: 'lb.xn--mnchen-3ya.test' },
      [held('1', { type: 'CNAME', content: 'LB.München.test.' })],
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
