import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { productVersion } from '../api/names.ts'
import type { Store } from '../kube/cache/store.ts'

/** Metrics that the operator and the gateway have in common; those of requests have the names that client-go uses. */
export interface ProcessMetrics {
  readonly registry: Registry
  /** Counts an attempt of a request to the API server; status 0 without a response. */
  onResponse(method: string, status: number, seconds: number): void
  /** Reports when each watch was last heard of. */
  watchStore(store: Pick<Store, 'watches'>): void
}

/** Metrics of a process in a separate registry, with those of Node. */
export function createProcessMetrics(component: 'operator' | 'gateway'): ProcessMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  addGauge(registry, 'quartermaster_build_info', 'Always 1; the labels name the process and its version.', {
    labelNames: ['component', 'version'],
    measure: (set) => set({ component, version: productVersion }, 1),
  })
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by method and status; a request without a response has the status `<error>`.',
    labelNames: ['method', 'code'],
    registers,
  })
  const durations = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time from sending a request to the API server to the head of its response.',
    labelNames: ['verb'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 30],
    registers,
  })
  let store: Pick<Store, 'watches'> | undefined
  addGauge(
    registry,
    'quartermaster_watch_silence_seconds',
    'Time since the API server last sent a line on the watch of a resource; it sends one each minute.',
    {
      labelNames: ['resource'],
      measure(set) {
        for (const watch of store?.watches ?? []) set({ resource: watch.resource }, watch.silentMs() / 1000)
      },
    },
  )
  return {
    registry,
    onResponse(method, status, seconds) {
      requests.inc({ method, code: status === 0 ? '<error>' : status })
      durations.observe({ verb: method }, seconds)
    },
    watchStore: (given) => {
      store = given
    },
  }
}

/** Adds a gauge that is measured when the metrics are read. */
export function addGauge<L extends string>(
  registry: Registry,
  name: string,
  help: string,
  gauge: {
    readonly labelNames: readonly L[]
    readonly measure: (set: (labels: Record<L, string>, value: number) => void) => void
  },
): void {
  const { labelNames, measure } = gauge
  const metric: Gauge<L> = new Gauge({
    name,
    help,
    labelNames,
    registers: [],
    collect: () => measure((labels, value) => metric.set(labels, value)),
  })
  registry.registerMetric(metric)
}
