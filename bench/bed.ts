import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundleName, buildBundles } from '../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../dev/control-plane/control-plane.ts'
import { hasEnded, tail } from '../dev/control-plane/processes.ts'
import { installInto, kubeconfigOf, type RunningProcess, startQuartermaster } from '../dev/quartermaster.ts'
import { createClient, type KubeClient } from '../operator/kube/client/client.ts'
import { loadConnection } from '../operator/kube/client/connection.ts'
import { rounded } from './statistics.ts'
import type { Pids } from './usage.ts'

/** A separate control plane, and the two processes that are measured on it. */
export interface Bed {
  readonly directory: string
  readonly controlPlane: ControlPlane
  /** As the administrator of the cluster: what a person with kubectl does. */
  readonly client: KubeClient
  /** By name; those that run. */
  readonly pids: Pids
  process(name: BundleName): RunningProcess
  /** Starts it; the seconds until it says that it is ready. */
  start(name: BundleName): Promise<number>
  /** Ends it, if it runs. */
  stop(name: BundleName): Promise<void>
  /** Never resolves; rejects when operator or gateway ends by itself. */
  readonly broken: Promise<never>
  close(): Promise<void>
}

const settings = {
  QUARTERMASTER_REQUESTS_PER_SECOND: '100000',
  QUARTERMASTER_REQUEST_BURST: '100000',
  // A busy machine does not end a long run.
  QUARTERMASTER_LEASE_SECONDS: '60',
  // For a driver of the benchmark.
  QUARTERMASTER_OUTBOUND_ALLOWED: '127.0.0.1',
}

/** Starts a fresh control plane with our kinds and policies in it, and nothing that acts on them yet. */
export async function openBed(options: {
  readonly nodeOptions?: string
  readonly log: (line: string) => void
}): Promise<Bed> {
  const { nodeOptions, log } = options
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'))
  const controlPlane = await startControlPlane({ directory, auditLog: true, log })
  await Promise.all([buildBundles(directory), installInto(controlPlane)])
  const client = createClient(await loadConnection({ kubeconfig: controlPlane.kubeconfigPath }))
  const environment = nodeOptions === undefined ? settings : { ...settings, NODE_OPTIONS: nodeOptions }
  const running = new Map<BundleName, RunningProcess>()
  const guard = watchOver(running, directory)
  const bed: Bed = {
    directory,
    controlPlane,
    client,
    process(name) {
      const found = running.get(name)
      if (!found) throw new Error(`${name} does not run`)
      return found
    },
    get pids() {
      const ours = [...running.values()].map(({ name, pid }) => [name, pid])
      return { ...Object.fromEntries(ours), ...controlPlane.pids }
    },
    async start(name) {
      const begun = performance.now()
      running.set(name, await startQuartermaster(controlPlane, name, { directory, settings: environment }))
      return rounded((performance.now() - begun) / 1000)
    },
    async stop(name) {
      const process = running.get(name)
      running.delete(name)
      await process?.stop()
    },
    broken: guard.broken,
    async close() {
      guard.end()
      await Promise.all([bed.stop('operator'), bed.stop('gateway')])
      await client.close()
      await controlPlane.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return bed
}

/** A client with the operator's own identity, which alone may write active resources. */
export async function clientAsOperator({ controlPlane, directory }: Bed): Promise<KubeClient> {
  const kubeconfig = await kubeconfigOf(controlPlane, 'operator', directory)
  return createClient(await loadConnection({ kubeconfig }))
}

function watchOver(running: ReadonlyMap<BundleName, RunningProcess>, directory: string) {
  const { promise, reject } = Promise.withResolvers<never>()
  async function check() {
    for (const { name, pid } of running.values()) {
      if (!(await hasEnded(pid)) || running.get(name)?.pid !== pid) continue
      const log = await tail(join(directory, `${name}.log`))
      reject(new Error(`${name} ended by itself; its log ends with\n${log}`))
    }
  }
  const timer = setInterval(() => void check(), 1000)
  return { broken: promise, end: () => clearInterval(timer) }
}
