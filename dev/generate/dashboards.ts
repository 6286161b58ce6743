/** A panel: its title, its unit as Grafana names it, and its queries with the legend of each. */
type Panel = readonly [title: string, unit: string, ...queries: (readonly [expr: string, legend: string])[]]

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly rows: readonly (readonly [title: string, ...panels: Panel[]])[]
}

/** Selects the series of the installation that the reader chose. */
const ours = 'namespace="$namespace"'
const rate = (metric: string, labels = '') => `rate(${metric}{${ours}${labels}}[$__rate_interval])`
const quantile = (share: number, metric: string, by: string) =>
  `histogram_quantile(${share}, sum by (le, ${by}) (${rate(`${metric}_bucket`)}))`

/** Median and 99 % of a duration. */
const durations = (metric: string, by: string): [expr: string, legend: string][] => [
  [quantile(0.5, metric, by), `median, {{${by}}}`],
  [quantile(0.99, metric, by), `99 %, {{${by}}}`],
]

const processRow = (component: 'operator' | 'gateway'): Dashboard['rows'][number] => {
  const pods = `, pod=~"quartermaster-${component}.*"`
  return [
    'Process',
    ['Memory', 'bytes', [`process_resident_memory_bytes{${ours}${pods}}`, '{{pod}}']],
    ['CPU', 'percentunit', [rate('process_cpu_seconds_total', pods), '{{pod}}']],
    ['Delay of the event loop', 's', [`nodejs_eventloop_lag_p99_seconds{${ours}${pods}}`, '{{pod}}']],
    [
      'Requests to the API server',
      'reqps',
      [`sum by (method, code) (${rate('rest_client_requests_total', pods)})`, '{{method}} {{code}}'],
    ],
    [
      'Silence of watches',
      's',
      [`max by (resource) (quartermaster_watch_silence_seconds{${ours}${pods}})`, '{{resource}}'],
    ],
  ]
}

const dashboards: Readonly<Record<string, Dashboard>> = {
  operator: {
    uid: 'quartermaster-operator',
    title: 'Quartermaster / Operator',
    rows: [
      [
        'Deployments',
        [
          'Deployments that ended',
          'short',
          [
            `sum by (result) (increase(quartermaster_deployment_duration_seconds_count{${ours}}[$__rate_interval]))`,
            '{{result}}',
          ],
        ],
        ['Duration of deployments', 's', ...durations('quartermaster_deployment_duration_seconds', 'result')],
        [
          'Problems by reason',
          'short',
          [
            `sum by (reason) (increase(quartermaster_deployment_problems_total{${ours}}[$__rate_interval]))`,
            '{{reason}}',
          ],
        ],
      ],
      [
        'Objects',
        [
          'Objects that are not ready',
          'short',
          [`sum by (kind, state) (quartermaster_objects{${ours}, state!="ready"}) > 0`, '{{kind}} {{state}}'],
        ],
        [
          'Objects that are ready',
          'short',
          [`sum by (kind) (quartermaster_objects{${ours}, state="ready"})`, '{{kind}}'],
        ],
      ],
      [
        'Drivers',
        [
          'Calls',
          'reqps',
          [
            `sum by (driver, operation, result) (${rate('quartermaster_driver_call_duration_seconds_count')})`,
            '{{driver}} {{operation}} {{result}}',
          ],
        ],
        [
          'Duration of calls, 99 %',
          's',
          [quantile(0.99, 'quartermaster_driver_call_duration_seconds', 'driver'), '{{driver}}'],
        ],
      ],
      [
        'Reconciles',
        [
          'Reconciles',
          'ops',
          [`sum by (kind, result) (${rate('quartermaster_reconcile_total')})`, '{{kind}} {{result}}'],
        ],
        ['Depth of queues', 'short', [`max by (name) (workqueue_depth{${ours}})`, '{{name}}']],
        [
          'Time in queues, 99 %',
          's',
          [quantile(0.99, 'workqueue_queue_duration_seconds', 'name'), '{{name}}'],
        ],
        [
          'Time of reconciles, 99 %',
          's',
          [quantile(0.99, 'workqueue_work_duration_seconds', 'name'), '{{name}}'],
        ],
        ['Retries', 'ops', [`sum by (name) (${rate('workqueue_retries_total')})`, '{{name}}']],
        [
          'Longest running reconcile',
          's',
          [`max by (name) (workqueue_longest_running_processor_seconds{${ours}})`, '{{name}}'],
        ],
      ],
      processRow('operator'),
    ],
  },
  gateway: {
    uid: 'quartermaster-gateway',
    title: 'Quartermaster / Gateway',
    rows: [
      [
        'Requests',
        [
          'Requests by status',
          'reqps',
          [`sum by (status) (${rate('quartermaster_gateway_requests_total')})`, '{{status}}'],
        ],
        [
          'Busiest routes',
          'reqps',
          [
            `topk(10, sum by (method, route) (${rate('quartermaster_gateway_requests_total')}))`,
            '{{method}} {{route}}',
          ],
        ],
        ['Duration', 's', ...durations('quartermaster_gateway_request_duration_seconds', 'method')],
        [
          'Slowest routes, 99 %',
          's',
          [
            `topk(10, ${quantile(0.99, 'quartermaster_gateway_request_duration_seconds', 'method, route')})`,
            '{{method}} {{route}}',
          ],
        ],
      ],
      processRow('gateway'),
    ],
  },
}

const datasource = { type: 'prometheus', uid: '${datasource}' }
const panelWidth = 8
const panelHeight = 8
const columns = 24 / panelWidth

/** The dashboards as Grafana imports them, by file name. */
export function dashboardFiles(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(dashboards).map(([name, dashboard]) => [
      `${name}.json`,
      `${JSON.stringify(grafanaOf(dashboard), null, 2)}\n`,
    ]),
  )
}

function grafanaOf({ uid, title, rows }: Dashboard): object {
  return {
    uid,
    title,
    tags: ['quartermaster'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'namespace',
          label: 'Namespace',
          type: 'query',
          datasource,
          query: { query: 'label_values(quartermaster_build_info, namespace)', refId: 'namespace' },
          refresh: 1,
        },
      ],
    },
    panels: panelsOf(rows),
  }
}

function panelsOf(rows: Dashboard['rows']): object[] {
  const made: object[] = []
  let y = 0
  for (const [title, ...panels] of rows) {
    made.push({
      id: made.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: 24, h: 1 },
    })
    y += 1
    for (const [index, panel] of panels.entries()) {
      const [x, line] = [(index % columns) * panelWidth, Math.floor(index / columns)]
      const gridPos = { x, y: y + line * panelHeight, w: panelWidth, h: panelHeight }
      made.push({ id: made.length + 1, gridPos, ...timeSeries(panel) })
    }
    y += Math.ceil(panels.length / columns) * panelHeight
  }
  return made
}

function timeSeries([title, unit, ...queries]: Panel): object {
  return {
    type: 'timeseries',
    title,
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      expr,
      legendFormat,
    })),
  }
}
