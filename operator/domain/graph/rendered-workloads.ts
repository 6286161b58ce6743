import type { FreeForm } from '../../api/schema.ts'
import { compareText } from '../base/json.ts'
import { sortTopologically } from '../base/topological-order.ts'
import { problemOfSpec } from '../module/module-fields.ts'
import {
  hasContainers,
  hasObjects,
  hasService,
  type ReadModule,
  readModule,
} from '../module/module-problems.ts'
import { objectNames } from '../module/names.ts'
import type { Draft, DraftGraph } from './draft-graph.ts'
import type { Report } from './needs.ts'

interface ServiceNode {
  readonly text: string
  readonly edges: Set<ServiceNode>
}

/** The workloads of a graph whose modules the driver of workloads renders. */
export class RenderedWorkloads {
  readonly #vendors: readonly string[]
  readonly #report: Report
  readonly #modules = new Map<Draft, ReadModule>()
  readonly #withoutService = new Set<Draft>()
  /** The workloads whose Services a workload names. */
  readonly #serviceUses = new Map<Draft, Set<Draft>>()
  /** The places where a workload reads the name of the Service of another one. */
  readonly #serviceNames: { readonly user: Draft; readonly target: Draft; readonly text: string }[] = []

  constructor(vendors: readonly string[], report: Report) {
    this.#vendors = vendors
    this.#report = report
  }

  /** Adds a workload, and reports the problems of its module. Without containers, only misspelt fields are problems. */
  add(draft: Draft, params: FreeForm): void {
    if (!hasContainers(params)) {
      const problem = problemOfSpec(params)
      if (problem !== undefined) this.#report(draft.text, 'InvalidModule', problem)
      return
    }
    const read = readModule(params, this.#vendors)
    for (const problem of read.problems) this.#report(draft.text, 'InvalidModule', problem)
    if (!hasObjects(params)) return
    this.#modules.set(draft, read)
    if (!hasService(params)) this.#withoutService.add(draft)
  }

  recordServiceUse(user: Draft, target: Draft, text: string): void {
    if (user !== target) this.#serviceNames.push({ user, target, text })
    const uses = this.#serviceUses.get(user) ?? new Set()
    this.#serviceUses.set(user, uses.add(target))
  }

  /** Reports problems between workloads. */
  check(): void {
    this.#reportSharedNames()
    this.#reportServiceCycles()
    this.#reportMissingServices()
  }

  /** Connects the workloads in the order of `deploy.when`: the others need those `before`, and those `after` need the others. */
  connectInOrder(graph: DraftGraph): void {
    const ranks = { before: 0, deploy: 1, after: 2 }
    const ranked = [...this.#modules].map(([draft, { deploy }]) => ({
      draft,
      rank: ranks[deploy.when ?? 'deploy'],
    }))
    for (const { draft, rank } of ranked.filter((each) => each.rank > 0))
      for (const other of ranked)
        if ((other.rank === 0 || rank === 2) && other.rank < rank) graph.connect(draft, other.draft)
  }

  /** Only CronJobs can share a name: that of other objects is the id of the workload, with or without a fixed end. */
  #reportSharedNames(): void {
    const owners = new Map<string, string>()
    const sorted = [...this.#modules].sort(([a], [b]) => compareText(a.text, b.text))
    for (const [draft, { id, kind, module }] of sorted) {
      if (kind !== 'CronJob') continue
      for (const schedule of Object.keys(module.schedules ?? {})) {
        const name = objectNames.cronJob(id, schedule)
        const other = owners.get(name)
        if (other !== undefined) {
          const message = `'/spec/schedules/${schedule}': the CronJob '${name}' belongs to '${other}'`
          this.#report(draft.text, 'ConflictingNames', message)
        }
        owners.set(name, draft.text)
      }
    }
  }

  /** Only a module that the driver renders is known to have no Service: others may consist of any objects. */
  #reportMissingServices(): void {
    for (const { user, target, text } of this.#serviceNames) {
      const read = this.#modules.get(target)
      if (!read || !this.#withoutService.has(target)) continue
      const message = `${text}: workload '${read.id}' has no Service, because its module has no '/spec/service/ports'`
      this.#report(user.text, 'ServiceNotFound', message)
    }
  }

  #reportServiceCycles(): void {
    const nodes = new Map([...this.#modules.keys()].map((draft) => [draft, nodeOf(draft)]))
    for (const [draft, node] of nodes)
      for (const used of this.#serviceUses.get(draft) ?? []) {
        const target = nodes.get(used)
        // A workload may know its Service.
        if (target && target !== node) node.edges.add(target)
      }
    for (const cycle of sortTopologically([...nodes.values()]).cycles) {
      const message = `workloads name the Services of each other: ${cycle.join(' -> ')}`
      this.#report(cycle[0] ?? '', 'Cycle', message)
    }
  }
}

function nodeOf({ text }: Draft): ServiceNode {
  return { text, edges: new Set() }
}
