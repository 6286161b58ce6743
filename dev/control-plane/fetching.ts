import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** The Go that builds the programs where the machine has none. */
const goVersion = '1.26.8'

export type Log = (line: string) => void
export type Environment = Readonly<Record<string, string | undefined>>

/** Writes a line of progress. */
export function printLine(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** The folder, in the cache of the user, for programs that are made from these inputs. */
export function cacheFor(name: string, inputs: readonly string[], environment: Environment): string {
  const key = createHash('sha256').update(inputs.join('\0')).digest('hex').slice(0, 16)
  const caches = environment.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(caches, 'quartermaster', name, key)
}

/** Deletes partial downloads that a crash left in the cache; the caller holds the lock. */
export async function removePartial(cache: string): Promise<void> {
  const partial = (await readdir(cache)).filter((name) => name.startsWith('partial-'))
  await Promise.all(partial.map((name) => rm(join(cache, name), { recursive: true, force: true })))
}

/** The program of this name on the `PATH`. */
export async function findOnPath(name: string, environment: Environment): Promise<string | undefined> {
  const directories = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  return firstExecutable(directories.map((directory) => join(directory, name)))
}

/** The first of the paths that can be executed. */
export async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if (await isExecutable(path)) return path
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Whether a server answers within two seconds. */
export async function isReachable(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(2_000) })
    return true
  } catch {
    return false
  }
}

/** Runs `action` with a folder in the cache, so that its last step can be a rename: a program in the cache is complete. */
export async function inTemporaryDirectory(
  cache: string,
  action: (scratch: string) => Promise<void>,
): Promise<void> {
  const scratch = await mkdtemp(join(cache, 'partial-'))
  try {
    await action(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Runs Go in the folder of a module, without cgo; throws with the last lines of its output. */
export function runGo(
  go: string,
  moduleDirectory: string,
  args: readonly string[],
  environment: Environment,
  onLine: (line: string) => void,
): Promise<void> {
  const settings = { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOOS: undefined, GOARCH: undefined }
  return new Promise((resolve, reject) => {
    const child = spawn(go, args, {
      cwd: moduleDirectory,
      env: { ...environment, ...settings },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    let lastLines: string[] = []
    let rest = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      lines.forEach(onLine)
      lastLines = [...lastLines, ...lines].slice(-15)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) return resolve()
      reject(new Error(`'go ${args[0]} ${args.at(-1)}' failed:\n${[...lastLines, rest].join('\n')}`))
    })
  })
}

/** Downloads Go into `scratch` and returns the path of the program. */
export async function downloadGo(scratch: string, log: Log): Promise<string> {
  const url = `https://dl.google.com/go/go${goVersion}.${process.platform}-${goArchitecture()}.tar.gz`
  await download(url, await fetchText(`${url}.sha256`), join(scratch, 'go.tar.gz'), log)
  await run('tar', ['-xzf', join(scratch, 'go.tar.gz'), '-C', scratch])
  return join(scratch, 'go', 'bin', 'go')
}

/** The name of this machine's architecture in Go. */
export function goArchitecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch
}

/** The text at a URL; throws when the server refuses. */
export async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) })
  if (!response.ok) throw new Error(`'${url}' was answered with ${response.status}`)
  return response.text()
}

/** Downloads a file; throws when its SHA-256 differs from the published one. */
export async function download(url: string, publishedSum: string, path: string, log: Log): Promise<void> {
  const expected = publishedSum.trim().split(/\s+/)[0] ?? ''
  if (!/^[0-9a-f]{64}$/.test(expected)) throw new Error(`no SHA-256 is published for '${url}'`)
  let received = 0
  const detail = () => `${Math.round(received / 1e6)} MB`
  await withProgress(log, `download ${url}`, detail, async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(900_000) })
    if (!response.ok || !response.body) throw new Error(`'${url}' was answered with ${response.status}`)
    const hash = createHash('sha256')
    await pipeline(
      response.body,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          received += chunk.length
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(path),
    )
    if (hash.digest('hex') !== expected) throw new Error(`'${url}' does not have the published SHA-256`)
  })
}

/** Runs `action`, and logs its start, its end and, every 15 s, `detail`. */
export async function withProgress(
  log: Log,
  what: string,
  detail: () => string,
  action: () => Promise<void>,
): Promise<void> {
  const start = performance.now()
  const elapsed = () => `${Math.round((performance.now() - start) / 1_000)} s`
  log(`${what} …`)
  const ticking = setInterval(() => log(`${what}: ${detail()}, ${elapsed()} so far`), 15_000)
  try {
    await action()
    log(`${what}: done in ${elapsed()}, ${detail()}`)
  } finally {
    clearInterval(ticking)
  }
}
