import { rounded } from '../statistics.ts'
import { objectsPerResource } from '../work.ts'
import { costs, deviation, predict } from './model.ts'
import type { ScaleRow } from './scale.ts'

type Cell = string | number

/** The tables of docs/scale.md, as Markdown: what was measured, and how far the model is from it. */
export function scaleTables(rows: readonly ScaleRow[]): string {
  return [stepTable(rows), residentTable(rows), costTable(), modelTable(rows)].join('\n\n')
}

function stepTable(rows: readonly ScaleRow[]): string {
  const head = [
    'Step',
    'Seconds',
    'Writes',
    'Reads',
    'CPU ms each: operator',
    'API server',
    'etcd',
    'Peak MiB',
    'Noise',
  ]
  const body = rows.flatMap(({ steps, resources }) =>
    steps.map(({ name, about, seconds, writes, reads, cpuSeconds, peakMemoryMiB, noise = 0 }): Cell[] => {
      const perResource = (process: string) =>
        rounded(((cpuSeconds[process] ?? 0) * 1000) / (about === 1 ? 1 : resources), 2)
      return [
        name,
        rounded(seconds, 2),
        writes,
        reads,
        perResource('operator'),
        perResource('kube-apiserver'),
        perResource('etcd'),
        Math.round(peakMemoryMiB['operator'] ?? 0),
        `${Math.round(noise * 100)} %`,
      ]
    }),
  )
  return markdown(head, body)
}

function residentTable(rows: readonly ScaleRow[]): string {
  const head = [
    'Resources',
    'Objects each',
    'Stored bytes each',
    'Database growth each',
    'Operator MiB',
    'Gateway MiB',
    'Requests in an idle minute',
    'List over REST: ms',
    'CPU ms',
    'MB',
  ]
  const body = rows.map(
    ({ resources, work, storedBytes, databaseBytes, residentMiB, idleRequests, list }): Cell[] => [
      resources,
      objectsPerResource(work),
      Math.round(storedBytes / resources),
      Math.round(databaseBytes / resources),
      Math.round(residentMiB['operator'] ?? 0),
      Math.round(residentMiB['gateway'] ?? 0),
      idleRequests,
      list.milliseconds,
      list.gatewayCpuMs,
      rounded(list.bytes / 1e6, 2),
    ],
  )
  return markdown(head, body)
}

function costTable(): string {
  const words = (name: string) =>
    name.replace(/MiB|KiB|[A-Z]/g, (part) => ` ${part.length > 1 ? part : part.toLowerCase()}`)
  return markdown(
    ['Constant of the model', 'Value'],
    Object.entries(costs).map(([name, value]) => [words(name), value]),
  )
}

/** How far the model is from each measured figure, in percent. */
function modelTable(rows: readonly ScaleRow[]): string {
  const head = [
    'Resources',
    'Objects each',
    'Writes',
    'Reads',
    'Writes of the deletion',
    'Stored bytes',
    'Operator MiB',
    'Gateway MiB',
  ]
  const body = rows.map(({ resources, work, steps, storedBytes, residentMiB }): Cell[] => {
    const predicted = predict({ resources, work, deployments: steps.length - 1 })
    const [first, last] = [steps[0], steps.at(-1)]
    const off = (measured: number | undefined, figure: number) =>
      `${Math.round(deviation(measured ?? 0, figure) * 100)} %`
    return [
      resources,
      objectsPerResource(work),
      off(first?.writes, predicted.writes),
      off(first?.reads, predicted.reads),
      off(last?.writes, predicted.deletionWrites),
      off(storedBytes, predicted.storedBytes),
      off(residentMiB['operator'], predicted.operatorMiB),
      off(residentMiB['gateway'], predicted.gatewayMiB),
    ]
  })
  return markdown(head, body)
}

function markdown(head: readonly string[], body: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...body.map(line)].join(
    '\n',
  )
}
