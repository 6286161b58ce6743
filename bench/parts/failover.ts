import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { apiCall } from '../../dev/control-plane/kubernetes.ts'
import { type RunningProcess, startQuartermaster } from '../../dev/quartermaster.ts'
import { operatorLease, systemNamespace } from '../../operator/api/names.ts'
import { leaseResource, pathOf } from '../../operator/kube/client/resource.ts'
import type { Bed } from '../bed.ts'
import { deployTo, makeEnvironment, type Stage } from '../client-steps.ts'
import { independentName } from '../objects.ts'
import { quantile, rounded } from '../statistics.ts'

/** How long deployments wait when the leader of two operators ends. */
export interface Failover {
  readonly leaseSeconds: number
  /** Seconds from the signal to the leader until a deployment that was created then has succeeded; medians. */
  readonly afterTermSeconds: number
  readonly afterKillSeconds: number
}

/** As the chart sets it. */
const leaseSeconds = 15
const identities = ['first', 'second'] as const

/** Ends the leader of two operators so many times, by each signal, and starts it again. */
export async function measureFailover(bed: Bed, stage: Stage, rounds: number): Promise<Failover> {
  await bed.stop('operator')
  const running = new Map<string, RunningProcess>()
  const start = async (identity: string) => running.set(identity, await startAs(bed, identity))
  try {
    await Promise.all(identities.map(start))
    const seconds = { stop: [] as number[], kill: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      for (const end of ['stop', 'kill'] as const) {
        const id = `failover-${end}-${round}`
        await makeEnvironment(stage, id)
        const holder = await holderOf(bed)
        const leader = running.get(holder)
        if (!leader) throw new Error(`the leader '${holder}' is none of the operators`)
        const ended = leader[end]()
        seconds[end].push(await deployTo(stage, id, 'first', { deltaName: independentName(10, 'echo') }))
        await ended
        await start(holder)
      }
    }
    return {
      leaseSeconds,
      afterTermSeconds: rounded(quantile(seconds.stop, 0.5), 2),
      afterKillSeconds: rounded(quantile(seconds.kill, 0.5), 2),
    }
  } finally {
    await Promise.all([...running.values()].map((each) => each.stop()))
    await bed.start('operator')
  }
}

/** Rows of the report. */
export function failoverRows(
  failover: Failover | undefined,
  line: (name: string, value: number, atMost: number) => string[],
): string[][] {
  if (!failover) return []
  const { leaseSeconds: lease, afterTermSeconds, afterKillSeconds } = failover
  return [
    line('SIGTERM of the leader until a new deployment has succeeded, s', afterTermSeconds, 2),
    line(`SIGKILL of the leader until then, with a lease of ${lease} s, s`, afterKillSeconds, lease + 2),
  ]
}

async function startAs({ controlPlane, directory }: Bed, identity: string): Promise<RunningProcess> {
  const own = join(directory, identity)
  await mkdir(own, { recursive: true })
  return startQuartermaster(controlPlane, 'operator', {
    directory,
    logDirectory: own,
    pidDirectory: own,
    settings: { QUARTERMASTER_IDENTITY: identity, QUARTERMASTER_LEASE_SECONDS: String(leaseSeconds) },
  })
}

async function holderOf({ controlPlane }: Bed): Promise<string> {
  const path = pathOf(leaseResource, systemNamespace, operatorLease)
  const { spec } = await apiCall<{ spec: { holderIdentity: string } }>(controlPlane, 'GET', path)
  return spec.holderIdentity
}
