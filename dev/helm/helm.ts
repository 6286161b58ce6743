import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
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
} from '../control-plane/fetching.ts'
import { withLock } from '../control-plane/lock.ts'

const run = promisify(execFile)
const moduleDirectory = import.meta.dirname
const modulePath = 'helm.sh/helm/v4'

/** Finds Helm, at the version in go.mod, in the cache of the user; downloads or builds it there once. */
export async function ensureHelm({
  log = printLine,
  environment = process.env,
}: {
  log?: Log
  environment?: Environment
} = {}): Promise<string> {
  const inputs = await Promise.all(
    ['go.mod', 'go.sum'].map((name) => readFile(join(moduleDirectory, name), 'utf8')),
  )
  const version = /^\s*helm\.sh\/helm\/v4 (v\S+)/m.exec(inputs[0] ?? '')?.[1]
  if (!version) throw new Error(`go.mod in '${moduleDirectory}' does not require '${modulePath}'`)
  const cache = cacheFor('helm', [...inputs, `${process.platform}-${process.arch}`], environment)
  const path = join(cache, 'helm')
  if (await firstExecutable([path])) return path

  await mkdir(cache, { recursive: true })
  const waiting = (pid: string) => log(`process ${pid} is fetching helm; waiting for it`)
  await withLock(
    join(cache, 'lock'),
    async () => {
      if (await firstExecutable([path])) return
      await removePartial(cache)
      await inTemporaryDirectory(cache, async (scratch) => {
        await rename(await fetchHelm(version, scratch, environment, log), path)
      })
    },
    waiting,
  )
  return path
}

async function fetchHelm(
  version: string,
  scratch: string,
  environment: Environment,
  log: Log,
): Promise<string> {
  const go = await findOnPath('go', environment)
  if (await isReachable('https://get.helm.sh/')) {
    try {
      return await downloadHelm(version, scratch, log)
    } catch (error) {
      if (!go) throw error
      log(`download failed, building instead: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (!go && !(await isReachable('https://dl.google.com/')))
    throw new Error('helm is missing: install Go 1.21 or newer, or connect this machine to the internet')
  return buildHelm(go ?? (await downloadGo(scratch, log)), version, scratch, environment, log)
}

async function downloadHelm(version: string, scratch: string, log: Log): Promise<string> {
  const folder = `${process.platform}-${goArchitecture()}`
  const url = `https://get.helm.sh/helm-${version}-${folder}.tar.gz`
  await download(url, await fetchText(`${url}.sha256`), join(scratch, 'helm.tar.gz'), log)
  await run('tar', ['-xzf', join(scratch, 'helm.tar.gz'), '-C', scratch])
  const path = join(scratch, folder, 'helm')
  await chmod(path, 0o755)
  return path
}

async function buildHelm(
  go: string,
  version: string,
  scratch: string,
  environment: Environment,
  log: Log,
): Promise<string> {
  const path = join(scratch, 'helm')
  const flags = [
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    `-ldflags=-s -w -X ${modulePath}/internal/version.version=${version}`,
  ]
  let compiled = 0
  const detail = () => `${compiled} packages compiled`
  await withProgress(log, 'build helm', detail, () =>
    runGo(
      go,
      moduleDirectory,
      ['build', '-v', ...flags, '-o', path, `${modulePath}/cmd/helm`],
      environment,
      () => {
        compiled += 1
      },
    ),
  )
  return path
}

if (import.meta.main) console.log(await ensureHelm())
