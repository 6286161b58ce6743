import { Registry } from 'prom-client'
import type { OperatorMetrics } from '../../../operator/metrics/operator-metrics.ts'

const ignore = () => undefined

/** Metrics that count nothing: those of Node would measure real time. */
export const silentMetrics: OperatorMetrics = {
  registry: new Registry(),
  onResponse: ignore,
  watchStore: ignore,
  reconciled: ignore,
  queueOf: () => ({ added: ignore, started: ignore, ended: ignore, delayed: ignore }),
  driverCalls: { ended: ignore },
  watchQueue: ignore,
  watchObjects: ignore,
  openDeployments: () => ignore,
  longestRunSeconds: () => 0,
}
