import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ControlPlane, startControlPlane } from '../../../dev/control-plane/control-plane.ts'
import { type ApiAccess, apiCall } from '../../../dev/control-plane/kubernetes.ts'
import { installInto } from '../../../dev/quartermaster.ts'
import type { Connection } from '../../../operator/kube/client/connection.ts'
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'

/** The same identity as in a kubeconfig, by way of a proxy. */
export async function connectionThrough(proxy: FaultProxy, kubeconfigPath: string): Promise<Connection> {
  const { credentials } = await loadConnection({ kubeconfig: kubeconfigPath })
  const { headers } = await credentials()
  return { origin: proxy.origin, pathPrefix: '', credentials: async () => ({ headers, tls: {} }) }
}

/** A namespace; with a label it is an organization. */
export async function createNamespace(
  access: ApiAccess,
  name: string,
  labels: Record<string, string> = {},
): Promise<void> {
  await apiCall(access, 'POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  })
}

/** A control plane with our kinds and roles where no operator runs, and a proxy in front of it. */
export interface OwnControlPlane {
  readonly controlPlane: ControlPlane
  readonly proxy: FaultProxy
  /** The operator's identity, by way of the proxy. */
  readonly connection: Connection
  stop(): Promise<void>
}

/** Starts a control plane that a test may do anything to. */
export async function startOwnControlPlane(): Promise<OwnControlPlane> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-kube-'))
  const controlPlane = await startControlPlane({ directory, log: () => {} })
  await installInto(controlPlane)
  const proxy = await startFaultProxy(controlPlane)
  const token = await controlPlane.tokenFor('quartermaster-system', 'quartermaster-operator')
  const headers = { authorization: `Bearer ${token}` }
  return {
    controlPlane,
    proxy,
    connection: { origin: proxy.origin, pathPrefix: '', credentials: async () => ({ headers, tls: {} }) },
    async stop() {
      await proxy.close()
      await controlPlane.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A name that no other test of this run has. */
export function uniqueName(prefix: string): string {
  uniqueNames += 1
  return `${prefix}-${process.pid}-${uniqueNames}`
}
let uniqueNames = 0
