import { Counter, Histogram, type Registry } from 'prom-client'
import { operatorLease } from '../api/names.ts'
import type { DriverCalls } from '../drivers/driver.ts'
import type { LoopMetrics } from '../kube/loop/controller-loop.ts'
import type { ObjectState } from '../kube/loop/outcome.ts'
import type { WorkQueue } from '../kube/loop/queue.ts'
import { addGauge, createProcessMetrics, type ProcessMetrics } from './process-metrics.ts'

/** A queue to report. */
type Queue = Pick<WorkQueue, 'depth' | 'runningSince'>

/** Metrics of the operator. Labels are kinds, reasons and results, never names of users' objects. */
export interface OperatorMetrics extends ProcessMetrics, LoopMetrics {
  readonly driverCalls: DriverCalls
  /** Reports what waits and runs in a queue when metrics are read. */
  watchQueue(kind: string, queue: Queue): void
  /** Reports how many objects of a kind are in each state when metrics are read. */
  watchObjects(kind: string, counts: () => Readonly<Record<ObjectState, number>>): void
  /** Counts a deployment that has ended and the reasons of its problems. */
  deploymentEnded(result: 'succeeded' | 'failed', seconds: number, reasons: readonly string[]): void
  /** Seconds that the longest running reconcile has taken so far. */
  longestRunSeconds(): number
}

/** Metrics of the operator; those of queues and the lease have the names that Kubernetes uses. */
export function createOperatorMetrics(isLeader: () => boolean): OperatorMetrics {
  const common = createProcessMetrics('operator')
  const { registry } = common
  addGauge(registry, 'leader_election_master_status', '1 in the process that leads, else 0.', {
    labelNames: ['name'],
    measure: (set) => set({ name: operatorLease }, Number(isLeader())),
  })
  return {
    ...common,
    ...queueMetrics(registry),
    ...objectMetrics(registry),
    driverCalls: driverCallMetrics(registry),
  }
}

function queueMetrics(registry: Registry) {
  const registers = [registry]
  const labelNames = ['name'] as const
  const buckets = [0.001, 0.01, 0.1, 1, 10, 60, 600]
  const queues = new Map<string, Queue>()
  const reconciles = new Counter({
    name: 'quartermaster_reconcile_total',
    help: 'Reconciles, by kind and result.',
    labelNames: ['kind', 'result'],
    registers,
  })
  const adds = new Counter({
    name: 'workqueue_adds_total',
    help: 'Objects added to the queue of a kind.',
    labelNames,
    registers,
  })
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Objects added to the queue of a kind after a delay.',
    labelNames,
    registers,
  })
  const waits = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time that objects wait in the queue of a kind.',
    labelNames,
    buckets,
    registers,
  })
  const works = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Time that reconciles of a kind take, driver calls included.',
    labelNames,
    buckets,
    registers,
  })
  const measure = (name: string, help: string, value: (queue: Queue) => number) =>
    addGauge(registry, name, help, {
      labelNames,
      measure(set) {
        for (const [kind, queue] of queues) set({ name: kind }, value(queue))
      },
    })
  measure('workqueue_depth', 'Objects that wait for a reconcile, by kind.', ({ depth }) => depth)
  measure(
    'workqueue_unfinished_work_seconds',
    'Time that the running reconciles of a kind have taken so far, added up.',
    (queue) => secondsOf(queue).reduce((sum, each) => sum + each, 0),
  )
  measure(
    'workqueue_longest_running_processor_seconds',
    'Time that the longest running reconcile of a kind has taken so far.',
    (queue) => secondsOf(queue)[0] ?? 0,
  )
  return {
    reconciled: (kind: string, result: string) => reconciles.inc({ kind, result }),
    queueOf(name: string) {
      // A series that begins with its first event has no rate for it.
      for (const counter of [adds, retries]) counter.inc({ name }, 0)
      for (const histogram of [waits, works]) histogram.zero({ name })
      const added = adds.labels({ name })
      const delayed = retries.labels({ name })
      const waited = waits.labels({ name })
      const worked = works.labels({ name })
      return {
        added: () => added.inc(),
        delayed: () => delayed.inc(),
        started: (seconds: number) => waited.observe(seconds),
        ended: (seconds: number) => worked.observe(seconds),
      }
    },
    watchQueue: (kind: string, queue: Queue) => queues.set(kind, queue),
    longestRunSeconds: () => Math.max(0, ...[...queues.values()].map((queue) => secondsOf(queue)[0] ?? 0)),
  }
}

/** The time that each running key has taken so far, the longest first. */
function secondsOf(queue: Queue): number[] {
  const now = performance.now()
  return [...queue.runningSince()].map((since) => (now - since) / 1000)
}

function objectMetrics(registry: Registry) {
  const registers = [registry]
  const counted = new Map<string, () => Readonly<Record<ObjectState, number>>>()
  addGauge(
    registry,
    'quartermaster_objects',
    'Objects by kind and state: `ready`, `stalled` until a person acts, or `waiting`.',
    {
      labelNames: ['kind', 'state'],
      measure(set) {
        for (const [kind, counts] of counted)
          for (const [state, count] of Object.entries(counts())) set({ kind, state }, count)
      },
    },
  )
  const durations = new Histogram({
    name: 'quartermaster_deployment_duration_seconds',
    help: 'Time from the creation of a deployment to its end, by result.',
    labelNames: ['result'],
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600],
    registers,
  })
  const problems = new Counter({
    name: 'quartermaster_deployment_problems_total',
    help: 'Problems of failed deployments, by reason; `NoMatchingDefinition` if no definition fits a resource.',
    labelNames: ['reason'],
    registers,
  })
  return {
    watchObjects: (kind: string, counts: () => Readonly<Record<ObjectState, number>>) =>
      counted.set(kind, counts),
    deploymentEnded(result: 'succeeded' | 'failed', seconds: number, reasons: readonly string[]) {
      durations.observe({ result }, seconds)
      for (const reason of reasons) problems.inc({ reason })
    },
  }
}

function driverCallMetrics(registry: Registry): DriverCalls {
  const calls = new Histogram({
    name: 'quartermaster_driver_call_duration_seconds',
    help: 'Time that calls of drivers take, by driver (`third-party` if it is not built in), operation and result.',
    labelNames: ['driver', 'operation', 'result'],
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
    registers: [registry],
  })
  return {
    ended: (driver, operation, result, seconds) => calls.observe({ driver, operation, result }, seconds),
  }
}
