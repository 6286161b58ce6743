import { describe, expect, test } from '@jest/globals'
import {
  exceededQuotas,
  hasMoreRoom,
  quotaRefusalIn,
  type ResourceQuota,
} from '../../../operator/domain/base/quota.ts'
import { quota } from '../../support/builders.ts'
import { casesOf, fc } from '../../support/properties.ts'

const kind = 'webhooks.quartermaster.dev'
const counted = `count/${kind}`
const limited = (limit: string, used: string, changes: Partial<ResourceQuota> = {}): ResourceQuota => ({
  ...quota('team', { [counted]: limit }, { [counted]: used }),
  ...changes,
})

describe('a quota', () => {
  test('allows as many new objects as the API server creates one after the other', () => {
    const room = fc.property(
      fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
      (limits, more) => {
        const quotas = limits.map(([limit, used], i) =>
          quota(`q${i}`, { [counted]: String(limit) }, { [counted]: String(used) }),
        )
        // The API server refuses a create that a single limit does not allow, and counts the others.
        const created = Array.from({ length: more }).filter((_, i) =>
          limits.every(([limit, used]) => used + i + 1 <= limit),
        )
        expect(exceededQuotas(quotas, kind, more).length === 0).toBe(created.length === more)
      },
    )
    fc.assert(room, { numRuns: casesOf(1000) })
  })

  test.each<[rule: string, quota: ResourceQuota, isExceeded: boolean]>([
    ['counts what is used', limited('5', '5'), true],
    ['allows its limit', limited('5', '4'), false],
    ['of zero allows nothing', limited('0', '0'), true],
    ['with large numbers', limited('1k', '1k'), true],
    ['without a status is not enforced yet', quota('new'), false],
    ['of another kind does not count', quota('pods', { pods: '0' }, { pods: '0' }), false],
    ['with a scope does not apply', limited('0', '0', { spec: { scopes: ['BestEffort'] } }), false],
    [
      'with a scope selector does not apply',
      limited('0', '0', { spec: { scopeSelector: { matchExpressions: [{}] } } }),
      false,
    ],
    ['with an empty list of scopes applies', limited('0', '0', { spec: { scopes: [] } }), true],
  ])('%s', (_, each, isExceeded) => {
    expect(exceededQuotas([each], kind, 1)).toHaveLength(Number(isExceeded))
  })

  test.each<[rule: string, before: ResourceQuota, after: ResourceQuota | undefined, expected: boolean]>([
    ['has more room when fewer objects are used', limited('5', '5'), limited('5', '4'), true],
    ['has more room with a higher limit', limited('5', '5'), limited('6', '5'), true],
    ['has more room when it is deleted', limited('5', '5'), undefined, true],
    ['has more room without the limit', limited('5', '5'), quota('team', {}, {}), true],
    ['has more room with a scope', limited('5', '5'), limited('5', '5', { spec: { scopes: ['x'] } }), true],
    ['has no more room when more objects are used', limited('5', '3'), limited('5', '4'), false],
    ['has no more room with a lower limit', limited('5', '3'), limited('4', '3'), false],
    ['has no more room when nothing changes', limited('5', '3'), limited('5', '3'), false],
  ])('%s', (_, before, after, expected) => {
    expect(hasMoreRoom(before, after)).toBe(expected)
  })
})

describe('a refusal of the API server', () => {
  test('has each limit that the create exceeds', () => {
    const text = `secrets "x" is forbidden: exceeded quota: team, requested: count/secrets=1,secrets=1, used: count/secrets=2,secrets=1k, limited: count/secrets=2,secrets=1k`
    expect(quotaRefusalIn(text, 'acme')?.uses).toEqual([
      { namespace: 'acme', quotaName: 'team', kind: 'secrets', used: 2, limit: 2 },
      { namespace: 'acme', quotaName: 'team', kind: 'secrets', used: 1000, limit: 1000 },
    ])
  })

  test('has the message of a plan that needs as many objects', () => {
    const text = `${kind} "x" is forbidden: exceeded quota: team, requested: ${counted}=1, used: ${counted}=5, limited: ${counted}=5`
    const refusal = quotaRefusalIn(text, 'acme')
    expect(refusal?.uses).toEqual(exceededQuotas([limited('5', '5')], kind, 1))
    expect(refusal?.message).toBe(
      `the quota 'team' of the namespace 'acme' allows 5 '${kind}' (5 used, 1 more needed)`,
    )
  })

  test('of a quota that is not counted yet has no numbers', () => {
    const refusal = quotaRefusalIn(
      `x is forbidden: status unknown for quota: team, resources: ${counted}`,
      'acme',
    )
    expect(refusal).toMatchObject({ uses: [], message: expect.stringContaining(kind) })
  })

  test.each(['webhooks "quota" is forbidden: User "x" cannot create resource "webhooks"', ''])(
    'for another cause is none of a quota: %j',
    (text) => {
      expect(quotaRefusalIn(text, 'acme')).toBeUndefined()
    },
  )
})
