import { join } from 'node:path'
import type { RunningCloudflare } from './fake-cloudflare/process.ts'
import type { RunningIdentityProvider } from './identity-provider/process.ts'
import type { RunningReceiver } from './webhook-receiver/process.ts'

/** The folder of everything that runs on this machine for development. */
export const directory = join(import.meta.dirname, '..', '.dev')

export const places = {
  environment: join(directory, 'env'),
  controlPlane: join(directory, 'control-plane'),
  node: join(directory, 'node'),
  bench: join(directory, 'bench.json'),
} as const

/** The text of a file of variables that a shell reads. */
export function formatEnvironment(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('')
}

/** A word of a shell; a path may have blanks. */
function quoted(value: string): string {
  return /^[\w./:@%+=,-]*$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`
}

/** The supervised processes, by the names of their log and pid files. */
export const serviceNames = [
  'operator',
  'gateway',
  'fake-cloudflare',
  'webhook-receiver',
  'identity-provider',
]

/** The addresses of everything that `make up` starts. */
export interface Running {
  readonly kubeconfig: string
  readonly gatewayUrl: string
  readonly adminToken: string
  readonly kubectl: string
  readonly cloudflare: RunningCloudflare
  readonly receiver: RunningReceiver
  readonly identityProvider: RunningIdentityProvider
}

/** The variable that names the directory for the use of rights in a run of the tests: one file for each control plane. */
export const useOfRightsDirectory = 'QUARTERMASTER_USE_OF_RIGHTS'
