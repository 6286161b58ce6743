import { setTimeout as sleep } from 'node:timers/promises'
import type { BundleName } from '../../dev/build.ts'
import { inParallel } from '../../operator/kube/client/parallel.ts'
import type { AuditReader } from '../audit.ts'
import type { Bed } from '../bed.ts'
import { checkResources, deployTo, makeEnvironment, type Stage } from '../client-steps.ts'
import { requestsIn, untilQuiet } from '../measure.ts'
import type { Sizes } from '../sizes.ts'
import { rounded } from '../statistics.ts'
import { cpuSecondsOf, memoryMiB } from '../usage.ts'
import { heapByKind, type KindHeap } from './heap.ts'

/** Memory with many resources resident, and what a restart of the operator then costs. */
export interface Resident {
  readonly resources: number
  /** Seconds in which they came, two environments at a time. */
  readonly seconds: number
  readonly perSecond: number
  /** When the last one was ready. */
  readonly loadedMiB: Readonly<Record<string, number>>
  /** At rest. */
  readonly residentMiB: Readonly<Record<string, number>>
  /** What each kind needs in the store of a process. */
  readonly heap: readonly KindHeap[]
  /** A start of the operator; the first new resource was deployed at that moment too. */
  readonly restart: Start & {
    readonly secondsToFirstNewResource: number
    readonly writesOnOthers: number
  }
  readonly gatewayRestart: Start
}

/** A start of a process with all resources. */
interface Start {
  readonly secondsToReady: number
  /** The longest time for which the event loop was blocked until then. */
  readonly longestBlockSeconds: number
  /** Until it is quiet. */
  readonly cpuSeconds: number
  /** At rest. */
  readonly residentMiB: number
}

const atOnce = 2

/** Deploys environments of 1,000 until so many resources are there, then starts the operator anew. */
export async function measureResident(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
  { resident, restSeconds }: Pick<Sizes, 'resident' | 'restSeconds'>,
): Promise<Resident> {
  const ids = Array.from({ length: Math.ceil(resident / 1000) }, (_, index) => `resident-${index}`)
  for (const id of [...ids, 'newcomer']) await makeEnvironment(stage, id)
  const begun = performance.now()
  await inParallel(ids, (id) => deployTo(stage, id, 'first', { deltaName: 'independent-1000' }), atOnce)
  const seconds = (performance.now() - begun) / 1000
  await untilQuiet(audit)
  for (const id of ids) await checkResources(stage, id, 1000)
  const loadedMiB = await memoryMiB(bed.pids, 'now')
  await sleep(1000 * restSeconds)
  const residentMiB = await memoryMiB(bed.pids, 'now')
  const resources = ids.length * 1000
  const perSecond = rounded(resources / seconds, 1)
  const heap = await heapByKind(bed.client)
  const restart = await measureRestart(bed, stage, audit)
  const gatewayRestart = await measureGatewayRestart(bed, audit)
  await sleep(1000 * restSeconds)
  const { operator = 0, gateway = 0 } = await memoryMiB(bed.pids, 'now')
  return {
    resources,
    seconds: rounded(seconds),
    perSecond,
    loadedMiB,
    residentMiB,
    heap,
    restart: { ...restart, residentMiB: operator },
    gatewayRestart: { ...gatewayRestart, residentMiB: gateway },
  }
}

async function measureRestart(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
): Promise<Omit<Resident['restart'], 'residentMiB'>> {
  await bed.stop('operator')
  await untilQuiet(audit)
  const [ready, toFirst] = await Promise.all([
    startOf(bed, 'operator'),
    deployTo(stage, 'newcomer', 'first', { deltaName: 'independent-1' }),
  ])
  const { requests } = requestsIn(await untilQuiet(audit))
  const onResources = Object.entries(requests['operator'] ?? {}).filter(([request]) =>
    /^(create|update|patch|delete) activeresources/.test(request),
  )
  return {
    ...ready,
    cpuSeconds: await cpuSecondsTo(bed, 'operator'),
    secondsToFirstNewResource: rounded(toFirst),
    // The new resource itself costs two.
    writesOnOthers: onResources.reduce((sum, [, count]) => sum + count, 0) - 2,
  }
}

async function measureGatewayRestart(bed: Bed, audit: AuditReader): Promise<Omit<Start, 'residentMiB'>> {
  await bed.stop('gateway')
  const ready = await startOf(bed, 'gateway')
  await untilQuiet(audit)
  return { ...ready, cpuSeconds: await cpuSecondsTo(bed, 'gateway') }
}

async function startOf(
  bed: Bed,
  name: BundleName,
): Promise<Pick<Start, 'secondsToReady' | 'longestBlockSeconds'>> {
  const secondsToReady = await bed.start(name)
  const metrics = await (await fetch(`${bed.process(name).url}/metrics`)).text()
  const [, longest = ''] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics) ?? []
  return { secondsToReady, longestBlockSeconds: rounded(Number(longest)) }
}

async function cpuSecondsTo({ pids }: Bed, name: BundleName): Promise<number> {
  return (await cpuSecondsOf(pids))[name] ?? 0
}
