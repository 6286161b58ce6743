import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { LoopMetrics } from './kube/loop/controller.ts'

/** Metrics of the operator; labels are kinds and results, never names of users' things. */
export interface OperatorMetrics extends LoopMetrics {
  readonly registry: Registry
  /** Measures the depth of a loop's queue whenever metrics are read. */
  watchQueue(kind: string, depth: () => number): void
}

/** Metrics in a registry of their own, named as controllers of Kubernetes name theirs. */
export function createMetrics(): OperatorMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const reconciled = new Counter({
    name: 'quartermaster_reconcile_total',
    help: 'Looks at objects, by kind and result.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  })
  const depths = new Map<string, () => number>()
  const depth = new Gauge({
    name: 'quartermaster_workqueue_depth',
    help: 'Objects that wait to be looked at, by kind.',
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
