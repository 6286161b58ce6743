import type { Floor, FloorRound, Pace } from './floor/floor.ts'
import { independentFloor, operations } from './floor/floor.ts'
import { gatewayLines } from './gateway/report.ts'
import type { Sample } from './measure.ts'
import { explanationRows } from './parts/explain.ts'
import { failoverRows } from './parts/failover.ts'
import { fairnessRows } from './parts/fairness.ts'
import type { PartFigures } from './parts/parts.ts'
import { portalLines } from './portal/report.ts'
import { requestLines } from './request-lines.ts'
import type { KindHeap } from './resident/heap.ts'
import type { Resident } from './resident/resident.ts'
import { environmentRows, environmentsLines } from './scale/environments.ts'
import type { Goal, Scenario } from './scenarios.ts'
import { medianOfEach, quantile, type Range, rangeOf, rounded } from './statistics.ts'

/** One scenario over all its repetitions; figures are medians, peaks of memory are the highest. */
export interface ScenarioResult {
  readonly name: string
  readonly resources: number
  readonly seconds: number
  readonly secondsRange: Range
  readonly floorSeconds: number
  readonly ratioToFloor: number
  readonly writesPerResource: number
  readonly readsPerResource: number
  readonly reconcilesPerResource: number
  readonly cpuSeconds: Readonly<Record<string, number>>
  readonly peakMemoryMiB: Readonly<Record<string, number>>
  /** Share of the CPUs that was not the benchmark's. */
  readonly noise: number
  readonly goal: Goal
  readonly missed: readonly string[]
}

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

/** Sums the repetitions of a scenario up. */
export function resultOf(scenario: Scenario, samples: readonly Sample[], floor: Floor): ScenarioResult {
  const range = rangeOf(samples.map(({ seconds }) => seconds))
  const floorSeconds = scenario.floorSeconds(floor)
  const per = (pick: (sample: Sample) => number) =>
    rounded(quantile(samples.map(pick), 0.5) / scenario.resources)
  const result = {
    name: scenario.name,
    resources: scenario.resources,
    seconds: rounded(range.median),
    secondsRange: range,
    floorSeconds: rounded(floorSeconds, 4),
    ratioToFloor: rounded(range.median / floorSeconds, 2),
    writesPerResource: per(({ writes }) => writes),
    readsPerResource: per(({ reads }) => reads),
    reconcilesPerResource: per(({ reconciles }) => reconciles),
    cpuSeconds: medianOfEach(samples.map((each) => each.cpuSeconds)),
    peakMemoryMiB: highestOfEach(samples.map((each) => each.peakMemoryMiB)),
    noise: quantile(
      samples.map(({ noise = 0 }) => noise),
      0.5,
    ),
  }
  return { ...result, goal: scenario.goal, missed: missedGoals(scenario.goal, result) }
}

function highestOfEach(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(records.flatMap((each) => Object.keys(each)))
  return Object.fromEntries(
    [...names].map((name) => [name, rounded(Math.max(...records.map((each) => each[name] ?? 0)), 1)]),
  )
}

type Figures = Pick<
  ScenarioResult,
  'seconds' | 'ratioToFloor' | 'writesPerResource' | 'readsPerResource' | 'reconcilesPerResource'
>

/** The parts of a goal that the figures do not keep to. */
export function missedGoals(goal: Goal, figures: Figures): string[] {
  const checks: [string, number | undefined, number][] = [
    ['ratio', goal.ratio, figures.ratioToFloor],
    ['seconds', goal.seconds, figures.seconds],
    ['writes', goal.writesPerResource, figures.writesPerResource],
    ['reads', goal.readsPerResource, figures.readsPerResource],
    ['reconciles', goal.reconcilesPerResource, figures.reconcilesPerResource],
  ]
  return checks.flatMap(([name, most, found]) => (most !== undefined && found > most ? [name] : []))
}

/** The floor as a table. */
export function floorTable({ serial, parallel, namespaceSeconds }: Floor): string {
  const figures = ({ perSecond, p50Ms, p99Ms }: Pace) => [
    perSecond.toFixed(0),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ]
  const rows = operations.map((name) => [name, ...figures(serial[name]), ...figures(parallel[name])])
  const head = ['floor', '1: /s', 'p50 ms', 'p99 ms', '64: /s', 'p50 ms', 'p99 ms']
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
      ...failoverRows(failover, goalLine),
      ...fairnessRows(fairness, goalLine),
    ]),
    ...(resident ? [heapTable(resident.heap)] : []),
    ...(environments.length > 0 ? [environments.flatMap(environmentsLines).join('\n')] : []),
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
