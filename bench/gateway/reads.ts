import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Stage } from '../client-steps.ts'
import { application, organization } from '../objects.ts'
import { rounded } from '../statistics.ts'
import { cpuSecondsOf, memoryMiB } from '../usage.ts'
import { closedLoop, type Latencies, type Load, openLoop } from './load.ts'

/** How one server took the reads. */
export interface ReadFigures {
  /** At a fixed rate. */
  readonly steady: Latencies
  readonly cpuMicrosPerRequest: number
  /** Requests per second with 50 connections that never rest. */
  readonly mostPerSecond: number
}

/** Reads of the gateway beside those of a server that knows its answers. */
export interface Reads {
  readonly perSecond: number
  readonly answerBytes: Readonly<Record<string, number>>
  readonly gateway: ReadFigures
  readonly floor: ReadFigures
  /** Memory of the gateway before and after each flood of reads, in MiB. */
  readonly gatewayMemoryMiB: readonly number[]
}

const perSecond = 2000
const floods = 4

/** The documented reads: organizations, types, and the resources of an environment. */
export function readPaths(environmentId: string): string[] {
  return [
    '/orgs',
    `/orgs/${organization}/resources/types`,
    `/orgs/${organization}/apps/${application}/envs/${environmentId}/resources`,
  ]
}

/** Measures reads that the gateway answers from its cache. */
export async function measureReads(
  stage: Stage,
  gatewayPid: number,
  environmentId: string,
  seconds: number,
): Promise<Reads> {
  const headers = { authorization: `Bearer ${stage.adminToken}` }
  const load: Load = { url: stage.gatewayUrl, paths: readPaths(environmentId), headers, seconds }
  const answers: Record<string, string> = {}
  for (const path of load.paths) answers[path] = await (await fetch(`${load.url}${path}`, { headers })).text()
  const bare = await startBareServer(answers)
  const floor = await figuresOf({ ...load, url: bare.url }, bare.pid)
  bare.stop()
  const gateway = await figuresOf(load, gatewayPid)
  const gatewayMemoryMiB = [await memoryOf(gatewayPid)]
  for (let flood = 0; flood < floods; flood += 1) {
    await openLoop({ ...load, seconds: seconds / floods }, perSecond)
    gatewayMemoryMiB.push(await memoryOf(gatewayPid))
  }
  const sizes = Object.entries(answers).map(([path, text]) => [path, Buffer.byteLength(text)])
  return { perSecond, answerBytes: Object.fromEntries(sizes), gateway, floor, gatewayMemoryMiB }
}

async function figuresOf(load: Load, pid: number): Promise<ReadFigures> {
  await openLoop({ ...load, seconds: 3 }, perSecond)
  const { server: before = 0 } = await cpuSecondsOf({ server: pid })
  const steady = await openLoop(load, perSecond)
  const { server: after = 0 } = await cpuSecondsOf({ server: pid })
  return {
    steady,
    cpuMicrosPerRequest: rounded(((after - before) * 1e6) / steady.count, 0),
    mostPerSecond: await closedLoop({ ...load, seconds: 4 }),
  }
}

/** Memory of a process, in MiB. */
export async function memoryOf(pid: number): Promise<number> {
  return (await memoryMiB({ server: pid }, 'now'))['server'] ?? 0
}

async function startBareServer(answers: Readonly<Record<string, string>>) {
  const child = fork(join(import.meta.dirname, 'bare-server.ts'))
  child.send(answers)
  const [port] = (await once(child, 'message')) as [number] // it sends nothing else
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.kill() }
}
