import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { countEvents, isWrite, parseAudit } from '../../bench/audit.ts'
import {
  applyFloor,
  chainFloor,
  clientFloorMs,
  deletionFloor,
  type Floor,
  independentFloor,
  medianFloor,
  operations,
  sequenceFloor,
} from '../../bench/floor/floor.ts'
import { requestsIn, sumOf } from '../../bench/measure.ts'
import { readOptions } from '../../bench/options.ts'
import { requestLines } from '../../bench/request-lines.ts'
import { deviation, predict } from '../../bench/scale/model.ts'
import { writeTables } from '../../bench/scale/scale.ts'
import { missedGoals } from '../../bench/scenario-result.ts'
import { quantile, rangeOf } from '../../bench/statistics.ts'
import { secondsOfPs } from '../../bench/usage.ts'

const operator = 'system:serviceaccount:quartermaster-system:quartermaster-operator'

function auditLine(
  verb: string,
  resource: string,
  changes: { subresource?: string; user?: string; code?: number } = {},
): string {
  const { subresource, user = operator, code = 200 } = changes
  return JSON.stringify({
    verb,
    user: { username: user },
    objectRef: { resource, subresource },
    responseStatus: { code },
  })
}

function floorOf(perSecond: number, p50Ms: number): Floor {
  const pace = { perSecond, p50Ms, p99Ms: 2 * p50Ms, clientMs: 0.5 }
  const paces = Object.fromEntries(operations.map((each) => [each, pace])) as Floor['serial'] // every operation is named
  return { serial: paces, parallel: paces, namespaceSeconds: 1.2 }
}

test.each([
  [[], 0.5, 0],
  [[3], 0.99, 3],
  [[4, 1, 3], 0.5, 3],
  [[1, 2, 3, 4], 0.5, 2.5],
  [[1, 2, 3, 4, 5], 1, 5],
])('the quantile of %j at %d is %d', (values, share, expected) => {
  expect(quantile(values, share)).toBe(expected)
})

test('a range has the median between the extremes', () => {
  expect(rangeOf([5, 1, 2])).toEqual({ median: 2, min: 1, max: 5 })
})

test('requests of the audit log are counted by sort, refused ones apart', () => {
  const events = parseAudit([
    auditLine('create', 'activeresources'),
    auditLine('create', 'activeresources'),
    auditLine('create', 'activeresources', { code: 409 }),
    auditLine('update', 'activeresources', { subresource: 'status' }),
    JSON.stringify({ verb: 'get', user: { username: operator }, requestURI: '/version' }),
    '',
  ])
  expect(countEvents(events)).toEqual({
    'create activeresources': 2,
    'create activeresources 409': 1,
    'update activeresources/status': 1,
  })
})

test.each([
  ['create', true],
  ['patch', true],
  ['deletecollection', true],
  ['get', false],
  ['watch', false],
])('whether %s is a write: %s', (verb, expected) => {
  expect(isWrite({ verb })).toBe(expected)
})

test('the writes and reads of the operator count, without watches and leases', () => {
  const events = parseAudit([
    auditLine('create', 'activeresources'),
    auditLine('update', 'activeresources', { subresource: 'status' }),
    auditLine('list', 'activeresources'),
    auditLine('watch', 'activeresources'),
    auditLine('patch', 'leases'),
    auditLine('update', 'environments', { subresource: 'status' }),
    auditLine('delete', 'activeresources', { user: 'admin' }),
    auditLine('get', 'pods', { user: 'admin' }),
  ])
  const { writes, reads, requests } = requestsIn(events)
  expect({ writes, reads }).toEqual({ writes: 3, reads: 1 })
  expect(requests.operator).toMatchObject({ 'list activeresources': 1, 'update environments/status': 1 })
  expect(requests.others).toEqual({ 'delete activeresources': 1 })
})

test('a metric is summed over its labels', () => {
  const text = [
    '# TYPE quartermaster_reconcile_total counter',
    'quartermaster_reconcile_total{kind="ActiveResource",result="ready"} 100',
    'quartermaster_reconcile_total{kind="ActiveResource",result="waiting"} 99',
    'quartermaster_reconcile_total{kind="Environment",result="ready"} 7',
    'quartermaster_reconcile_total_other 1',
    'nodejs_eventloop_lag_max_seconds 0.5',
  ].join('\n')
  expect(sumOf(text, 'quartermaster_reconcile_total', 'kind="ActiveResource"')).toBe(199)
  expect(sumOf(text, 'nodejs_eventloop_lag_max_seconds')).toBe(0.5)
  expect(sumOf(text, 'absent')).toBe(0)
})

test.each([
  ['0:01.50', 1.5],
  ['02:03', 123],
  ['1:00:00', 3600],
  ['2-00:00:01', 172_801],
])('a time of ps, %s, is %d s', (text, seconds) => {
  expect(secondsOfPs(text)).toBe(seconds)
})

test('the floor adds up the required writes', () => {
  const floor = medianFloor([floorOf(500, 2), floorOf(1000, 4), floorOf(900, 5)])
  expect(independentFloor(floor, 900)).toBe(2)
  expect(independentFloor(floor, 900, 'object')).toBe(3)
  expect(clientFloorMs(floor)).toBe(1)
  expect(clientFloorMs(floor, 'object')).toBe(1.5)
  expect(deletionFloor(floor, 450)).toBe(1)
  expect(deletionFloor(floor, 450, 'five')).toBe(1.5)
  // The namespace ends later.
  expect(deletionFloor(floor, 90, 'five')).toBe(1.2)
  expect(applyFloor(floor, 900, 'five')).toBe(1)
  expect(chainFloor(floor, 100)).toBe(0.8)
  expect(chainFloor(floor, 100, 'object')).toBe(1.2)
  expect(sequenceFloor(floor, 2)).toBe(0.012)
})

test.each([
  [{ ratio: 2.2 }, { ratioToFloor: 2.2 }, []],
  [{ ratio: 2.2 }, { ratioToFloor: 2.3 }, ['ratio']],
  [{ seconds: 1, writesPerResource: 2 }, { seconds: 2, writesPerResource: 3 }, ['seconds', 'writes']],
  [{ writesPerResource: 0, reconcilesPerResource: 0 }, {}, []],
])('of the goal %j, %j misses %j', (goal, figures, missed) => {
  const none = {
    seconds: 0,
    ratioToFloor: 0,
    writesPerResource: 0,
    readsPerResource: 0,
    reconcilesPerResource: 0,
  }
  expect(missedGoals(goal, { ...none, ...figures })).toEqual(missed)
})

test('options', () => {
  expect(readOptions([])).toMatchObject({ sizes: { repeat: 3, resident: 10_000, busy: 2000 }, only: [] })
  expect(readOptions(['--quick'])).toMatchObject({ sizes: { repeat: 1, resident: 1000, busy: 100 } })
  expect(readOptions(['--only', 'few,chain', '--busy', '5'])).toMatchObject({
    sizes: { repeat: 3, resident: 0, busy: 5 },
    only: ['few', 'chain'],
  })
  expect(() => readOptions(['--repeat', 'many'])).toThrow('whole number')
  expect(() => readOptions(['--fast'])).toThrow('fast')
})

test.each([
  ['without objects', 'echo', { writes: 205, reads: 7, deletionWrites: 109, storedBytes: 215_000 }],
  ['with an object', 'object', { writes: 305, reads: 16.5, deletionWrites: 110, storedBytes: 365_000 }],
  ['with five objects', 'five', { writes: 705, reads: 54.5, deletionWrites: 114, storedBytes: 965_000 }],
] as const)('the model counts each resource %s', (_, work, expected) => {
  expect(predict({ resources: 100, work, deployments: 3 })).toMatchObject(expected)
})

test('a deviation is a share of what was measured', () => {
  expect([deviation(200, 150), deviation(100, 120), deviation(0, 5)]).toEqual([0.25, 0.2, 0])
})

test('the tables of a page are replaced, and nothing else of it', async () => {
  const page = join(await mkdtemp(join(tmpdir(), 'quartermaster-page-')), 'scale.md')
  const marked = (tables: string) =>
    `# Before\n\n<!-- measured: make bench -->\n\n${tables}\n\n<!-- end of measured -->\n\nafter\n`
  await writeFile(page, marked('old'))
  await writeTables(page, 'new')
  expect(await readFile(page, 'utf8')).toBe(marked('new'))
  await writeFile(page, 'no marks')
  await expect(writeTables(page, 'new')).rejects.toThrow('has no')
})

test('requests are shown by path, writes and reads apart, with the CPU time of one', () => {
  const requests = {
    operator: { 'create activeresources': 10, 'get configmaps 404': 20, 'patch environments': 1 },
  }
  const samples = [{ requests, cpuSeconds: { operator: 0.031, 'kube-apiserver': 0.062, etcd: 0.0062 } }]
  const scenario = { name: 'deploy', resources: 100, samples }
  expect(requestLines([{ ...scenario, resources: 10 }, scenario])).toEqual([
    'deploy: writes 1 create activeresources, 0.1 patch environments; reads 2 get configmaps 404; CPU ms per request: operator 1, kube-apiserver 2, etcd 0.2',
    'deploy: writes 0.1 create activeresources; reads 0.2 get configmaps 404; CPU ms per request: operator 1, kube-apiserver 2, etcd 0.2',
  ])
})
