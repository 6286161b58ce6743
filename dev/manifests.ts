// `make manifests`: the chart with its default values as one file, dist/quartermaster.yaml, for `kubectl apply --server-side -f`
// on Kubernetes 1.36 or newer.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runHelm } from './helm/helm.ts'

const root = join(import.meta.dirname, '..')
const header =
  '# Generated from charts/quartermaster by `make manifests`, for Kubernetes 1.36 or newer. kubectl apply --server-side -f quartermaster.yaml\n'

/** Renders the chart with the namespace, and without the objects of `helm test`. */
export async function renderManifests(): Promise<string> {
  const text = await runHelm(
    'template',
    'quartermaster',
    join(root, 'charts/quartermaster'),
    '--namespace=quartermaster-system',
    '--set=namespace.create=true',
    '--no-hooks',
    '--skip-tests',
    // Without a cluster, Helm uses built-in defaults.
    '--kube-version=1.36.0',
    '--api-versions=admissionregistration.k8s.io/v1/MutatingAdmissionPolicy',
  )
  return header + text
}

if (import.meta.main) {
  const text = await renderManifests()
  await mkdir(join(root, 'dist'), { recursive: true })
  await writeFile(join(root, 'dist/quartermaster.yaml'), text)
  console.log('dist/quartermaster.yaml')
}
