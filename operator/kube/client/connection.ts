import type { Credentials } from './credentials.ts'
import { podKubeconfig, readKubeconfig } from './kubeconfig.ts'

/** The address of the API server and the credentials for it. */
export interface Connection {
  readonly origin: string
  readonly pathPrefix: string
  /** Reads them again when the API server has refused these. */
  credentials(refused?: Credentials): Promise<Credentials>
}

/** Where the connection is described. */
export interface ConnectionSource {
  /** Kubeconfig file. */
  readonly kubeconfig?: string
  /** Address of the API server, in a pod; its ServiceAccount counts without a kubeconfig. */
  readonly podApiServer?: string
}

const credentialsMaxAgeMs = 30_000

/** The connection of a kubeconfig or of a pod, or else of `KUBECONFIG` or `~/.kube/config`. */
export async function loadConnection({ kubeconfig, podApiServer }: ConnectionSource): Promise<Connection> {
  const source =
    (await readPlain({ kubeconfig, podApiServer })) ??
    // Imported late: it needs 20 MiB.
    (await import('./kubernetes-library.ts')).loadWithLibrary(kubeconfig)
  const server = new URL(source.server)
  let known: { readonly credentials: Credentials; readonly at: number } | undefined

  return {
    origin: server.origin,
    pathPrefix: server.pathname.replace(/\/$/, ''),
    async credentials(refused) {
      const isFresh = known && performance.now() - known.at < credentialsMaxAgeMs
      if (known && isFresh && known.credentials !== refused) return known.credentials
      try {
        known = { credentials: await source.credentials(), at: performance.now() }
      } catch (error) {
        // A file is replaced at this moment: those from before may still be good.
        if (!known) throw error
      }
      return known.credentials
    },
  }
}

async function readPlain({ kubeconfig, podApiServer }: ConnectionSource) {
  if (kubeconfig !== undefined) return readKubeconfig(kubeconfig)
  return podApiServer === undefined ? undefined : podKubeconfig(podApiServer)
}
