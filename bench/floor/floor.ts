import { quantile, rounded } from '../statistics.ts'
import type { Work } from '../work.ts'

/** How fast the API server of this run takes one kind of request. */
export interface Pace {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU that the client needs for each. */
  readonly clientMs: number
}

/**
 * The writes in the life of a resource: four of the ActiveResource; one that applies or deletes one object; `applyFive`,
 * `deleteFive` and `applyWorkload` write five objects, one after the other.
 */
export const operations = [
  'create',
  'statusUpdate',
  'delete',
  'finalizerUpdate',
  'apply',
  'deleteObject',
  'applyFive',
  'deleteFive',
  'applyWorkload',
] as const
export type Operation = (typeof operations)[number]

/** The pace of each write, which no controller can beat. */
export interface Floor {
  /** One request after the other, and 64 in flight. */
  readonly serial: Readonly<Record<Operation, Pace>>
  readonly parallel: Readonly<Record<Operation, Pace>>
  /** Seconds until an empty namespace that is deleted is gone. */
  readonly namespaceSeconds: number
}

/** One time that the floor was measured. */
export interface FloorRound extends Floor {
  /** Share of the CPUs that was not the benchmark's. */
  readonly noise?: number
}

/** The median of each figure over several rounds. */
export function medianFloor(rounds: readonly Floor[]): Floor {
  const medianOf = (pick: (round: Floor) => number) => rounded(quantile(rounds.map(pick), 0.5), 2)
  const paces = (way: 'serial' | 'parallel') => {
    const entries = operations.map((name): [Operation, Pace] => [
      name,
      {
        perSecond: medianOf((round) => round[way][name].perSecond),
        p50Ms: medianOf((round) => round[way][name].p50Ms),
        p99Ms: medianOf((round) => round[way][name].p99Ms),
        clientMs: medianOf((round) => round[way][name].clientMs),
      },
    ])
    return Object.fromEntries(entries) as Record<Operation, Pace> // every operation is named
  }
  return {
    serial: paces('serial'),
    parallel: paces('parallel'),
    namespaceSeconds: medianOf(({ namespaceSeconds }) => namespaceSeconds),
  }
}

const objectOperations: Readonly<
  Record<Work | 'workload', { readonly apply?: Operation; readonly remove?: Operation }>
> = {
  echo: {},
  object: { apply: 'apply', remove: 'deleteObject' },
  elsewhere: { apply: 'apply', remove: 'deleteObject' },
  child: {},
  secret: { apply: 'apply', remove: 'deleteObject' },
  password: { apply: 'apply', remove: 'deleteObject' },
  five: { apply: 'applyFive', remove: 'deleteFive' },
  workload: { apply: 'applyWorkload' },
}

/** Seconds in which `count` resources that need nothing of each other can be made. */
export function independentFloor(
  { parallel }: Floor,
  count: number,
  work: Work | 'workload' = 'echo',
): number {
  return secondsOf(parallel, count, creationOf(work))
}

/** CPU milliseconds of a client that makes a resource, and does nothing else. */
export function clientFloorMs({ parallel }: Floor, work: Work | 'workload' = 'echo'): number {
  return creationOf(work).reduce((sum, operation) => sum + parallel[operation].clientMs, 0)
}

function creationOf(work: Work | 'workload'): Operation[] {
  const { apply } = objectOperations[work]
  return ['create', 'statusUpdate', ...(apply ? [apply] : [])]
}

/** Seconds in which `count` resources can be made of which each waits for the next. */
export function chainFloor({ serial }: Floor, count: number, work: Work = 'echo'): number {
  const { apply } = objectOperations[work]
  const objects = apply ? serial[apply].p50Ms : 0
  return (count * (serial.create.p50Ms + serial.statusUpdate.p50Ms + objects)) / 1000
}

/** Seconds in which `count` resources and their objects can be deleted one by one, while their namespace ends. */
export function deletionFloor(
  { parallel, namespaceSeconds }: Floor,
  count: number,
  work: Work = 'echo',
): number {
  const { remove } = objectOperations[work]
  const seconds = secondsOf(parallel, count, ['delete', 'finalizerUpdate', ...(remove ? [remove] : [])])
  const isWithNamespace = remove !== undefined && work !== 'elsewhere'
  return isWithNamespace ? Math.max(namespaceSeconds, seconds) : seconds
}

/** Seconds in which the objects of `count` resources can be applied again. */
export function applyFloor({ parallel }: Floor, count: number, work: Work): number {
  const { apply } = objectOperations[work]
  return apply ? secondsOf(parallel, count, [apply]) : 0
}

function secondsOf(paces: Floor['parallel'], count: number, each: readonly Operation[]): number {
  return each.reduce((sum, operation) => sum + count / paces[operation].perSecond, 0)
}

/** Seconds for one create and so many updates, one after the other: what a deployment costs that changes little. */
export function sequenceFloor({ serial }: Floor, updates: number): number {
  return (serial.create.p50Ms + updates * serial.statusUpdate.p50Ms) / 1000
}
