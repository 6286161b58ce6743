import { execFile } from 'node:child_process'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  cacheFor,
  download,
  type Environment,
  fetchText,
  findOnPath,
  goArchitecture,
  type Log,
  printLine,
} from './fetching.ts'
import {
  buildGoProgram,
  cachedPrograms,
  downloadOrBuild,
  goFlags,
  type Keep,
  linkerFlag,
} from './program-cache.ts'

const run = promisify(execFile)
const moduleDirectory = fileURLToPath(new URL('.', import.meta.url))

const controlPlanePackages = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
} as const

const nodePackages = {
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
} as const

const packages = { ...controlPlanePackages, ...nodePackages }

type ProgramName = keyof typeof packages
type BinaryName = keyof typeof controlPlanePackages
/** Where each program lies. */
export type Binaries = Record<BinaryName, string>

type Source = {
  readonly kubernetes: string
  readonly etcd: string
  readonly variables: Readonly<Record<string, string>>
  readonly cache: string
}

interface Options {
  readonly log?: Log
  readonly environment?: Environment
}

/** Finds the programs of a control plane on this machine; downloads or builds what is missing, once. */
export async function ensureBinaries(options: Options = {}): Promise<Binaries> {
  return ensurePrograms(Object.keys(controlPlanePackages) as BinaryName[], options)
}

/** Finds the Kubernetes programs of a node, at the version of the control plane; downloads or builds what is missing, once. */
export async function ensureNodePrograms(
  options: Options = {},
): Promise<Record<keyof typeof nodePackages, string>> {
  return ensurePrograms(Object.keys(nodePackages) as (keyof typeof nodePackages)[], options)
}

async function ensurePrograms<Name extends ProgramName>(
  names: readonly Name[],
  { log = printLine, environment = process.env }: Options,
): Promise<Record<Name, string>> {
  const source = await describeSource(environment)
  const assets = environment.KUBEBUILDER_ASSETS
  return cachedPrograms({
    cache: source.cache,
    names,
    log,
    preferred: async (name) => [
      assets && join(assets, name),
      name === 'kubectl' ? await findOnPath(name, environment) : undefined,
    ],
    fetch: (missing, scratch, keep) =>
      downloadOrBuild({
        what: missing.join(', '),
        scratch,
        environment,
        log,
        // Kubernetes publishes its servers for Linux only.
        releases: process.platform === 'linux' ? 'https://dl.k8s.io/' : undefined,
        download: () => downloadPrograms(missing, source, scratch, keep, log),
        build: (go) => buildPrograms(go, missing, source, scratch, keep, { environment, log }),
      }),
  })
}

async function describeSource(environment: Environment): Promise<Source> {
  const [goMod, goSum] = await Promise.all([
    readFile(join(moduleDirectory, 'go.mod'), 'utf8'),
    readFile(join(moduleDirectory, 'go.sum'), 'utf8'),
  ])
  const kubernetes = requiredVersion(goMod, 'k8s.io/kubernetes')
  const [major = '', minor = ''] = kubernetes.replace('v', '').split('.')
  const versions = { gitVersion: kubernetes, gitMajor: major, gitMinor: minor }
  const variables = Object.fromEntries(
    Object.entries(versions).map(([name, value]) => [`k8s.io/component-base/version.${name}`, value]),
  )
  const platform = `${process.platform}-${process.arch}`
  return {
    kubernetes,
    variables,
    etcd: requiredVersion(goMod, 'go.etcd.io/etcd/server/v3'),
    cache: cacheFor(
      'control-plane',
      [goMod, goSum, ...goFlags, linkerFlag(variables), platform],
      environment,
    ),
  }
}

function requiredVersion(goMod: string, path: string): string {
  const lines = goMod.split('\n').map((line) => line.trim().split(/\s+/))
  const version = lines.find(([module, second]) => module === path && second?.startsWith('v'))?.[1]
  if (version) return version
  throw new Error(`go.mod of the control plane does not require '${path}'`)
}

async function buildPrograms<Name extends ProgramName>(
  go: string,
  missing: readonly Name[],
  { variables }: Source,
  scratch: string,
  keep: Keep<Name>,
  { environment, log }: Required<Options>,
): Promise<void> {
  log(`building ${missing.join(', ')} with Go, once; this takes 1 to 2 minutes each on two cores`)
  // In sequence, because each linker needs 1.6 GB of memory.
  for (const [index, name] of missing.entries()) {
    const output = join(scratch, name)
    const what = `${name} (${index + 1} of ${missing.length})`
    const packagePath = packages[name]
    await buildGoProgram({ go, moduleDirectory, packagePath, variables, output, what, environment, log })
    await keep(name, output)
  }
}

async function downloadPrograms<Name extends ProgramName>(
  missing: readonly Name[],
  source: Source,
  scratch: string,
  keep: Keep<Name>,
  log: Log,
): Promise<void> {
  for (const name of missing) {
    const path =
      name === 'etcd'
        ? await downloadEtcd(source.etcd, scratch, log)
        : await downloadKubernetes(name, source.kubernetes, scratch, log)
    await chmod(path, 0o755)
    await keep(name, path)
  }
}

async function downloadKubernetes(name: string, version: string, scratch: string, log: Log): Promise<string> {
  const url = `https://dl.k8s.io/release/${version}/bin/${process.platform}/${goArchitecture()}/${name}`
  await download(url, await fetchText(`${url}.sha256`), join(scratch, name), log)
  return join(scratch, name)
}

async function downloadEtcd(version: string, scratch: string, log: Log): Promise<string> {
  const folder = `etcd-${version}-${process.platform}-${goArchitecture()}`
  const release = `https://github.com/etcd-io/etcd/releases/download/${version}`
  const sums = await fetchText(`${release}/SHA256SUMS`)
  const sum = sums.split('\n').find((line) => line.trim().endsWith(` ${folder}.tar.gz`)) ?? ''
  await download(`${release}/${folder}.tar.gz`, sum, join(scratch, 'etcd.tar.gz'), log)
  await run('tar', ['-xzf', join(scratch, 'etcd.tar.gz'), '-C', scratch])
  return join(scratch, folder, 'etcd')
}
