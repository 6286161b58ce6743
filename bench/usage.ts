import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const isLinux = process.platform === 'linux'
/** USER_HZ, in which Linux counts CPU time on every architecture that we run on. */
const ticksPerSecond = 100

/** Processes by name. */
export type Pids = Readonly<Record<string, number>>

/** CPU time of the whole machine: in use by anything, and taken away by its host. */
export interface MachineSeconds {
  readonly busy: number
  readonly stolen: number
}

/** CPU seconds that each process has used since it started, in user and kernel mode. */
export async function cpuSecondsOf(pids: Pids): Promise<Record<string, number>> {
  const used = Object.entries(pids).map(async ([name, pid]) => [name, await cpuSeconds(pid)] as const)
  return Object.fromEntries(await Promise.all(used))
}

async function cpuSeconds(pid: number): Promise<number> {
  if (!isLinux) return secondsOfPs(await askPs('time', pid))
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in parentheses, may hold blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Seconds of a time as `ps` prints it: `[[days-]hours:]minutes:seconds`. */
export function secondsOfPs(text: string): number {
  const [, days = '0', clock = '0'] = /^(?:(\d+)-)?([\d:.]+)/.exec(text.trim()) ?? []
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400
}

/** CPU seconds of the machine since it started; undefined where they cannot be known. */
export async function machineSeconds(): Promise<MachineSeconds | undefined> {
  if (!isLinux) return undefined
  const text = await readFile('/proc/stat', 'utf8')
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = text
    .split('\n', 1)
    .join('')
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { busy: (user + nice + system + irq + softIrq) / ticksPerSecond, stolen: stolen / ticksPerSecond }
}

/** Makes the kernel forget the peaks of memory so far, where it lets us. */
export async function forgetPeaks(pids: Pids): Promise<void> {
  await Promise.all(Object.values(pids).map((pid) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})))
}

/** Resident memory of each process in MiB: the peak since it was last forgotten, or what it is now. */
export async function memoryMiB(pids: Pids, what: 'peak' | 'now'): Promise<Record<string, number>> {
  const used = Object.entries(pids).map(async ([name, pid]) => [name, await memoryOf(pid, what)] as const)
  return Object.fromEntries(await Promise.all(used))
}

async function memoryOf(pid: number, what: 'peak' | 'now'): Promise<number> {
  // Elsewhere nobody remembers peaks: what it is now stands in for it.
  if (!isLinux) return Number(await askPs('rss', pid)) / 1024
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  const line = (what === 'peak' ? /^VmHWM:\s+(\d+)/m : /^VmRSS:\s+(\d+)/m).exec(text)
  return Number(line?.[1] ?? 0) / 1024
}

async function askPs(field: string, pid: number): Promise<string> {
  const { stdout } = await run('ps', ['-o', `${field}=`, '-p', String(pid)])
  return stdout.trim()
}
