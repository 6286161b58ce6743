import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBundles } from '../dev/build.ts'
import { type ControlPlane, startControlPlane } from '../dev/control-plane/control-plane.ts'
import { installInto, kubeconfigOf, type RunningProcess, startQuartermaster } from '../dev/quartermaster.ts'
import { createClient, type KubeClient } from '../operator/kube/client.ts'
import { loadConnection } from '../operator/kube/connection.ts'
import type { Pids } from './usage.ts'

/** A control plane of our own, and the two processes that are measured on it. */
export interface Bed {
  readonly directory: string
  readonly controlPlane: ControlPlane
  /** As the administrator of the cluster: what a person with kubectl does. */
  readonly client: KubeClient
  readonly operator: RunningProcess
  readonly gateway: RunningProcess
  readonly pids: Pids
  startOperator(): Promise<RunningProcess>
  stopOperator(): Promise<void>
  startGateway(): Promise<RunningProcess>
  /** Ends operator and gateway. */
  stopProcesses(): Promise<void>
  close(): Promise<void>
}

const settings = { QUARTERMASTER_REQUESTS_PER_SECOND: '5000', QUARTERMASTER_REQUEST_BURST: '10000' }

/** Starts a fresh control plane with our kinds and policies in it, and nothing that acts on them yet. */
export async function openBed(options: { readonly nodeOptions?: string; readonly log: (line: string) => void }): Promise<Bed> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'))
  const controlPlane = await startControlPlane({ directory, auditLog: true, log: options.log })
  await Promise.all([buildBundles(directory), installInto(controlPlane)])
  const client = createClient(loadConnection(controlPlane.kubeconfigPath))
  const environment = options.nodeOptions === undefined ? settings : { ...settings, NODE_OPTIONS: options.nodeOptions }
  const running = new Map<RunningProcess['name'], RunningProcess>()

  async function start(name: RunningProcess['name']) {
    const started = await startQuartermaster(controlPlane, name, { directory, settings: environment })
    running.set(name, started)
    return started
  }
  async function stop(name: RunningProcess['name']) {
    await running.get(name)?.stop()
    running.delete(name)
  }
  function processCalled(name: RunningProcess['name']): RunningProcess {
    const found = running.get(name)
    if (!found) throw new Error(`${name} does not run`)
    return found
  }
  return {
    directory,
    controlPlane,
    client,
    get operator() {
      return processCalled('operator')
    },
    get gateway() {
      return processCalled('gateway')
    },
    get pids() {
      const ours = [...running.values()].map(({ name, pid }) => [name, pid])
      return { ...Object.fromEntries(ours), ...controlPlane.pids }
    },
    startOperator: () => start('operator'),
    stopOperator: () => stop('operator'),
    startGateway: () => start('gateway'),
    async stopProcesses() {
      await Promise.all([stop('operator'), stop('gateway')])
    },
    async close() {
      await Promise.all([stop('operator'), stop('gateway')])
      await client.close()
      await controlPlane.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A client with the operator's own identity, which alone may write active resources. */
export async function clientAsOperator({ controlPlane, directory }: Bed): Promise<KubeClient> {
  return createClient(loadConnection(await kubeconfigOf(controlPlane, 'operator', directory)))
}
