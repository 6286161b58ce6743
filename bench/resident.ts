import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '../operator/controllers/shared/parallel.ts'
import type { AuditReader } from './audit.ts'
import type { Bed } from './bed.ts'
import { checkResources, deployTo, makeEnvironment, type Stage } from './client-steps.ts'
import { requestsIn, untilQuiet } from './measure.ts'
import { rounded } from './statistics.ts'
import { cpuSecondsOf, memoryMiB } from './usage.ts'

/** Memory with many resources resident, and what a restart of the operator then costs. */
export interface Resident {
  readonly resources: number
  /** Seconds in which they came, two environments at a time. */
  readonly seconds: number
  readonly perSecond: number
  readonly residentMiB: Readonly<Record<string, number>>
  /** From the start of the process; the first new resource was deployed at that moment too. */
  readonly restart: {
    readonly secondsToReady: number
    readonly secondsToFirstNewResource: number
    readonly cpuSeconds: number
    readonly writesOnOthers: number
    readonly residentMiB: number
  }
}

const settleMs = 15_000
const atOnce = 2

/** Deploys environments of 1,000 until so many resources are there, then starts the operator anew. */
export async function measureResident(
  bed: Bed,
  stage: Stage,
  audit: AuditReader,
  count: number,
): Promise<Resident> {
  const ids = Array.from({ length: Math.ceil(count / 1000) }, (_, index) => `resident-${index}`)
  for (const id of [...ids, 'newcomer']) await makeEnvironment(stage, id)
  const begun = performance.now()
  await inParallel(ids, (id) => deployTo(stage, id, 'first', { deltaName: 'independent-1000' }), atOnce)
  const seconds = (performance.now() - begun) / 1000
  await untilQuiet(audit)
  for (const id of ids) await checkResources(stage, id, 1000)
  await sleep(settleMs)
  const residentMiB = await memoryMiB(bed.pids, 'now')
  const resources = ids.length * 1000
  const perSecond = rounded(resources / seconds, 1)
  return {
    resources,
    seconds: rounded(seconds),
    perSecond,
    residentMiB,
    restart: await measureRestart(bed, stage, audit),
  }
}

async function measureRestart(bed: Bed, stage: Stage, audit: AuditReader): Promise<Resident['restart']> {
  await bed.stop('operator')
  await untilQuiet(audit)
  const [secondsToReady, toFirst] = await Promise.all([
    bed.start('operator'),
    deployTo(stage, 'newcomer', 'first', { deltaName: 'independent-1' }),
  ])
  const { requests } = requestsIn(await untilQuiet(audit))
  const onResources = Object.entries(requests['operator'] ?? {}).filter(([request]) =>
    /^(create|patch|delete) activeresources/.test(request),
  )
  const { operator: cpuSeconds = 0 } = await cpuSecondsOf(bed.pids)
  await sleep(settleMs)
  const { operator: residentMiB = 0 } = await memoryMiB(bed.pids, 'now')
  return {
    secondsToReady,
    secondsToFirstNewResource: rounded(toFirst),
    cpuSeconds,
    // The new resource itself costs two.
    writesOnOthers: onResources.reduce((sum, [, count]) => sum + count, 0) - 2,
    residentMiB: rounded(residentMiB, 1),
  }
}
