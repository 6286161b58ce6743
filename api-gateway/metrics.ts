import { Counter, Histogram } from 'prom-client'
import type { ProcessMetrics } from '../operator/metrics/process-metrics.ts'

/** Prometheus metrics. */
export interface Metrics {
  observe(request: {
    readonly method: string
    readonly route: string
    readonly status: number | 'none'
    readonly seconds: number
  }): void
  readonly contentType: string
  text(): Promise<string>
}

/** Rendering the metrics is expensive, so they are cached. */
const cacheMs = 1000

/** Adds the metrics of a gateway to those of its process. */
export function createMetrics({ registry }: Pick<ProcessMetrics, 'registry'>): Metrics {
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'quartermaster_gateway_requests_total',
    help: 'Requests, by route and status; one whose client left before the answer has the status `none`.',
    labelNames,
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'quartermaster_gateway_request_duration_seconds',
    help: 'Time from receiving the request head to the end of the response.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  let made = { at: Number.NEGATIVE_INFINITY, text: Promise.resolve('') }
  return {
    observe({ method, route, status, seconds }) {
      requests.inc({ method, route, status })
      durations.observe({ method, route }, seconds)
    },
    contentType: registry.contentType,
    text() {
      const now = performance.now()
      if (now >= made.at + cacheMs) made = { at: now, text: registry.metrics() }
      return made.text
    },
  }
}
