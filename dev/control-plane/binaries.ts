import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  cacheFor,
  download,
  downloadGo,
  type Environment,
  fetchText,
  findOnPath,
  firstExecutable,
  goArchitecture,
  inTemporaryDirectory,
  isReachable,
  type Log,
  printLine,
  removePartial,
  runGo,
  withProgress,
} from './fetching.ts'
import { withLock } from './lock.ts'

const run = promisify(execFile)
const moduleDirectory = fileURLToPath(new URL('.', import.meta.url))

const packages = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
} as const

export type BinaryName = keyof typeof packages
/** Where each program lies. */
export type Binaries = Record<BinaryName, string>

const names: readonly BinaryName[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']

type Source = {
  readonly kubernetes: string
  readonly etcd: string
  readonly flags: readonly string[]
  readonly cache: string
}

/** Finds the programs of a control plane on this machine; downloads or builds what is missing, once. */
export async function ensureBinaries({
  log = printLine,
  environment = process.env,
}: {
  log?: Log
  environment?: Environment
} = {}): Promise<Binaries> {
  const source = await describeSource(environment)
  const found = await findBinaries(source, environment)
  if (isComplete(found)) return found

  await mkdir(source.cache, { recursive: true })
  const waiting = (pid: string) => log(`process ${pid} is fetching the control plane; waiting for it`)
  return withLock(
    join(source.cache, 'lock'),
    async () => {
      const present = await findBinaries(source, environment)
      const missing = names.filter((name) => !present[name])
      await removePartial(source.cache)
      if (missing.length > 0) await fetchBinaries(missing, source, environment, log)
      const complete = await findBinaries(source, environment)
      if (isComplete(complete)) return complete
      throw new Error(`the cache directory '${source.cache}' lost what was just put there`)
    },
    waiting,
  )
}

async function describeSource(environment: Environment): Promise<Source> {
  const [goMod, goSum] = await Promise.all([
    readFile(join(moduleDirectory, 'go.mod'), 'utf8'),
    readFile(join(moduleDirectory, 'go.sum'), 'utf8'),
  ])
  const kubernetes = requiredVersion(goMod, 'k8s.io/kubernetes')
  const [major, minor] = kubernetes.replace('v', '').split('.')
  const setVersion = Object.entries({ gitVersion: kubernetes, gitMajor: major, gitMinor: minor }).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  )
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=-s -w ${setVersion.join(' ')}`]
  const platform = `${process.platform}-${process.arch}`
  return {
    kubernetes,
    flags,
    etcd: requiredVersion(goMod, 'go.etcd.io/etcd/server/v3'),
    cache: cacheFor('control-plane', [goMod, goSum, ...flags, platform], environment),
  }
}

function requiredVersion(goMod: string, path: string): string {
  const lines = goMod.split('\n').map((line) => line.trim().split(/\s+/))
  const version = lines.find(([module, second]) => module === path && second?.startsWith('v'))?.[1]
  if (version) return version
  throw new Error(`go.mod of the control plane does not require '${path}'`)
}

async function findBinaries(source: Source, environment: Environment): Promise<Partial<Binaries>> {
  const assets = environment.KUBEBUILDER_ASSETS
  const found = await Promise.all(
    names.map(async (name) => {
      const onPath = name === 'kubectl' ? await findOnPath(name, environment) : undefined
      const candidates = [assets && join(assets, name), onPath, join(source.cache, name)]
      return [name, await firstExecutable(candidates.filter((path) => path !== undefined))] as const
    }),
  )
  return Object.fromEntries(found.filter(([, path]) => path))
}

function isComplete(found: Partial<Binaries>): found is Binaries {
  return names.every((name) => found[name])
}

async function fetchBinaries(
  missing: readonly BinaryName[],
  source: Source,
  environment: Environment,
  log: Log,
): Promise<void> {
  const go = await findOnPath('go', environment)
  // Kubernetes publishes its servers for Linux only.
  const online = await isReachable('https://dl.k8s.io/')
  if (process.platform === 'linux' && online) {
    try {
      await inTemporaryDirectory(source.cache, (scratch) => downloadBinaries(missing, source, scratch, log))
      return
    } catch (error) {
      if (!go) throw error
      log(`download failed, building instead: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (!go && !online) {
    throw new Error(
      `the control plane needs ${missing.join(', ')}: install Go 1.21 or newer, connect this machine to ` +
        'the internet, or name a folder that holds them in KUBEBUILDER_ASSETS',
    )
  }
  await inTemporaryDirectory(source.cache, async (scratch) => {
    await buildBinaries(go ?? (await downloadGo(scratch, log)), missing, source, scratch, environment, log)
  })
}

async function buildBinaries(
  go: string,
  missing: readonly BinaryName[],
  source: Source,
  scratch: string,
  environment: Environment,
  log: Log,
): Promise<void> {
  log(`building ${missing.join(', ')} with Go; on two cores this takes about five minutes the first time`)
  for (const [index, name] of missing.entries()) {
    let compiled = 0
    let downloaded = 0
    const detail = () =>
      `${compiled} packages compiled${downloaded ? `, ${downloaded} modules downloaded` : ''}`
    // One after the other: the linker of each needs 1.6 GB of memory.
    await withProgress(log, `build ${name} (${index + 1} of ${missing.length})`, detail, async () => {
      const args = ['build', '-v', ...source.flags, '-o', join(scratch, name), packages[name]]
      await runGo(go, moduleDirectory, args, environment, (line) => {
        if (line.startsWith('go: downloading')) downloaded += 1
        else compiled += 1
      })
      await rename(join(scratch, name), join(source.cache, name))
    })
  }
}

async function downloadBinaries(
  missing: readonly BinaryName[],
  source: Source,
  scratch: string,
  log: Log,
): Promise<void> {
  for (const name of missing) {
    const path =
      name === 'etcd'
        ? await downloadEtcd(source.etcd, scratch, log)
        : await downloadKubernetes(name, source.kubernetes, scratch, log)
    await chmod(path, 0o755)
    await rename(path, join(source.cache, name))
  }
}

async function downloadKubernetes(
  name: BinaryName,
  version: string,
  scratch: string,
  log: Log,
): Promise<string> {
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
