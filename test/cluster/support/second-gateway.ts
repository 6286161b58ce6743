import { join } from 'node:path'
import { endProcess, freePorts, startProcess } from '../../../dev/control-plane/processes.ts'
import { eventually } from './client.ts'
import type { SharedCluster } from './shared-cluster.ts'

/** A gateway of one test file, beside the one of all files. */
export interface SecondGateway {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts a gateway over the shared cluster; `name` is that of its log, `settings` are environment variables. Another
 * process may take its port first: then it uses another one.
 */
export async function startSecondGateway(
  cluster: SharedCluster,
  name: string,
  settings: Readonly<Record<string, string>>,
  port?: number,
): Promise<SecondGateway> {
  const start = () => tryToStart(cluster, name, settings, port)
  return start().catch(start)
}

async function tryToStart(
  { directory, gatewayKubeconfig }: SharedCluster,
  name: string,
  settings: Readonly<Record<string, string>>,
  wantedPort?: number,
): Promise<SecondGateway> {
  const [port = 0] = wantedPort === undefined ? await freePorts(1) : [wantedPort]
  const url = `http://127.0.0.1:${port}`
  const pid = await startProcess({
    binary: process.execPath,
    args: [join(directory, 'gateway.mjs')],
    environment: {
      QUARTERMASTER_KUBECONFIG: gatewayKubeconfig,
      QUARTERMASTER_GATEWAY_HOST: '127.0.0.1',
      QUARTERMASTER_GATEWAY_PORT: String(port),
      ...settings,
    },
    logFile: join(directory, `${name}.log`),
    pidFile: join(directory, `${name}.pid`),
    detached: false,
  })
  await eventually(`the gateway '${name}'`, 60_000, async () =>
    (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ? true : undefined,
  )
  return { url, stop: () => endProcess(pid, directory, 5000) }
}
