import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import {
  downloadGo,
  type Environment,
  findOnPath,
  firstExecutable,
  inTemporaryDirectory,
  isReachable,
  type Log,
  removePartial,
  runGo,
  withProgress,
} from './fetching.ts'
import { withLock } from './lock.ts'

/** Programs in one folder of the user's cache. */
interface ProgramCache<Name extends string> {
  /** The folder, as `cacheFor` names it. */
  readonly cache: string
  readonly names: readonly Name[]
  /** Paths outside the cache that take precedence. */
  readonly preferred?: (name: Name) => Promise<readonly (string | undefined)[]>
  /** Downloads or builds programs in `scratch`; `keep` moves a complete one into the cache. */
  readonly fetch: (missing: readonly Name[], scratch: string, keep: Keep<Name>) => Promise<void>
  readonly log: Log
}

export type Keep<Name extends string> = (name: Name, path: string) => Promise<void>

/** Finds programs on this machine; fetches the missing ones into the cache, once for all processes of the machine. */
export async function cachedPrograms<Name extends string>(
  options: ProgramCache<Name>,
): Promise<Record<Name, string>> {
  const { cache, names, fetch, log } = options
  const found = await find(options)
  if (isComplete(names, found)) return found

  await mkdir(cache, { recursive: true })
  return withLock(
    join(cache, 'lock'),
    async () => {
      const present = await find(options)
      if (isComplete(names, present)) return present
      await removePartial(cache)
      const missing = names.filter((name) => !present[name])
      await inTemporaryDirectory(cache, (scratch) =>
        fetch(missing, scratch, (name, path) => rename(path, join(cache, name))),
      )
      const complete = await find(options)
      if (isComplete(names, complete)) return complete
      throw new Error(`the cache directory '${cache}' lost the programs that were just written`)
    },
    (pid) => log(`process ${pid} is fetching ${names.join(', ')}; waiting for it`),
  )
}

/** Finds or fetches one program. */
export async function cachedProgram(
  name: string,
  { cache, log, fetch }: FetchOne & Pick<ProgramCache<string>, 'cache' | 'log'>,
): Promise<string> {
  const paths = await cachedPrograms({
    cache,
    names: [name],
    log,
    fetch: async (_, scratch, keep) => keep(name, await fetch(scratch)),
  })
  return paths[name] ?? ''
}

interface FetchOne {
  /** Downloads or builds the program in `scratch`, and returns its path. */
  readonly fetch: (scratch: string) => Promise<string>
}

async function find<Name extends string>({
  cache,
  names,
  preferred = async () => [],
}: ProgramCache<Name>): Promise<Partial<Record<Name, string>>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const candidates = [...(await preferred(name)), join(cache, name)]
    found[name] = await firstExecutable(candidates.filter((path) => path !== undefined))
  }
  return found
}

function isComplete<Name extends string>(
  names: readonly Name[],
  found: Partial<Record<Name, string>>,
): found is Record<Name, string> {
  return names.every((name) => found[name])
}

/** The two ways to get a program. */
interface Ways<Result> {
  /** What the error names when neither way is possible. */
  readonly what: string
  readonly scratch: string
  readonly environment: Environment
  readonly log: Log
  /** The server of the releases; absent where none are published for this platform. */
  readonly releases?: string
  readonly download: () => Promise<Result>
  /** Builds with the Go at this path. */
  readonly build: (go: string) => Promise<Result>
}

/** Downloads a release when its server is reachable; otherwise builds with Go, which is downloaded where it is missing. */
export async function downloadOrBuild<Result>({
  what,
  scratch,
  environment,
  log,
  releases,
  download,
  build,
}: Ways<Result>): Promise<Result> {
  const go = await findOnPath('go', environment)
  if (releases && (await isReachable(releases))) {
    try {
      return await download()
    } catch (error) {
      if (!go) throw error
      const message = error instanceof Error ? error.message : String(error)
      log(`download failed, building from source instead: ${message}`)
    }
  }
  return build(await goFor(what, scratch, environment, log))
}

/** The Go of this machine, or a downloaded one. */
export async function goFor(
  what: string,
  scratch: string,
  environment: Environment,
  log: Log,
): Promise<string> {
  const go = await findOnPath('go', environment)
  if (go) return go
  if (await isReachable('https://dl.google.com/')) return downloadGo(scratch, log)
  throw new Error(`${what} is missing: install Go 1.21 or newer, or connect this machine to the internet`)
}

/** A program of a Go module. */
interface GoProgram {
  readonly go: string
  readonly moduleDirectory: string
  readonly packagePath: string
  /** Values of string variables, by their qualified names. */
  readonly variables?: Readonly<Record<string, string>>
  readonly output: string
  /** What the progress names. */
  readonly what: string
  readonly environment: Environment
  readonly log: Log
}

/** Flags of every build; those of the cache are made from the same ones. */
export const goFlags = ['-mod=readonly', '-trimpath', '-buildvcs=false'] as const

/** The linker flag that sets variables and leaves debug information out. */
export function linkerFlag(variables: Readonly<Record<string, string>> = {}): string {
  const settings = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)
  return ['-ldflags=-s -w', ...settings].join(' ')
}

/** Builds a program as its go.sum verifies it, and logs the progress. */
export async function buildGoProgram(program: GoProgram): Promise<void> {
  const { go, moduleDirectory, packagePath, variables, output, what, environment, log } = program
  let compiled = 0
  let downloaded = 0
  const detail = () =>
    `${compiled} packages compiled${downloaded ? `, ${downloaded} modules downloaded` : ''}`
  const args = ['build', '-v', ...goFlags, linkerFlag(variables), '-o', output, packagePath]
  await withProgress(log, `build ${what}`, detail, () =>
    runGo(go, moduleDirectory, args, environment, (line) => {
      if (line.startsWith('go: downloading')) downloaded += 1
      else compiled += 1
    }),
  )
}
