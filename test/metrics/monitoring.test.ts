import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { endpoints } from '../../api-gateway/endpoints/index.ts'
import { declaredMetrics } from '../../dev/generate/metrics.ts'
import { reasons } from '../../operator/api/reasons/reasons.ts'

const chart = join(import.meta.dirname, '../../charts/quartermaster')
const page = readFileSync(join(import.meta.dirname, '../../docs/alerts.md'), 'utf8')
const alerts = parse(readFileSync(join(chart, 'monitoring/alerts.yaml'), 'utf8')) as {
  alert: string
  expr: string
  for: string
  annotations: { summary: string }
}[]
const dashboardNames = readdirSync(join(chart, 'monitoring')).filter((name) => name.endsWith('.json'))
const dashboards = dashboardNames.map((name) => {
  const dashboard = JSON.parse(readFileSync(join(chart, 'monitoring', name), 'utf8')) as {
    uid: string
    panels: { id: number; type: string; targets?: { expr: string; legendFormat: string }[] }[]
  }
  return { name, dashboard }
})
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboards.flatMap(({ name, dashboard }) =>
    dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => [name, expr] as const)),
  ),
]
/** Labels that Prometheus adds. */
const target = ['namespace', 'pod']
const metrics = declaredMetrics()
/** Each series of each metric with its labels. */
const series = new Map(
  [...metrics.values()].flatMap(({ name, type, labels }) => {
    const all = [...labels, ...target]
    if (type !== 'histogram') return [[name, all] as const]
    const suffixes = ['_bucket', '_sum', '_count'] as const
    return suffixes.map((suffix) => [name + suffix, suffix === '_bucket' ? [...all, 'le'] : all] as const)
  }),
)

/** What a PromQL query names, as the parser of Prometheus reads it; Grafana replaces its variables first. */
function namedIn(expr: string) {
  const text = expr.replaceAll('$__rate_interval', '5m')
  const found = { errors: 0, metrics: [] as string[], labels: [] as string[] }
  parser.parse(text).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) found.errors += 1
      if (name === 'Identifier') found.metrics.push(text.slice(from, to))
      if (name === 'LabelName') found.labels.push(text.slice(from, to))
    },
  })
  return found
}

describe('queries of alerts and dashboards', () => {
  test.each(queries)('%s: %s', (_name, expr) => {
    const { errors, metrics: names, labels } = namedIn(expr)
    expect(errors).toBe(0)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !series.has(name))).toEqual([])
    const known = new Set(names.flatMap((name) => series.get(name) ?? []))
    expect(labels.filter((label) => !known.has(label))).toEqual([])
    // Another installation's series are never added up with ours.
    expect(expr.match(/namespace="\$namespace"/g)).toHaveLength(names.length)
  })
})

test('the text of an alert uses labels that its query keeps', () => {
  for (const { alert, expr, annotations } of alerts) {
    const used = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label)
    const kept = expr.includes(' by (')
      ? [...expr.matchAll(/by \((\w+)\)/g)].map(([, label]) => label)
      : undefined
    const names = namedIn(expr).metrics.flatMap((name) => series.get(name) ?? [])
    expect({ alert, unknown: used.filter((label) => !(kept ?? names).includes(label ?? '')) }).toEqual({
      alert,
      unknown: [],
    })
  }
})

test('the share of errors is that of the answers: a request whose client left has none', () => {
  const { expr = '' } = alerts.find(({ alert }) => alert === 'QuartermasterGatewayErrors') ?? {}
  expect([...expr.matchAll(/status(?:=~|!=)"[^"]+"/g)].map(([text]) => text)).toEqual([
    'status=~"5.."',
    'status!="none"',
  ])
})

test('alerts of requests count those of users, and neither probes nor readings of metrics', () => {
  const ofRequests = alerts.filter(({ expr }) => expr.includes('quartermaster_gateway_request'))
  expect(ofRequests.length).toBeGreaterThanOrEqual(2)
  for (const { expr } of ofRequests) {
    const left = [...expr.matchAll(/route!~"([^"]+)"/g)].map(([, pattern]) => new RegExp(`^(?:${pattern})$`))
    expect(left).toHaveLength(namedIn(expr).metrics.length)
    for (const pattern of left)
      expect(endpoints.map(({ path }) => path).filter((path) => pattern.test(path))).toEqual([
        '/livez',
        '/readyz',
        '/metrics',
      ])
  }
})

test('an alert that waits for longer than leaders last has series while the leader changes', () => {
  const ofDays = alerts.filter(({ for: time }) => time.endsWith('d'))
  expect(ofDays.length).toBeGreaterThan(0)
  for (const { expr } of ofDays) expect(expr).toMatch(/max_over_time\([^[]*\[\d+m\]\)/)
})

test('no alert waits for a person to act on a failed deployment, which never runs again', () => {
  const ofStalled = alerts.filter(({ expr }) => expr.includes('state="stalled"'))
  expect(ofStalled.map(({ alert }) => alert)).toEqual(['QuartermasterObjectsStalled'])
  for (const { expr } of ofStalled) expect(expr).toContain('kind!="EnvironmentDeployment"')
})

test('each alert has its section with meaning, diagnosis and remedy, and each section its alert', () => {
  const sections = page.split(/^## /m).slice(1)
  expect(sections.map((section) => section.split('\n')[0])).toEqual(alerts.map(({ alert }) => alert))
  for (const section of sections)
    expect([...section.matchAll(/^\*\*(\w+):\*\*/gm)].map(([, word]) => word)).toEqual([
      'Means',
      'Look',
      'Do',
    ])
})

test('the page names reasons that exist', () => {
  const named = [...page.matchAll(/`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((name) => !Object.hasOwn(reasons, name ?? ''))).toEqual([])
})

test('dashboards have unique ids, and panels that do not overlap', () => {
  expect(new Set(dashboards.map(({ dashboard }) => dashboard.uid)).size).toBe(dashboards.length)
  for (const { dashboard } of dashboards) {
    const panels = dashboard.panels as unknown as {
      id: number
      gridPos: { x: number; y: number; w: number; h: number }
    }[]
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
  }
})

test('no label of a metric can hold the name of an object of a user', () => {
  const allowed = new Set(
    'code component driver kind method name operation reason resource result route state status verb version'.split(
      ' ',
    ),
  )
  const own = [...metrics.values()].filter(({ name }) => !/^(nodejs|process)_/.test(name))
  expect(own.flatMap(({ labels }) => labels).filter((label) => !allowed.has(label))).toEqual([])
})
