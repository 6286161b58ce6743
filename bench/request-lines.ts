import { isWrite } from './audit.ts'
import type { Sample } from './measure.ts'
import { quantile, rounded } from './statistics.ts'

/** What a scenario asks of the API server, with its samples. */
interface Requested {
  readonly name: string
  readonly resources: number
  readonly samples: readonly Pick<Sample, 'requests' | 'cpuSeconds'>[]
}

/** Rarer requests belong to the deployment, and not to each resource. */
const leastPerResource = 0.05

/** For each scenario: the operator's writes and reads per resource by path, and the CPU time of a request. */
export function requestLines(scenarios: readonly Requested[]): string[] {
  return scenarios.map((each) => {
    const [writes, reads] = [true, false].map((isOfWrites) => partsOf(each, isOfWrites).join(', ') || 'none')
    const cpu = ['operator', 'kube-apiserver', 'etcd'].map((name) => `${name} ${cpuMsPerRequest(each, name)}`)
    return `${each.name}: writes ${writes}; reads ${reads}; CPU ms per request: ${cpu.join(', ')}`
  })
}

function partsOf({ resources, samples }: Requested, isOfWrites: boolean): string[] {
  const counts = samples.map(({ requests }) => requests['operator'] ?? {})
  const kinds = [...new Set(counts.flatMap((each) => Object.keys(each)))].sort()
  return kinds
    .filter((kind) => isWrite({ verb: kind.split(' ', 1).join('') }) === isOfWrites)
    .map((kind) => [kind, median(counts.map((each) => each[kind] ?? 0)) / resources] as const)
    .filter(([, count]) => count >= leastPerResource)
    .map(([kind, count]) => `${rounded(count, 2)} ${kind}`)
}

/** Of all requests of operator and gateway, and of others' writes. */
function cpuMsPerRequest({ samples }: Requested, name: string): number {
  return rounded(
    median(
      samples.map(({ requests, cpuSeconds }) => {
        const all = Object.values(requests).flatMap((each) => Object.values(each))
        const count = all.reduce((sum, each) => sum + each, 0)
        return ((cpuSeconds[name] ?? 0) * 1000) / Math.max(count, 1)
      }),
    ),
    2,
  )
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
