import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { createBursts } from '../../../api-gateway/audit/audit-bursts.ts'
import type { AuditEntry } from '../../../api-gateway/audit/audit-record.ts'
import { startGateway } from '../support/gateway.ts'

const facts = (path: string) => ({ request_path: path, at: 'first' }) as AuditEntry
let reported: (string | number | undefined)[][]
const tell = ({ request_path: path, at, count }: AuditEntry) => reported.push([path, at, count])

beforeAll(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
})
beforeEach(() => {
  reported = []
})
afterAll(() => {
  jest.useRealTimers()
})

test('the first refusal is recorded at once, the later ones of each minute as one record', () => {
  const bursts = createBursts(tell, 60_000)
  for (let second = 0; second < 90; second += 1) {
    for (let each = 0; each < 10; each += 1) bursts.take('ana', `at ${second}`, () => facts(`/${second}`))
    jest.advanceTimersByTime(1000)
  }
  expect(reported).toEqual([
    ['/0', 'first', undefined],
    ['/0', 'at 59', 599],
  ])
  jest.advanceTimersByTime(30_000)
  expect(reported.slice(2)).toEqual([['/60', 'at 89', 300]])
  jest.advanceTimersByTime(60_000)
  bursts.take('ana', 'later', () => facts('/later'))
  expect(reported.slice(3)).toEqual([['/later', 'first', undefined]])
})

test('refusals are counted per caller, and a single refusal has no count', () => {
  const bursts = createBursts(tell, 60_000)
  for (const key of ['ana', 'bob', 'ana']) bursts.take(key, `at ${key}`, () => facts(`/${key}`))
  jest.advanceTimersByTime(60_000)
  expect(reported).toEqual([
    ['/ana', 'first', undefined],
    ['/bob', 'first', undefined],
    ['/ana', 'at ana', undefined],
  ])
})

test('pending records are written at shutdown', () => {
  const bursts = createBursts(tell, 60_000)
  for (let each = 0; each < 3; each += 1) bursts.take('ana', 'now', () => facts('/a'))
  bursts.close()
  jest.advanceTimersByTime(120_000)
  expect(reported).toEqual([
    ['/a', 'first', undefined],
    ['/a', 'now', 2],
  ])
})

test('many callers cost no more than their number', () => {
  const bursts = createBursts(tell, 60_000)
  for (let each = 0; each < 30_000; each += 1) bursts.take(`address ${each}`, 'now', () => facts('/a'))
  expect(reported).toHaveLength(30_000)
  expect(jest.getTimerCount()).toBeLessThanOrEqual(10_000)
  bursts.close()
})

test.each([
  ['a user', '/orgs/acme/apps', 'admin', { org_id: 'acme', user_id: 'admin', via: 'token:admin' }],
  ['a caller without a token', '/orgs/acme/apps', null, { org_id: 'acme', user_id: '' }],
  ['a path that is not there', '/nothing', null, { request_path: '/nothing' }],
])('a flood of %s is two records, and every refusal has Retry-After', async (_, path, as, record) => {
  jest.useRealTimers()
  const lines: object[] = []
  const log = {
    debug() {},
    info: (_text: string, fields?: object) => void lines.push(fields ?? {}),
    warn() {},
    error() {},
  }
  const limited = await startGateway({
    settings: { requestsPerSecond: 1, burst: 1 },
    auditLog: log,
    now: () => Date.UTC(2026, 0, 1),
  })
  await limited.send(`GET ${path}`, { as })
  lines.length = 0
  for (let each = 0; each < 50; each += 1) {
    const { status, headers } = await limited.send(`GET ${path}`, { as })
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  }
  await limited.close()
  const refused = { ...record, response_status: 429, reason: 'TooManyRequests', result: 'refused' }
  expect(lines).toEqual([
    expect.objectContaining(refused),
    expect.objectContaining({ ...refused, count: 49 }),
  ])
})
