import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { LoopMetrics } from './kube/loop/controller-loop.ts'

/** Metrics of the operator; labels are kinds and results, never names of users' objects. */
export interface OperatorMetrics extends LoopMetrics {
  readonly registry: Registry
  /** Reports the depth of a loop's queue when metrics are read. */
  watchQueue(kind: string, depth: () => number): void
}

/** Metrics in a separate registry, with the names that Kubernetes controllers use. */
export function createMetrics(): OperatorMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const reconciled = new Counter({
    name: 'quartermaster_reconcile_total',
    help: 'Reconciles, by kind and result.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  })
  const depths = new Map<string, () => number>()
  const depth = new Gauge({
    name: 'quartermaster_workqueue_depth',
    help: 'Objects that wait for a reconcile, by kind.',
    labelNames: ['kind'],
    registers: [registry],
    collect: () => {
      for (const [kind, measure] of depths) depth.set({ kind }, measure())
    },
  })
  return {
    registry,
    reconciled: (kind, result) => reconciled.inc({ kind, result }),
    watchQueue: (kind, measure) => depths.set(kind, measure),
  }
}
