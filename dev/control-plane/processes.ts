import { execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isAlive } from './lock.ts'

const run = promisify(execFile)

export type ProcessSpec = {
  readonly binary: string
  readonly args: readonly string[]
  /** Variables in addition to those of the starter. */
  readonly environment?: Readonly<Record<string, string>>
  readonly logFile: string
  readonly pidFile: string
  /** A detached process outlives the one that started it. */
  readonly detached: boolean
}

// Becomes the program by `exec`, so its pid is the program's. What it leaves behind waits on a pipe that the
// starter holds open: end of file without a line means that the starter has ended, and the program ends too.
const tether = `
  exec 3<&0 </dev/null
  pid=$$
  ( read -r released <&3 || kill -KILL $pid ) &
  exec "$@" 3<&-`

/** Starts a program with its output in a log file and its pid in a pid file. */
export async function startProcess(spec: ProcessSpec): Promise<number> {
  const output = openSync(spec.logFile, 'a')
  const command = spec.detached
    ? [spec.binary, ...spec.args]
    : ['sh', '-c', tether, 'sh', spec.binary, ...spec.args]
  const [program = spec.binary, ...args] = command
  // A separate process group: Ctrl-C in the terminal reaches the starter only.
  const child = spawn(program, args, {
    detached: true,
    env: { ...process.env, ...spec.environment },
    stdio: [spec.detached ? 'ignore' : 'pipe', output, output],
  })
  closeSync(output)
  child.unref()
  // Writing to a watchdog that was killed together with its program is not a failure.
  child.stdin?.on('error', () => {})
  child.on('exit', () => child.stdin?.end('released\n'))
  // The pipe must not keep the starter alive; the type hides that it is a socket.
  if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  const pid = await startedPid(child, spec)
  await writeFile(spec.pidFile, `${pid}\n`)
  return pid
}

function startedPid(child: ReturnType<typeof spawn>, spec: ProcessSpec): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`cannot start '${spec.binary}': ${error.message}`)))
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
}

/** Whether the process runs and its command line shows that it works in `directory`. */
export async function isOurs(pid: number, directory: string): Promise<boolean> {
  if (!(pid > 1) || !isAlive(pid)) return false
  return (await commandLine(pid)).includes(`${directory}/`)
}

// Empty for a process that is not there, or that has ended and was not collected yet.
async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return askPs('command', pid)
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return text.replaceAll('\0', ' ')
}

async function stateOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return askPs('state', pid)
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return /^State:\s+(\S)/m.exec(text)?.[1] ?? ''
}

async function askPs(field: string, pid: number): Promise<string> {
  const answer = await run('ps', ['-ww', '-o', `${field}=`, '-p', String(pid)]).catch(() => undefined)
  return answer?.stdout.trim() ?? ''
}

/** The pid in a pid file, or 0. */
export async function readPid(pidFile: string): Promise<number> {
  const text = await readFile(pidFile, 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || 0
}

/** Sends a signal, unless the pid is free or belongs to another program. */
export async function signalOurs(pid: number, directory: string, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isOurs(pid, directory))) return false
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Ends a process of ours: politely, and by force when it still runs after the grace. */
export async function endProcess(pid: number, directory: string, graceMilliseconds: number): Promise<void> {
  if (!(await isOurs(pid, directory))) return
  if (graceMilliseconds > 0) {
    // A paused process hears nothing else.
    await signalOurs(pid, directory, 'SIGCONT')
    await signalOurs(pid, directory, 'SIGTERM')
    if (await endsWithin(graceMilliseconds, pid)) return
  }
  await signalOurs(pid, directory, 'SIGKILL')
  await endsWithin(10_000, pid)
}

async function endsWithin(milliseconds: number, pid: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds
  while (!(await hasEnded(pid))) {
    if (Date.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/** Whether no process with this id runs; a zombie process does not run. */
export async function hasEnded(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return true
  const state = await stateOf(pid)
  return state === '' || state.startsWith('Z')
}

/** Resolves when a process that got SIGSTOP has stopped, with all its threads: the signal alone returns before that. */
export async function standsStill(pid: number, withinMilliseconds = 5_000): Promise<void> {
  const deadline = Date.now() + withinMilliseconds
  while (!(await stateOf(pid)).startsWith('T')) {
    if (Date.now() > deadline) throw new Error(`process ${pid} does not stop`)
    await sleep(5)
  }
  await sleep(50)
}

/** Different ports that were free on 127.0.0.1 a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)))
  const ports = servers.map(({ port }) => port)
  await Promise.all(servers.map(({ close }) => close()))
  return ports
}

/** Whether a process could listen on this port of 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = await listen(port).catch(() => undefined)
  await server?.close()
  return server !== undefined
}

function listen(wanted: number): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      resolve({
        port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
          }),
      })
    })
  })
}

/** The last part of a log file. */
export async function tail(logFile: string, bytes = 3_000): Promise<string> {
  const file = await open(logFile, 'r').catch(() => undefined)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - bytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
