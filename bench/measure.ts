import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditEvent, type AuditReader, countEvents, isWrite } from './audit.ts'
import type { Bed } from './bed.ts'
import { rounded } from './statistics.ts'
import { type CpuUse, cpuTimes, cpuUse, forgetPeaks, memoryMiB } from './usage.ts'

/** What one run of a scenario took. */
export interface Sample extends CpuUse {
  readonly seconds: number
  /** Requests of the operator that change objects, and those that read; leases and watches do not count. */
  readonly writes: number
  readonly reads: number
  /** Reconciles of active resources. */
  readonly reconciles: number
  /** Time that the operator spent collecting garbage, and the longest that its event loop stood still. */
  readonly gcSeconds: number
  readonly longestStallMs: number
  /** Requests by who sent them and by sort; watches left out. */
  readonly requests: Readonly<Record<string, Record<string, number>>>
  readonly peakMemoryMiB: Readonly<Record<string, number>>
}

const operatorUser = 'system:serviceaccount:quartermaster-system:quartermaster-operator'
const gatewayUser = 'system:serviceaccount:quartermaster-system:quartermaster-gateway'
const quietMs = 400
const quietWithinMs = 60_000

/** Runs the work, which answers the seconds that count, and waits until the writes have ended. */
export async function measure(bed: Bed, audit: AuditReader, work: () => Promise<number>): Promise<Sample> {
  await untilQuiet(audit)
  await forgetPeaks(bed.pids)
  const metricsBefore = await readMetrics(bed)
  const before = await cpuTimes(bed.pids)
  const seconds = await work()
  const after = await cpuTimes(bed.pids)
  const peakMemoryMiB = await memoryMiB(bed.pids, 'peak')
  const events = await untilQuiet(audit)
  const metrics = await readMetrics(bed)
  return {
    seconds: rounded(seconds, 4),
    reconciles: metrics.reconciles - metricsBefore.reconciles,
    gcSeconds: rounded(metrics.gcSeconds - metricsBefore.gcSeconds),
    longestStallMs: rounded(metrics.longestStallMs, 0),
    ...requestsIn(events),
    ...cpuUse(before, after),
    peakMemoryMiB,
  }
}

/** Reads the audit log until operator and gateway have written nothing for a while; leases do not count. */
export async function untilQuiet(audit: AuditReader): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  const deadline = performance.now() + quietWithinMs
  let quietSince = performance.now()
  while (performance.now() - quietSince < quietMs && performance.now() < deadline) {
    const more = await audit.read()
    for (const each of more) events.push(each)
    const isBusy = more.some((each) => isOurs(each) && isWrite(each) && each.target !== 'leases')
    if (isBusy) quietSince = performance.now()
    await sleep(50)
  }
  return events
}

function isOurs({ user }: AuditEvent): boolean {
  return user === operatorUser || user === gatewayUser
}

/** Requests by sender, and the writes and reads of the operator. */
export function requestsIn(events: readonly AuditEvent[]): Pick<Sample, 'requests' | 'writes' | 'reads'> {
  const calls = events.filter(({ verb, target }) => verb !== 'watch' && target !== 'leases')
  const by = (name: string) => calls.filter(({ user }) => user === name)
  const byOthers = calls.filter((each) => !isOurs(each) && isWrite(each))
  const writes = by(operatorUser).filter(isWrite).length
  return {
    writes,
    reads: by(operatorUser).length - writes,
    requests: {
      operator: countEvents(by(operatorUser)),
      gateway: countEvents(by(gatewayUser)),
      others: countEvents(byOthers),
    },
  }
}

async function readMetrics(bed: Bed) {
  const response = await fetch(`${bed.process('operator').url}/metrics`)
  const text = await response.text()
  return {
    reconciles: sumOf(text, 'quartermaster_reconcile_total', 'kind="ActiveResource"'),
    gcSeconds: sumOf(text, 'nodejs_gc_duration_seconds_sum'),
    // Counted anew each time that metrics are read.
    longestStallMs: sumOf(text, 'nodejs_eventloop_lag_max_seconds') * 1000,
  }
}

/** The sum of a metric over all its labels, or over those lines that hold `label`. */
export function sumOf(metrics: string, name: string, label = ''): number {
  const lines = metrics
    .split('\n')
    .filter((line) => /^[\w:]+/.exec(line)?.[0] === name && line.includes(label))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
