import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { rounded } from './statistics.ts'

const run = promisify(execFile)
const isLinux = process.platform === 'linux'
/** USER_HZ, in which Linux counts CPU time on every architecture that we run on. */
const ticksPerSecond = 100

/** Processes by name. */
export type Pids = Readonly<Record<string, number>>

/** CPU seconds since some moment: of processes, and of the whole machine (undefined where the system does not say). */
export interface CpuTimes {
  readonly at: number
  readonly processes: Readonly<Record<string, number>>
  readonly machine: { readonly busy: number; readonly stolen: number } | undefined
}

/** What the processes of the benchmark used between two moments, and what was in their way. */
export interface CpuUse {
  readonly cpuSeconds: Readonly<Record<string, number>>
  /** Share of all CPUs that other processes used, or the host of a virtual machine took: much of it spoils a sample. */
  readonly noise?: number
}

/** CPU seconds up to now. */
export async function cpuTimes(pids: Pids): Promise<CpuTimes> {
  const [processes, machine] = await Promise.all([
    cpuSecondsOf({ ...pids, bench: process.pid }),
    machineSeconds(),
  ])
  return { at: performance.now(), processes, machine }
}

/** What was used since an earlier moment. */
export function cpuUse(before: CpuTimes, after: CpuTimes): CpuUse {
  const used = Object.entries(after.processes).map(([name, seconds]) => {
    return [name, rounded(seconds - (before.processes[name] ?? 0))] as const
  })
  const cpuSeconds = Object.fromEntries(used)
  if (!before.machine || !after.machine) return { cpuSeconds }
  const ours = used.reduce((sum, [, seconds]) => sum + seconds, 0)
  const foreign = Math.max(0, after.machine.busy - before.machine.busy - ours)
  const stolen = after.machine.stolen - before.machine.stolen
  const available = ((after.at - before.at) / 1000) * availableParallelism()
  return { cpuSeconds, noise: rounded((foreign + stolen) / available, 2) }
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

async function machineSeconds(): Promise<CpuTimes['machine']> {
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
  await Promise.all(
    Object.values(pids).map((pid) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})),
  )
}

/** Resident memory of each process in MiB: the peak since it was last forgotten, or what it is now. */
export async function memoryMiB(pids: Pids, what: 'peak' | 'now'): Promise<Record<string, number>> {
  const used = Object.entries(pids).map(
    async ([name, pid]) => [name, rounded(await memoryOf(pid, what), 1)] as const,
  )
  return Object.fromEntries(await Promise.all(used))
}

async function memoryOf(pid: number, what: 'peak' | 'now'): Promise<number> {
  // Other systems record no peaks: the current value replaces it.
  if (!isLinux) return Number(await askPs('rss', pid)) / 1024
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  const line = (what === 'peak' ? /^VmHWM:\s+(\d+)/m : /^VmRSS:\s+(\d+)/m).exec(text)
  return Number(line?.[1] ?? 0) / 1024
}

async function askPs(field: string, pid: number): Promise<string> {
  const { stdout } = await run('ps', ['-o', `${field}=`, '-p', String(pid)])
  return stdout.trim()
}
