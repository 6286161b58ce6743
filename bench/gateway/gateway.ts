import { kubeconfigOf } from '../../dev/quartermaster.ts'
import { createClient } from '../../operator/kube/client/client.ts'
import { loadConnection } from '../../operator/kube/client/connection.ts'
import type { Bed } from '../bed.ts'
import { deployTo, makeEnvironment, type Stage } from '../client-steps.ts'
import type { Sizes } from '../sizes.ts'
import { measureReads, memoryOf, type Reads } from './reads.ts'
import { measureSlow, type Slow } from './slow.ts'
import { measureWrites, type Write } from './writes.ts'

/** What REST clients get from the gateway of this run. */
export interface GatewayFigures {
  readonly reads: Reads
  readonly writes: readonly Write[]
  readonly slow: Slow
  /** Memory of the gateway: at the beginning, and after each part. */
  readonly memoryMiB: {
    readonly start: number
    readonly writes: number
    readonly reads: number
    readonly slow: number
  }
}

const environmentId = 'read'

/** Measures reads from the cache, writes beside direct ones, and a client beside thousands of slow ones. */
export async function measureGateway(
  bed: Bed,
  stage: Stage,
  { writes: requests, seconds, slowSockets }: Sizes['gateway'],
): Promise<GatewayFigures> {
  await makeEnvironment(stage, environmentId)
  await deployTo(stage, environmentId, 'first', { deltaName: 'independent-10' })
  const { pid } = bed.process('gateway')
  const memory = () => memoryOf(pid)
  const kubeconfig = await kubeconfigOf(bed.controlPlane, 'gateway', bed.directory)
  const client = createClient(await loadConnection({ kubeconfig }))
  try {
    const start = await memory()
    const writes = await measureWrites(stage, client, requests)
    const afterWrites = await memory()
    const reads = await measureReads(stage, pid, environmentId, seconds)
    const afterReads = await memory()
    const slow = await measureSlow(stage, environmentId, { seconds, sockets: slowSockets })
    const memoryMiB = { start, writes: afterWrites, reads: afterReads, slow: await memory() }
    return { reads, writes, slow, memoryMiB }
  } finally {
    await client.close()
  }
}
