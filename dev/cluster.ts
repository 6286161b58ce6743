import { execFile, spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { ensureBinaries } from './control-plane/binaries.ts'
import { type ControlPlane, requestToken } from './control-plane/control-plane.ts'
import { type Environment, findOnPath } from './control-plane/fetching.ts'
import { formatKubeconfig } from './control-plane/files.ts'
import type { ApiAccess } from './control-plane/kubernetes.ts'

const run = promisify(execFile)

/** A cluster into which Quartermaster is installed: the embedded control plane or any other one. */
export type Cluster = ApiAccess &
  Pick<ControlPlane, 'kubeconfigPath' | 'kubeconfigFor' | 'tokenFor'> & {
    readonly kubectl: string
    /** Ends the access; the processes that were started keep theirs. */
    close(): void
  }

interface View {
  readonly 'current-context'?: string
  readonly clusters?:
    | readonly {
        readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string }
      }[]
    | null
}

/** The cluster of the current context of kubectl. Calls go through `kubectl proxy`, which knows every way to sign in. */
export async function currentCluster(environment: Environment = process.env): Promise<Cluster> {
  const kubectl = (await findOnPath('kubectl', environment)) ?? (await ensureBinaries()).kubectl
  const options = { env: { ...environment } }
  const args = ['config', 'view', '--minify', '--flatten', '--raw', '--output=json']
  const { stdout } = await run(kubectl, args, options).catch((error: unknown) => {
    throw new Error('kubectl has no current context: set KUBECONFIG', { cause: error })
  })
  const view: View = JSON.parse(stdout)
  const [entry] = view.clusters ?? []
  if (!entry) throw new Error('kubectl has no current cluster: set KUBECONFIG')
  const { server, 'certificate-authority-data': ca } = entry.cluster
  const { url, close } = await startProxy(kubectl, environment)
  const access = { url, adminToken: '' }
  return {
    ...access,
    close,
    kubectl,
    kubeconfigPath: environment['KUBECONFIG'] || join(homedir(), '.kube', 'config'),
    kubeconfigFor: (token) => formatKubeconfig(server, ca ? Buffer.from(ca, 'base64') : undefined, token),
    tokenFor: (namespace, name, seconds = 3_600) => requestToken(access, namespace, name, seconds),
  }
}

/** The embedded control plane as a cluster. */
export function clusterOf(controlPlane: ControlPlane): Cluster {
  return { ...controlPlane, kubectl: controlPlane.binaries.kubectl, close: () => {} }
}

function startProxy(
  kubectl: string,
  environment: Environment,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const child = spawn(kubectl, ['proxy', '--port=0'], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`'kubectl proxy' exited with code ${code}`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /127\.0\.0\.1:\d+/.exec(line)?.[0]
      if (address) resolve({ url: `http://${address}`, close: () => void child.kill() })
    })
  })
}
