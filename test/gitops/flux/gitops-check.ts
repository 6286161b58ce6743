import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFor, printLine } from '../../../dev/control-plane/fetching.ts'
import { buildGoProgram, cachedProgram, goFor } from '../../../dev/control-plane/program-cache.ts'

const directory = import.meta.dirname
const program = 'gitops-check'

/** Builds the program in this folder once, in the cache of the user, and returns its path. */
async function ensureGitOpsCheck(): Promise<string> {
  const sources = (await readdir(directory)).filter((name) => /\.(go|mod|sum)$/.test(name)).sort()
  const inputs = await Promise.all(sources.map((name) => readFile(join(directory, name), 'utf8')))
  const environment = process.env
  const log = printLine
  return cachedProgram(program, {
    cache: cacheFor(program, [...inputs, `${process.platform}-${process.arch}`], environment),
    log,
    async fetch(scratch) {
      const output = join(scratch, program)
      const go = await goFor(program, scratch, environment, log)
      await buildGoProgram({
        go,
        moduleDirectory: directory,
        packagePath: '.',
        output,
        what: program,
        environment,
        log,
      })
      return output
    },
  })
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
