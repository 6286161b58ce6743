import { KubeConfig } from '@kubernetes/client-node'

/** Headers and TLS options of a request, at most half a minute old. */
export interface Credentials {
  readonly headers: Record<string, string>
  readonly tls: {
    readonly ca?: string | Buffer
    readonly cert?: string | Buffer
    readonly key?: string | Buffer
    readonly rejectUnauthorized?: boolean
    readonly servername?: string
  }
}

/** The address of the API server and the credentials for it. */
export interface Connection {
  readonly origin: string
  readonly pathPrefix: string
  credentials(): Promise<Credentials>
}

const credentialsMaxAgeMs = 30_000

/** The connection of this kubeconfig file, or else of `KUBECONFIG`, `~/.kube/config` or the pod's ServiceAccount. */
export function loadConnection(kubeconfigPath?: string): Connection {
  const config = new KubeConfig()
  if (kubeconfigPath) config.loadFromFile(kubeconfigPath)
  else config.loadFromDefault()
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new Error(`no cluster in the kubeconfig ${kubeconfigPath ?? 'in use'}`)
  const server = new URL(cluster.server)
  let known: { readonly credentials: Credentials; readonly at: number } | undefined

  return {
    origin: server.origin,
    pathPrefix: server.pathname.replace(/\/$/, ''),
    async credentials() {
      if (known && performance.now() - known.at < credentialsMaxAgeMs) return known.credentials
      known = { credentials: await readCredentials(config), at: performance.now() }
      return known.credentials
    },
  }
}

async function readCredentials(config: KubeConfig): Promise<Credentials> {
  const options: { headers?: Record<string, string>; auth?: string } = {}
  await config.applyToHTTPSOptions(options)
  const basic: Record<string, string> = options.auth
    ? { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` }
    : {}
  const { ca, cert, key, rejectUnauthorized, servername } = options as Credentials['tls'] // client-node puts single values here
  return { headers: { ...options.headers, ...basic }, tls: { ca, cert, key, rejectUnauthorized, servername } }
}
