import { join } from 'node:path'
import { eventually } from '../control-plane/kubernetes.ts'
import { freePorts } from '../control-plane/processes.ts'
import { startService, stopService } from '../supervision.ts'
import type { ProviderClient } from './provider.ts'

const startsWithinMs = 15_000
const name = 'identity-provider'

/** The client that the gateway of a development machine is. */
export function developmentClient(gatewayUrl: string) {
  return {
    id: 'quartermaster',
    secret: 'identity-provider-secret-0123456789-abcdefg',
    redirectUris: [`${gatewayUrl}/auth/oidc/callback`],
  } satisfies ProviderClient
}

/** Where the gateway finds the secret of this client. */
export function secretFileIn(directory: string): string {
  return join(directory, 'oidc-client-secret')
}

/** Where the identity provider is, and the settings of a gateway whose people sign in with it. */
export interface RunningIdentityProvider {
  readonly url: string
  readonly settings: Readonly<Record<string, string>>
}

/** Starts the identity provider as a separate process, in place of one that an earlier start left. */
export async function startIdentityProviderProcess(
  directory: string,
  gatewayUrl: string,
): Promise<RunningIdentityProvider> {
  await stopIdentityProvider(directory)
  const [port = 0] = await freePorts(1)
  await startService({
    binary: process.execPath,
    args: [
      join(import.meta.dirname, 'main.ts'),
      `--port=${port}`,
      `--gateway=${gatewayUrl}`,
      `--directory=${directory}/`,
    ],
    logFile: join(directory, `${name}.log`),
    pidFile: join(directory, `${name}.pid`),
    detached: true,
  })
  const url = `http://localhost:${port}`
  await eventually(name, startsWithinMs, async () => (await fetch(`${url}/__calls`)).ok || undefined)
  return {
    url,
    settings: {
      QUARTERMASTER_OIDC_ISSUER: url,
      QUARTERMASTER_OIDC_CLIENT_ID: developmentClient(gatewayUrl).id,
      QUARTERMASTER_OIDC_CLIENT_SECRET_FILE: secretFileIn(directory),
      QUARTERMASTER_PUBLIC_URL: gatewayUrl,
    },
  }
}

/** Ends the one that an earlier start left in this directory. */
export async function stopIdentityProvider(directory: string): Promise<void> {
  await stopService(join(directory, `${name}.pid`), directory, 5000)
}
