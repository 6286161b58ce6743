import type { Floor } from './floor/floor.ts'
import type { Sample } from './measure.ts'
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
  /** CPU milliseconds of the operator for each new resource, and those of a client that makes one and does nothing else. */
  readonly operatorMs?: { readonly each: number; readonly floor: number }
  readonly peakMemoryMiB: Readonly<Record<string, number>>
  /** Share of the CPUs that was not the benchmark's. */
  readonly noise: number
  readonly goal: Goal
  readonly missed: readonly string[]
}

/** Sums the repetitions of a scenario up. */
export function resultOf(scenario: Scenario, samples: readonly Sample[], floor: Floor): ScenarioResult {
  const range = rangeOf(samples.map(({ seconds }) => seconds))
  const floorSeconds = scenario.floorSeconds(floor)
  const per = (pick: (sample: Sample) => number) =>
    rounded(quantile(samples.map(pick), 0.5) / scenario.resources)
  const cpuSeconds = medianOfEach(samples.map((each) => each.cpuSeconds))
  const clientMs = scenario.clientFloorMs?.(floor)
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
    cpuSeconds,
    operatorMs:
      clientMs === undefined
        ? undefined
        : {
            each: rounded((1000 * (cpuSeconds['operator'] ?? 0)) / scenario.resources, 2),
            floor: rounded(clientMs, 2),
          },
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
