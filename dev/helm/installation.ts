import { join } from 'node:path'
import type { ApiAccess } from '../control-plane/kubernetes.ts'
import { apiCall } from '../control-plane/kubernetes.ts'
import { runHelm } from './helm.ts'

const chart = join(import.meta.dirname, '../../charts/quartermaster')
const namespace = 'quartermaster-system'
const timeout = '--timeout=4m'

/** Helm with the release `quartermaster` on one cluster. */
export function releaseOn(kubeconfigPath: string) {
  const release = (command: string, ...args: readonly string[]) =>
    runHelm(command, 'quartermaster', ...args, `--namespace=${namespace}`, `--kubeconfig=${kubeconfigPath}`)
  return {
    /** Installs the chart, or upgrades it, and waits until all pods are ready. */
    install: (...args: readonly string[]) =>
      release('upgrade', chart, '--install', '--create-namespace', '--wait', timeout, ...args),
    uninstall: () => release('uninstall', '--wait', timeout),
  }
}

/** Makes the namespace of the release, which admits only pods that meet the restricted Pod Security Standard. */
export async function makeRestrictedNamespace(access: ApiAccess): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  await apiCall(
    access,
    'PATCH',
    `/api/v1/namespaces/${namespace}?fieldManager=quartermaster-development`,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    'application/apply-patch+yaml',
  )
}
