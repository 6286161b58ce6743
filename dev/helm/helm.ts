import { execFile } from 'node:child_process'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  cacheFor,
  download,
  type Environment,
  fetchText,
  goArchitecture,
  type Log,
  printLine,
} from '../control-plane/fetching.ts'
import { buildGoProgram, cachedProgram, downloadOrBuild } from '../control-plane/program-cache.ts'

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
  return cachedProgram('helm', {
    cache: cacheFor('helm', [...inputs, `${process.platform}-${process.arch}`], environment),
    log,
    fetch: (scratch) =>
      downloadOrBuild({
        what: 'helm',
        scratch,
        environment,
        log,
        releases: 'https://get.helm.sh/',
        download: () => downloadHelm(version, scratch, log),
        build: (go) => buildHelm(go, version, scratch, environment, log),
      }),
  })
}

/** Runs Helm and returns its output; the error of a run that fails has what it printed. */
export async function runHelm(...args: readonly string[]): Promise<string> {
  // Without a discovery cache on the disk, which would miss kinds that are new.
  const env = { ...process.env, KUBECACHEDIR: '/dev/null/none' }
  const { stdout } = await run(await ensureHelm(), args, { maxBuffer: 32 * 2 ** 20, env })
  return stdout
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
  const output = join(scratch, 'helm')
  await buildGoProgram({
    go,
    moduleDirectory,
    packagePath: `${modulePath}/cmd/helm`,
    variables: { [`${modulePath}/internal/version.version`]: version },
    output,
    what: 'helm',
    environment,
    log,
  })
  return output
}

if (import.meta.main) console.log(await ensureHelm())
