import { KubeConfig } from '@kubernetes/client-node'
import type { Credentials } from './credentials.ts'
import { type Kubeconfig, refuseUnsupported } from './kubeconfig.ts'

/** Reads any kubeconfig, also one whose credentials come from a program or an identity provider. */
export function loadWithLibrary(path?: string): Kubeconfig {
  const config = new KubeConfig()
  if (path) config.loadFromFile(path)
  else config.loadFromDefault()
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new Error(`no cluster in the kubeconfig ${path ?? 'in use'}`)
  refuseUnsupported({ 'proxy-url': cluster.proxyUrl })
  return { server: cluster.server, credentials: () => readCredentials(config) }
}

async function readCredentials(config: KubeConfig): Promise<Credentials> {
  const options: { headers?: Record<string, string>; auth?: string } = {}
  await config.applyToHTTPSOptions(options)
  const basic: Record<string, string> = options.auth
    ? { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` }
    : {}
  const { ca, cert, key, rejectUnauthorized, servername } = options as TlsOptions // client-node puts single values here
  return {
    headers: { ...options.headers, ...basic },
    tls: { ca: textOf(ca), cert: textOf(cert), key: textOf(key), rejectUnauthorized, servername },
  }
}

interface TlsOptions extends Pick<Credentials['tls'], 'rejectUnauthorized' | 'servername'> {
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
}

function textOf(value: string | Buffer | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}
