import type { OperatorMetrics } from '../../../operator/metrics/operator-metrics.ts'
import { silentMetrics } from './silent-metrics.ts'

type Tally = Map<string, number>
type Measures = Map<string, () => Readonly<Record<string, number>>>

/** What a process has counted. */
export interface Counts {
  readonly metrics: OperatorMetrics
  /** Objects by state, by kind. */
  readonly objects: Measures
  /** Reconciles by kind. */
  readonly reconciles: Tally
  /** Deployments that ended, by result. */
  readonly ended: Tally
  /** What waits in the queue of a kind. */
  readonly queues: Map<string, () => number>
}

/** The metrics of a process of the operator, as far as they measure no time. */
export function startCounts(): Counts {
  const objects: Measures = new Map()
  const reconciles: Tally = new Map()
  const ended: Tally = new Map()
  const queues = new Map<string, () => number>()
  const add = (tally: Tally, key: string) => void tally.set(key, (tally.get(key) ?? 0) + 1)
  return {
    objects,
    reconciles,
    ended,
    queues,
    metrics: {
      ...silentMetrics,
      reconciled: (kind) => add(reconciles, kind),
      watchObjects: (kind, counts) => void objects.set(kind, counts),
      watchQueue: (kind, queue) => void queues.set(kind, () => queue.depth),
      openDeployments: () => (result) => add(ended, result),
    },
  }
}
