import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What this machine has of a node: interfaces, routes, cgroups, mounts, processes, files. */
export async function tracesOf(name: string, directory: string): Promise<string[]> {
  const sources = await Promise.all([
    output('ip', '-oneline', 'link'),
    output('ip', 'route', 'show', 'table', 'all'),
    output('find', '/sys/fs/cgroup', '-maxdepth', '2', '-name', name),
    readFile('/proc/self/mountinfo', 'utf8'),
    output('ps', '-A', '-ww', '-o', 'command='),
    output('find', directory, '-maxdepth', '1'),
  ])
  const lines = sources.flatMap((text) => text.split('\n'))
  return lines.filter((line) => line.includes(name) || line.includes(directory))
}

/** What a program prints; also when it fails, as \`find\` does without its folder. */
async function output(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, args).catch((error: { stdout: string }) => error)
  return stdout
}
