import type { Floor, FloorRound, Pace } from './floor/floor.ts'
import { independentFloor, operations } from './floor/floor.ts'
import { gatewayLines } from './gateway/report.ts'
import type { Sample } from './measure.ts'
import { burstLines, burstRows } from './parts/bursts.ts'
import { explanationRows } from './parts/explain.ts'
import { failoverRows } from './parts/failover.ts'
import { fairnessRows } from './parts/fairness.ts'
import type { PartFigures } from './parts/parts.ts'
import { portalLines } from './portal/report.ts'
import { requestLines } from './request-lines.ts'
import type { KindHeap } from './resident/heap.ts'
import type { Resident } from './resident/resident.ts'
import { environmentRows, environmentsLines } from './scale/environments.ts'
import type { ScenarioResult } from './scenario-result.ts'
import type { Goal } from './scenarios.ts'
import { rounded } from './statistics.ts'

/** What `.dev/bench.json` holds. */
export interface Report extends PartFigures {
  readonly machine: object
  /** Seconds from the start of a process until it says that it is ready, with nothing in the cluster. */
  readonly start: Readonly<Record<string, number>>
  readonly floor: Floor
  readonly scenarios: readonly ScenarioResult[]
  readonly samples: {
    readonly floor: readonly FloorRound[]
    readonly scenarios: Readonly<Record<string, readonly Sample[]>>
  }
}

/** The floor as a table. */
export function floorTable({ serial, parallel, namespaceSeconds }: Floor): string {
  const figures = ({ perSecond, p50Ms, p99Ms, clientMs }: Pace) => [
    perSecond.toFixed(0),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    clientMs.toFixed(2),
  ]
  const rows = operations.map((name) => [name, ...figures(serial[name]), ...figures(parallel[name])])
  const columns = ['p50 ms', 'p99 ms', 'client CPU ms']
  const head = ['floor', '1: /s', ...columns, '64: /s', ...columns]
  return `${table([head, ...rows])}\nan empty namespace is gone after ${namespaceSeconds} s`
}

/** A report for people. */
export function textOf({
  floor,
  start,
  scenarios,
  gateway,
  portal,
  resident,
  environments = [],
  explanations,
  bursts = [],
  failover,
  fairness,
  samples,
}: Report): string {
  const starts = Object.entries(start).map(([name, seconds]) =>
    goalLine(`${name} ready in an empty cluster, s`, seconds, 0.6),
  )
  const parts = [
    floorTable(floor),
    scenarioTable(scenarios),
    requestLines(scenarios.map((each) => ({ ...each, samples: samples.scenarios[each.name] ?? [] }))).join(
      '\n',
    ),
    table([
      goalHead,
      ...starts,
      ...gatewayLines(gateway, goalLine),
      ...portalLines(portal, goalLine),
      ...residentRows(floor, resident),
      ...environmentRows(environments, leastLine),
      ...explanationRows(explanations, goalLine),
      ...burstRows(bursts, goalLine),
      ...failoverRows(failover, goalLine),
      ...fairnessRows(fairness, goalLine),
    ]),
    ...(resident ? [heapTable(resident.heap)] : []),
    ...(environments.length > 0 ? [environments.flatMap(environmentsLines).join('\n')] : []),
    ...(bursts.length > 0 ? [burstLines(bursts).join('\n')] : []),
  ]
  return parts.join('\n\n')
}

const goalHead = ['figure', 'is', 'goal', '']

function goalLine(name: string, value: number, atMost: number): string[] {
  return [name, String(value), `at most ${atMost}`, value > atMost ? 'missed' : 'met']
}

function leastLine(name: string, value: number, atLeast: number): string[] {
  return [name, String(value), `at least ${atLeast}`, value < atLeast ? 'missed' : 'met']
}

function residentRows(floor: Floor, resident: Resident | undefined): string[][] {
  if (!resident) return []
  const { resources, perSecond, loadedMiB, residentMiB, restart, gatewayRestart } = resident
  // The goals for 10,000 resources and for 100,000.
  const [memory, ready] = resources > 10_000 ? [600, 15] : [160, 3]
  const ofFloor = rounded((perSecond * independentFloor(floor, resources)) / resources, 2)
  return [
    leastLine('resources per second, as a share of the floor', ofFloor, 0.45),
    ...['operator', 'gateway'].map((name) =>
      goalLine(
        `${name} with ${resources} resident, at rest, MiB (${loadedMiB[name]} after the last deployment)`,
        residentMiB[name] ?? 0,
        memory,
      ),
    ),
    ...Object.entries({ operator: restart, gateway: gatewayRestart }).flatMap(([name, start]) => [
      goalLine(`${name} after a restart, at rest, MiB`, start.residentMiB, memory),
      goalLine(`${name}: restart until ready, s`, start.secondsToReady, ready),
      goalLine(`${name}: longest block of the event loop until then, s`, start.longestBlockSeconds, 0.1),
    ]),
    goalLine('restart until a new resource is ready, s', restart.secondsToFirstNewResource, 3),
    goalLine('writes on resources at a restart', restart.writesOnOthers, 0),
  ]
}

function heapTable(heap: readonly KindHeap[]): string {
  const rows = heap
    .filter(({ objects }) => objects > 0)
    .map(({ kind, objects, heapMiB, bytesPerObject }) => [
      kind,
      String(objects),
      String(heapMiB),
      String(bytesPerObject),
    ])
  return table([['kind in the store', 'objects', 'heap MiB', 'bytes each'], ...rows])
}

function scenarioTable(results: readonly ScenarioResult[]): string {
  const rows = results.map((each) => {
    const { median, min, max } = each.secondsRange
    return [
      each.name,
      median.toFixed(2),
      `${min.toFixed(2)}-${max.toFixed(2)}`,
      each.floorSeconds.toFixed(2),
      each.ratioToFloor.toFixed(2),
      String(each.writesPerResource),
      String(each.readsPerResource),
      String(each.reconcilesPerResource),
      processesOf(each.cpuSeconds, 2),
      each.operatorMs ? `${each.operatorMs.each}/${each.operatorMs.floor}` : '',
      processesOf(each.peakMemoryMiB, 0),
      `${Math.round(each.noise * 100)}%`,
      goalText(each.goal),
      each.missed.length > 0 ? `missed: ${each.missed.join(', ')}` : 'met',
    ]
  })
  const columns = 'CPU s: op/gw/api/etcd'
  const head = [
    'scenario',
    's',
    'min-max',
    'floor s',
    'ratio',
    'writes',
    'reads',
    'reconciles',
    columns,
    'op ms each/client',
    'peak MiB: the same',
    'noise',
    'goal',
    '',
  ]
  return table([head, ...rows])
}

function processesOf(figures: Readonly<Record<string, number>>, digits: number): string {
  return ['operator', 'gateway', 'kube-apiserver', 'etcd']
    .map((name) => (figures[name] ?? 0).toFixed(digits))
    .join('/')
}

function goalText({
  ratio,
  seconds,
  writesPerResource,
  readsPerResource,
  reconcilesPerResource,
}: Goal): string {
  const parts = [
    ratio === undefined ? '' : `${ratio}x`,
    seconds === undefined ? '' : `${seconds} s`,
    writesPerResource === undefined ? '' : `${writesPerResource} w`,
    readsPerResource === undefined ? '' : `${readsPerResource} r`,
    reconcilesPerResource === undefined ? '' : `${reconcilesPerResource} rec`,
  ]
  return parts.filter(Boolean).join(', ')
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
