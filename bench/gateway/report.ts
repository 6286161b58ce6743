import { rounded } from '../statistics.ts'
import type { GatewayFigures } from './gateway.ts'

type GoalLine = (name: string, value: number, atMost: number) => string[]

/** The figures of the gateway that have a goal, one line each. */
export function gatewayLines(figures: GatewayFigures | undefined, goalLine: GoalLine): string[][] {
  if (!figures) return []
  const { reads, writes, slow, memoryMiB } = figures
  const { steady, mostPerSecond, cpuMicrosPerRequest } = reads.gateway
  const [first = 0] = reads.gatewayMemoryMiB
  const grown = Math.max(...reads.gatewayMemoryMiB) - first
  return [
    goalLine(
      `gateway, ${reads.perSecond} reads/s, p99 ms (floor ${reads.floor.steady.p99Ms})`,
      steady.p99Ms,
      10,
    ),
    goalLine(
      `gateway, CPU for a read, us (floor ${reads.floor.cpuMicrosPerRequest}; ${mostPerSecond}/s at most)`,
      cpuMicrosPerRequest,
      200,
    ),
    goalLine(
      `gateway, memory grown in further floods of reads, MiB (${memoryMiB.start} before all, ${memoryMiB.slow} after all)`,
      rounded(grown, 1),
      10,
    ),
    ...writes.map(({ name, atOnce, addedMs, direct }) =>
      goalLine(`gateway, ${name}, ${atOnce} at once: p99 ms added to ${direct.p99Ms}`, addedMs.p99, 3),
    ),
    goalLine(
      `gateway beside ${slow.heldSockets} of ${slow.sockets} slow sockets, p99 ms (alone ${slow.alone.p99Ms})`,
      slow.beside.p99Ms,
      50,
    ),
  ]
}
