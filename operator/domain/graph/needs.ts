import type { ResourceContext } from '../../api/active-resource.ts'
import type { Reason } from '../../api/reasons/reasons.ts'
import type { FreeForm } from '../../api/schema.ts'
import { compareText, isObject } from '../base/json.ts'
import { didYouMean } from '../base/nearest.ts'
import { fullBudget, type WorkBudget } from '../base/work-budget.ts'
import { givenParams } from '../definition/compile-references.ts'
import type { SetContent } from '../delta/delta.ts'
import { flawOf } from '../delta/dependency-form.ts'
import { normalizeDependency } from '../delta/patch.ts'
import { problemOfFields } from '../module/module-fields.ts'
import {
  type Descriptor,
  defaultClass,
  formatDescriptor,
  problemOfDescriptor,
} from '../resource/descriptor.ts'
import { privateResourceId, sharedIdOf, sharedResourceId, workloadResourceId } from '../resource/identity.ts'
import { workloadType } from '../resource/types.ts'
import type { Draft, DraftGraph } from './draft-graph.ts'

/** Reports a problem: its object, reason and message. */
export type Report = (object: string, reason: Reason, message: string) => void

/** Params that a set gives to a dependency, and the workload whose names they use. */
export interface GivenParams {
  readonly draft: Draft
  readonly params: FreeForm
  readonly workload: string | undefined
  readonly by: string
}

/** The needs of the workloads of a set, as nodes. */
export interface Needs {
  readonly workloads: ReadonlyMap<string, Draft>
  readonly externals: ReadonlyMap<string, ReadonlyMap<string, Draft>>
  readonly shared: ReadonlyMap<string, Draft>
  readonly params: readonly GivenParams[]
  /** Remaining work for the hints and checks of this graph. */
  readonly budget: WorkBudget
}

/** The input of `readNeeds`. */
export interface NeedsInput {
  readonly context: ResourceContext
  readonly set: SetContent
  readonly graph: DraftGraph
  /** The type that a type name in the needs of a workload means. */
  expandType(type: string): string
  readonly report: Report
}

/** The needs of a set that cannot be read. */
export function emptyNeeds(): Needs {
  return { workloads: new Map(), externals: new Map(), shared: new Map(), params: [], budget: fullBudget() }
}

/** Adds nodes for the workloads, their private dependencies and the shared dependencies. */
export function readNeeds(input: NeedsInput): Needs {
  const { set, graph, report } = input
  const workloads = new Map<string, Draft>()
  const externals = new Map<string, Map<string, Draft>>()
  const shared = new Map<string, Draft>()
  const params: GivenParams[] = []
  const declare = (entry: unknown, resourceId: string, by: string, workload?: string): Draft | undefined => {
    const descriptor = descriptorOf(entry, resourceId, by, input)
    if (!descriptor) return undefined
    const draft = graph.node(descriptor)
    const given = isObject(entry) ? givenParams(entry['params']) : undefined
    if (given) params.push({ draft, params: given, workload, by })
    return draft
  }
  for (const [id, module] of sorted(set.modules)) {
    const descriptor = { type: workloadType, class: defaultClass, resourceId: workloadResourceId(id) }
    if (id.includes('.') || problemOfDescriptor(descriptor)) {
      report(`workload '${id}'`, 'InvalidName', `'${id}' cannot be the id of a workload`)
      continue
    }
    const misplaced = problemOfFields(module)
    if (misplaced !== undefined) report(formatDescriptor(descriptor), 'InvalidModule', misplaced)
    const workload = graph.node(descriptor)
    const own = new Map<string, Draft>()
    workloads.set(id, workload)
    externals.set(id, own)
    for (const [name, entry] of sorted(isObject(module['externals']) ? module['externals'] : {})) {
      const draft = declare(entry, privateResourceId(id, name), `externals '${name}' of workload '${id}'`, id)
      if (!draft) continue
      own.set(name, draft)
      graph.connect(workload, draft)
    }
  }
  for (const [name, entry] of sorted(set.shared)) {
    const draft = declare(entry, sharedResourceId(name), `shared '${name}'`)
    if (draft) shared.set(name, draft)
  }
  for (const draft of Array.from(shared.values())) {
    const name = sharedIdOf(draft.descriptor.resourceId)
    if (name !== undefined && !shared.has(name)) shared.set(name, draft)
  }
  return { workloads, externals, shared, params, budget: fullBudget() }
}

function sorted(map: Readonly<FreeForm>): [string, FreeForm][] {
  return Object.entries(map)
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, value]) => [id, isObject(value) ? value : {}])
}

/** The descriptor of a dependency. An `id` takes precedence over the name. */
function descriptorOf(
  entry: unknown,
  resourceId: string,
  by: string,
  { expandType, report }: NeedsInput,
): Descriptor | undefined {
  const dependency = normalizeDependency(entry)
  const { type, class: resourceClass, id } = isObject(dependency) ? dependency : {}
  const flaw = flawOf(dependency)
  if (flaw !== undefined || typeof type !== 'string') {
    report(resourceId, 'InvalidDependency', `${by} has ${flaw}`)
    return undefined
  }
  const descriptor = {
    type: expandType(type),
    class: typeof resourceClass === 'string' && resourceClass !== '' ? resourceClass : defaultClass,
    resourceId: typeof id === 'string' && id !== '' ? withSharedPrefix(id) : resourceId,
  }
  const problem = problemOfDescriptor(descriptor)
  if (!problem) return descriptor
  report(formatDescriptor(descriptor), 'InvalidName', `${by}: ${problem}`)
  return undefined
}

function withSharedPrefix(id: string): string {
  return sharedIdOf(id) === undefined ? sharedResourceId(id) : id
}

/** The dependency that a path such as `externals.x` of a workload names, or a message when it does not exist. */
export function findDependency(
  { externals, shared, budget }: Needs,
  [root, second = '', , fourth = '']: readonly string[],
  workload: string | undefined,
): Draft | string {
  if (root === 'shared')
    return (
      shared.get(second) ??
      `shared dependency '${second}' does not exist${didYouMean(second, shared.keys(), budget)}`
    )
  const [owner, name] = root === 'externals' ? [workload, second] : [second, fourth]
  if (owner === undefined) return `'externals' is only for dependencies of a workload`
  const own = externals.get(owner)
  if (!own) return `workload '${owner}' does not exist${didYouMean(owner, externals.keys(), budget)}`
  return (
    own.get(name) ?? `workload '${owner}' has no dependency '${name}'${didYouMean(name, own.keys(), budget)}`
  )
}
