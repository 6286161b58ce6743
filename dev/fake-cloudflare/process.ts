import { join } from 'node:path'
import { eventually } from '../control-plane/kubernetes.ts'
import { freePorts } from '../control-plane/processes.ts'
import { startService, stopService } from '../supervision.ts'
import { identifier } from './zones.ts'

const startsWithinMs = 15_000
const name = 'fake-cloudflare'

/** The zone and the token that a development machine works with. */
export const developmentZone = { id: identifier('zone/example.test'), name: 'example.test' } as const
export const developmentToken = 'fake-cloudflare-token-0123456789-abcdefg'

/** Where the fake Cloudflare and its DNS server are. */
export interface RunningCloudflare {
  /** Without `/client/v4`. */
  readonly url: string
  readonly dnsPort: number
  readonly zoneId: string
  readonly token: string
  stop(): Promise<void>
}

/** Starts the fake Cloudflare as a separate process; its records survive it. */
export async function startCloudflare(directory: string, detached = false): Promise<RunningCloudflare> {
  const [port = 0, dnsPort = 0] = await freePorts(2)
  await startService({
    binary: process.execPath,
    args: [
      join(import.meta.dirname, 'main.ts'),
      `--port=${port}`,
      `--dns-port=${dnsPort}`,
      `--zone-id=${developmentZone.id}`,
      `--zone-name=${developmentZone.name}`,
      `--token=${developmentToken}`,
      `--state=${join(directory, `${name}.json`)}`,
    ],
    logFile: join(directory, `${name}.log`),
    pidFile: join(directory, `${name}.pid`),
    detached,
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(name, startsWithinMs, async () => (await fetch(`${url}/__zones`)).ok || undefined)
  return {
    url,
    dnsPort,
    zoneId: developmentZone.id,
    token: developmentToken,
    stop: () => stopCloudflare(directory),
  }
}

/** Ends the one that an earlier start left in this directory. */
export async function stopCloudflare(directory: string): Promise<void> {
  await stopService(join(directory, `${name}.pid`), directory, 5000)
}

/** Settings of an operator on a machine for development: the outside world is this machine. */
export function outsideWorld({ url }: Pick<RunningCloudflare, 'url'>, directory: string) {
  return {
    QUARTERMASTER_CLOUDFLARE_URL: `${url}/client/v4`,
    QUARTERMASTER_LOADBALANCER: '127.0.0.1',
    QUARTERMASTER_OUTBOUND_ALLOWED: '127.0.0.0/8,::1/128,localhost',
    NODE_EXTRA_CA_CERTS: join(directory, 'ca.crt'),
  }
}
