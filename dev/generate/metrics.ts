import { createMetrics } from '../../api-gateway/metrics.ts'
import { createOperatorMetrics } from '../../operator/metrics/operator-metrics.ts'
import { createProcessMetrics, type ProcessMetrics } from '../../operator/metrics/process-metrics.ts'
import { code, table } from './markdown.ts'

/** A metric as a process declares it. */
export interface DeclaredMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly labels: readonly string[]
}

/** The metrics of both processes by name, those of Node included. */
export function declaredMetrics(): ReadonlyMap<string, DeclaredMetric> {
  const gateway = createProcessMetrics('gateway')
  createMetrics(gateway)
  const operator = createOperatorMetrics(() => false)
  return new Map([...metricsOf(operator), ...metricsOf(gateway)].map((each) => [each.name, each]))
}

function metricsOf({ registry }: Pick<ProcessMetrics, 'registry'>): DeclaredMetric[] {
  return registry.getMetricsAsArray().map((metric) => {
    // The published type does not contain the names of labels.
    const { labelNames = [] } = metric as { labelNames?: readonly string[] }
    return {
      name: metric.name,
      help: metric.help,
      type: String(metric.type) as DeclaredMetric['type'], // the type is an enum of these texts
      labels: [...labelNames],
    }
  })
}

/** The page that lists the metrics but those of Node. */
export function metricsPage(): string {
  const own = [...declaredMetrics().values()].filter(({ name }) => !/^(nodejs|process)_/.test(name))
  const rows = own
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(', '), help])
  return `# Metrics

The operator serves metrics on \`/metrics\` of port 8081, the gateway on \`/metrics\` of its port, both in the Prometheus text
format. Metrics of queues, of the lease and of requests to the API server have the names that Kubernetes uses, so that
dashboards for controllers work; the label \`name\` of a queue is the kind. Both processes have the usual \`process_\` and
\`nodejs_\` metrics too. Labels are kinds, reasons, routes and results, never names of organizations or objects. Only the
operator that leads reports queues, objects, deployments and drivers.

The chart creates what the Prometheus Operator and Grafana need: see \`monitoring\` in the
[README of the chart](../charts/quartermaster/README.md). [alerts.md](alerts.md) says what to do about each alert.

${table(['Metric', 'Type', 'Labels', 'Meaning'], rows)}
`
}
