import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFor, printLine } from './control-plane/fetching.ts'
import { buildGoProgram, cachedProgram, goFor } from './control-plane/program-cache.ts'

const directory = join(import.meta.dirname, '..', 'test', 'gitops', 'flux')
const program = 'gitops-check'

/** Builds the program of the tests of GitOps tools once, in the cache of the user, and returns its path. */
export async function ensureGitOpsCheck(): Promise<string> {
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
