import { Counter, Histogram, type Registry } from 'prom-client'
import { operatorLease } from '../api/names.ts'
import type { DriverCalls } from '../drivers/driver.ts'
import type { LoopMetrics } from '../kube/loop/controller-loop.ts'
import { type ObjectState, reconcileResults } from '../kube/loop/outcome.ts'
import type { QueueMetrics, WorkQueue } from '../kube/loop/queue.ts'
import type { DeploymentEnded } from './object-metrics.ts'
import { addGauge, createProcessMetrics, type ProcessMetrics } from './process-metrics.ts'

/** Metrics of the operator. Labels are kinds, reasons and results, never names of users' objects. */
export interface OperatorMetrics extends ProcessMetrics, LoopMetrics {
  readonly driverCalls: DriverCalls
  /** Reports what waits in a queue when metrics are read. */
  watchQueue(kind: string, queue: Pick<WorkQueue, 'depth'>): void
  /** Reports how many objects of a kind are in each state when metrics are read. */
  watchObjects(kind: string, counts: () => Readonly<Record<ObjectState, number>>): void
  /** Begins to count deployments that end. */
  openDeployments(): DeploymentEnded
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
  const queues = new Map<string, Pick<WorkQueue, 'depth'>>()
  /** Since when each running key runs, the longest first, by kind; in milliseconds of `performance.now()`. */
  const running = new Map<string, Map<string, number>>()
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
  addGauge(registry, 'workqueue_depth', 'Objects that wait for a reconcile, by kind.', {
    labelNames,
    measure(set) {
      for (const [name, { depth }] of queues) set({ name }, depth)
    },
  })
  const measureRuns = (name: string, help: string, value: (seconds: readonly number[]) => number) =>
    addGauge(registry, name, help, {
      labelNames,
      measure(set) {
        for (const [kind, since] of running) set({ name: kind }, value(secondsSince(since.values())))
      },
    })
  measureRuns(
    'workqueue_unfinished_work_seconds',
    'Time that the running reconciles of a kind have taken so far, added up.',
    (seconds) => seconds.reduce((sum, each) => sum + each, 0),
  )
  measureRuns(
    'workqueue_longest_running_processor_seconds',
    'Time that the longest running reconcile of a kind has taken so far.',
    ([longest = 0]) => longest,
  )
  return {
    reconciled: (kind: string, result: string) => reconciles.inc({ kind, result }),
    queueOf(name: string): QueueMetrics {
      // A series that begins with its first event has no rate for it.
      for (const counter of [adds, retries]) counter.inc({ name }, 0)
      for (const histogram of [waits, works]) histogram.zero({ name })
      for (const result of reconcileResults) reconciles.inc({ kind: name, result }, 0)
      const addedAt = new Map<string, number>()
      const startedAt = new Map<string, number>()
      running.set(name, startedAt)
      return {
        added(key) {
          adds.inc({ name })
          if (!addedAt.has(key)) addedAt.set(key, performance.now())
        },
        delayed: () => retries.inc({ name }),
        started(key) {
          waits.observe({ name }, secondsOf(addedAt, key))
          startedAt.set(key, performance.now())
        },
        ended: (key) => works.observe({ name }, secondsOf(startedAt, key)),
      }
    },
    watchQueue: (kind: string, queue: Pick<WorkQueue, 'depth'>) => queues.set(kind, queue),
    longestRunSeconds: () =>
      Math.max(0, ...[...running.values()].flatMap((since) => secondsSince(since.values()).slice(0, 1))),
  }
}

/** Removes the time of a key; returns the seconds since then. */
function secondsOf(times: Map<string, number>, key: string): number {
  const since = times.get(key)
  times.delete(key)
  return since === undefined ? 0 : (performance.now() - since) / 1000
}

function secondsSince(times: Iterable<number>): number[] {
  const now = performance.now()
  return Array.from(times, (time) => (now - time) / 1000)
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
    openDeployments(): DeploymentEnded {
      // Alerts compare both results, also for the first deployments of a new leader.
      for (const result of ['succeeded', 'failed']) durations.zero({ result })
      return (result, seconds, reasons) => {
        durations.observe({ result }, seconds)
        for (const reason of reasons) problems.inc({ reason })
      }
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
