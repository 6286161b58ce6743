import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cacheFor,
  downloadGo,
  findOnPath,
  firstExecutable,
  inTemporaryDirectory,
  printLine,
  removePartial,
  runGo,
  withProgress,
} from '../../../dev/control-plane/fetching.ts'
import { withLock } from '../../../dev/control-plane/lock.ts'

const directory = import.meta.dirname
const program = 'gitops-check'

/** Builds the program in this folder once, in the cache of the user, and returns its path. */
async function ensureGitOpsCheck(): Promise<string> {
  const sources = (await readdir(directory)).filter((name) => /\.(go|mod|sum)$/.test(name)).sort()
  const inputs = await Promise.all(sources.map((name) => readFile(join(directory, name), 'utf8')))
  const cache = cacheFor(program, [...inputs, `${process.platform}-${process.arch}`], process.env)
  const path = join(cache, program)
  if (await firstExecutable([path])) return path

  await mkdir(cache, { recursive: true })
  await withLock(
    join(cache, 'lock'),
    async () => {
      if (await firstExecutable([path])) return
      await removePartial(cache)
      await inTemporaryDirectory(cache, async (scratch) => {
        const built = join(scratch, program)
        await build((await findOnPath('go', process.env)) ?? (await downloadGo(scratch, printLine)), built)
        await rename(built, path)
      })
    },
    (pid) => printLine(`process ${pid} is building ${program}; waiting for it`),
  )
  return path
}

async function build(go: string, path: string): Promise<void> {
  let compiled = 0
  const flags = ['-v', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w']
  await withProgress(
    printLine,
    `build ${program}`,
    () => `${compiled} packages compiled`,
    () =>
      runGo(go, directory, ['build', ...flags, '-o', path, '.'], process.env, () => {
        compiled += 1
      }),
  )
}

/** Runs one command of the program: the request is its stdin, the reply its stdout. */
export async function gitOpsCheck<Reply>(command: string, request: object): Promise<Reply> {
  const path = await ensureGitOpsCheck()
  return new Promise((resolve, reject) => {
    const child = execFile(path, [command], { maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`'${program} ${command}' failed: ${stderr}`))
      else resolve(JSON.parse(stdout))
    })
    child.stdin?.end(JSON.stringify(request))
  })
}
