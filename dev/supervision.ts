import { readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { eventually } from './control-plane/kubernetes.ts'
import { endProcess, type ProcessSpec, readPid, startProcess } from './control-plane/processes.ts'

const supervisor = join(import.meta.dirname, 'supervise.sh')
const startsWithinMs = 10_000
const graceMs = 30_000
const checkEveryMs = 500

function supervisorFileOf(pidFile: string): string {
  return pidFile.replace(/\.pid$/, '-supervisor.pid')
}

/**
 * Starts a program. A detached program replaces the one of an earlier run, and has a supervisor that restarts it when it exits.
 * The pid file names the program, and is absent while it does not run.
 */
export async function startService(spec: ProcessSpec): Promise<number> {
  const { binary, args, pidFile, detached } = spec
  if (!detached) return startProcess(spec)
  await stopService(pidFile, dirname(pidFile), graceMs)
  await startProcess({
    ...spec,
    binary: 'sh',
    args: [supervisor, basename(pidFile, '.pid'), pidFile, binary, ...args],
    pidFile: supervisorFileOf(pidFile),
  })
  return eventually(basename(pidFile), startsWithinMs, async () => (await readPid(pidFile)) || undefined)
}

/** Stops the program and supervisor of an earlier run; `directory` is the working directory of the program. */
export async function stopService(pidFile: string, directory: string, graceMs: number): Promise<void> {
  // The supervisor first, so that it does not restart the program.
  for (const file of [supervisorFileOf(pidFile), pidFile]) {
    const pid = await readPid(file)
    if (pid > 0) await endProcess(pid, directory, graceMs)
    await rm(file, { force: true })
  }
}

/** Logs each restart of a process in `directory` from now on; does not keep the caller alive. */
export async function watchRestarts(
  directory: string,
  names: readonly string[],
  log: (line: string) => void,
) {
  const read = new Map<string, number>()
  const fileOf = (name: string) => join(directory, `${name}.log`)
  for (const name of names) read.set(name, await sizeOf(fileOf(name)))

  async function check() {
    for (const name of names) {
      const from = read.get(name) ?? 0
      const news = (await readFile(fileOf(name)).catch(() => Buffer.alloc(0))).subarray(from)
      const end = news.lastIndexOf('\n') + 1
      read.set(name, from + end)
      for (const line of news.toString('utf8', 0, end).split('\n')) {
        const [, code] = /: restarting it".*"exitCode":(\d+)/.exec(line) ?? []
        if (code) log(`'${name}' exited with code ${code} and is being restarted; see ${fileOf(name)}`)
      }
    }
  }
  let last = Promise.resolve()
  setInterval(() => {
    last = last.then(check)
  }, checkEveryMs).unref()
  return {
    /** Logs the restarts that are not logged yet. */
    async check() {
      last = last.then(check)
      await last
    },
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
