import { join } from 'node:path'
import type { RunningCloudflare } from './fake-cloudflare/process.ts'
import type { RunningIdentityProvider } from './identity-provider/process.ts'
import type { RunningReceiver } from './webhook-receiver/process.ts'

/** Everything that runs on this machine for development lies here. */
export const directory = join(import.meta.dirname, '..', '.dev')

export const places = {
  environment: join(directory, 'env'),
  controlPlane: join(directory, 'control-plane'),
  bench: join(directory, 'bench.json'),
} as const

/** What runs after `make up`. */
export interface Running {
  readonly kubeconfig: string
  readonly gatewayUrl: string
  readonly adminToken: string
  readonly kubectl: string
  readonly cloudflare: RunningCloudflare
  readonly receiver: RunningReceiver
  readonly identityProvider: RunningIdentityProvider
}
