import type { PortalFigures } from './portal.ts'

type GoalLine = (name: string, value: number, atMost: number) => string[]

/** The figures of the portal, one line each. */
export function portalLines(figures: PortalFigures | undefined, goalLine: GoalLine): string[][] {
  if (!figures) return []
  const { scriptKiB, first, interactionsMs, nodes, rows } = figures
  const slow = 'portal, first page, empty cache, a quarter of the CPU'
  return [
    goalLine('portal, compressed scripts of the first page, KiB', scriptKiB, 80),
    goalLine(`${slow}: ms until interactive`, first.interactiveMs, 1000),
    goalLine(`${slow}: longest task, ms`, first.longestTaskMs, 200),
    goalLine(`${slow}: ms beyond 50 of all long tasks`, first.blockingMs, 300),
    goalLine('portal, layout shift of the first page', first.layoutShift, 0.02),
    goalLine(`portal, graph of ${nodes} resources: slowest input, ms`, interactionsMs.graph, 100),
    goalLine(`portal, table of ${rows} resources: slowest input, ms`, interactionsMs.table, 100),
  ]
}
