import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startControlPlane } from '../../dev/control-plane/control-plane.ts'
import { apiCall, apiRequest, eventually } from '../../dev/control-plane/kubernetes.ts'
import { runHelm } from '../../dev/helm/helm.ts'
import type { Kind } from '../../operator/api/kind.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { apiVersion, group } from '../../operator/api/names.ts'
import { chart, type Manifest, systemNamespace, valuesArguments } from './support.ts'

const run = promisify(execFile)
export const samplePath = '/apis/quartermaster.dev/v1alpha1/namespaces/trial'
export const sampleDeployment = `${samplePath}/environmentdeployments/shop.staging.1`
/** Values for the sample in the organization `trial`. */
export const sample = valuesArguments({ sample: { enabled: true, name: 'trial' } })

/** An object as the API server returns it. */
interface Read extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly uid: string; readonly generation?: number }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** A control plane without Quartermaster, and Helm and kubectl on it. */
export async function startEmptyCluster() {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-chart-'))
  const controlPlane = await startControlPlane({ directory })
  let inputs = 0

  /** No pods run here, so Helm does not wait for them. */
  const release = (command: string, ...args: readonly string[]) =>
    runHelm(
      command,
      'quartermaster',
      ...args,
      `--namespace=${systemNamespace}`,
      `--kubeconfig=${controlPlane.kubeconfigPath}`,
    )
  /** The kinds as a client finds them that has not asked before, such as Helm. */
  async function discovered(): Promise<string[]> {
    const { stdout } = await run(controlPlane.binaries.kubectl, [
      'api-resources',
      `--api-group=${group}`,
      '--output=name',
      `--cache-dir=${join(directory, `discovery-${(inputs += 1)}`)}`,
      `--kubeconfig=${controlPlane.kubeconfigPath}`,
    ])
    return stdout.split('\n')
  }
  /**
   * New kinds are found and served after a moment, and admission policies know them some seconds later: the API server answers
   * 503 until then. Helm does not wait for either.
   */
  async function untilServed(awaited: readonly Kind[] = kinds): Promise<void> {
    await eventually('the kinds', 60_000, async () => {
      const names = await discovered()
      const isServed = async ({ kind, plural }: Kind) => {
        const path = `/apis/${apiVersion}/namespaces/default/${plural}?dryRun=All`
        const object = { apiVersion, kind, metadata: { name: 'probe' } }
        const { status } = await apiRequest(controlPlane, 'POST', path, object)
        return names.includes(`${plural}.${group}`) && status !== 404 && status !== 503
      }
      return (await Promise.all(awaited.map(isServed))).every(Boolean) || undefined
    })
  }
  return {
    directory,
    controlPlane,
    release,
    untilServed,
    /** Installs the chart with the sample in the organization `trial`. */
    async install() {
      const notes = await release('install', chart, '--create-namespace')
      await untilServed()
      await release('upgrade', chart, ...sample)
      return notes
    },
    read: (path: string) => apiCall<Read>(controlPlane, 'GET', path),
    exists: async (path: string) => (await apiRequest(controlPlane, 'GET', path)).ok,
    async kubectl(input: string, ...args: readonly string[]): Promise<string> {
      const file = join(directory, `input-${(inputs += 1)}.yaml`)
      await writeFile(file, input)
      const { stdout } = await run(controlPlane.binaries.kubectl, [
        ...args,
        `--kubeconfig=${controlPlane.kubeconfigPath}`,
        '-f',
        file,
      ])
      return stdout
    },
  }
}
