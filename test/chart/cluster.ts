import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startControlPlane } from '../../dev/control-plane/control-plane.ts'
import { apiCall, apiRequest, eventually } from '../../dev/control-plane/kubernetes.ts'
import { runHelm } from '../../dev/helm/helm.ts'
import { kinds } from '../../operator/api/kinds.ts'
import { chart, type Manifest, systemNamespace, valuesArguments } from './support.ts'

const run = promisify(execFile)
const samplePath = '/apis/quartermaster.dev/v1alpha1/namespaces/trial'
export const sampleDeployment = `${samplePath}/environmentdeployments/shop.staging.1`
const sample = valuesArguments({ sample: { enabled: true, name: 'trial' } })

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
      '--api-group=quartermaster.dev',
      '--output=name',
      `--cache-dir=${join(directory, `discovery-${(inputs += 1)}`)}`,
      `--kubeconfig=${controlPlane.kubeconfigPath}`,
    ])
    return stdout.split('\n')
  }
  return {
    directory,
    controlPlane,
    release,
    /** Installs the chart with the sample in the organization `trial`. */
    async install() {
      const notes = await release('install', chart, '--create-namespace')
      // New kinds are found and served after a moment; Helm does not wait for that.
      await eventually('the kinds', 60_000, async () => {
        const names = await discovered()
        const isServed = async ({ plural }: { readonly plural: string }) =>
          names.includes(`${plural}.quartermaster.dev`) &&
          (await apiRequest(controlPlane, 'GET', `/apis/quartermaster.dev/v1alpha1/${plural}?limit=1`)).ok
        return (await Promise.all(kinds.map(isServed))).every(Boolean) || undefined
      })
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
