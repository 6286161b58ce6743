import type { DeploymentProblem } from '../../api/environment-deployment.ts'
import type { FreeForm } from '../../api/schema.ts'
import { compareText, isObject } from '../base/json.ts'
import type { SetContent } from '../delta/delta.ts'
import {
  type Descriptor,
  defaultClass,
  formatDescriptor,
  problemOfDescriptor,
} from '../resource/descriptor.ts'
import { workloadOf, workloadResourceId } from '../resource/identity.ts'
import { workloadType } from '../resource/types.ts'
import { sharedKey } from '../score/references.ts'
import { DraftGraph } from './draft-graph.ts'
import type { ExtraNode, GraphInput } from './graph.ts'
import { readNeeds } from './needs.ts'

/** A resource that a graph is requested for. */
export interface RequestedResource {
  readonly descriptor: Descriptor
  /** The params; of a workload, the module without dependencies. */
  readonly params?: FreeForm
}

type Entries = Map<string, FreeForm>

/** The set and extra nodes of a graph for requested resources, and the problems of the request. */
export interface GraphRequest extends Required<Pick<GraphInput, 'set' | 'extra'>> {
  /** Resource IDs of workloads that are in the set for their private dependencies alone. */
  readonly notRequested: ReadonlySet<string>
  readonly problems: readonly DeploymentProblem[]
}

/** The set and extra nodes for these resources; `expandType` applies overrides to the needs of workloads. */
export function graphRequest(
  resources: readonly RequestedResource[],
  expandType: (type: string) => string,
): GraphRequest {
  const modules: Entries = new Map()
  const notRequested = new Set<string>()
  const externals = new Map<string, Entries>()
  const shared: Entries = new Map()
  const extra: ExtraNode[] = []
  const problems: DeploymentProblem[] = []
  for (const resource of resources) {
    const { descriptor, params } = resource
    const problem = problemOfDescriptor(descriptor)
    if (problem) {
      problems.push({ object: formatDescriptor(descriptor), reason: 'InvalidName', message: problem })
      continue
    }
    if (isWorkload(descriptor)) {
      modules.set(workloadOf(descriptor.resourceId) ?? '', params ?? {})
      notRequested.delete(descriptor.resourceId)
      continue
    }
    const { workload, name } = placeOf(descriptor)
    if (workload !== undefined && !modules.has(workload)) {
      modules.set(workload, {})
      notRequested.add(workloadResourceId(workload))
    }
    const entries = workload === undefined ? shared : entriesOf(externals, workload)
    // A set holds one resource per name. Other resources with the same Resource ID are extra nodes.
    if (name === undefined) extra.push(resource)
    else if (entries.has(name)) extra.push({ ...resource, descriptor: expanded(descriptor, expandType) })
    else entries.set(name, toDependency(resource, workload === undefined))
  }
  const withExternals = Array.from(modules, ([id, module]): [string, FreeForm] => {
    return [id, { ...module, externals: Object.fromEntries(externals.get(id) ?? []) }]
  })
  const set = { modules: Object.fromEntries(withExternals), shared: Object.fromEntries(shared) }
  return { set, extra, notRequested, problems }
}

/** Whether it is the resource of a workload. */
export function isWorkload({ type, class: resourceClass, resourceId }: Descriptor): boolean {
  const id = workloadOf(resourceId)
  return (
    type === workloadType &&
    resourceClass === defaultClass &&
    id !== undefined &&
    resourceId === workloadResourceId(id)
  )
}

const placePattern = /^(?:shared|modules\.([^.]+)\.externals)\.(.+)$/

/**
 * The name of a dependency and, if private, its workload. No name for a resource that is not a dependency. A shared one has
 * the name that Score documents give it.
 */
function placeOf({ resourceId, class: resourceClass }: Descriptor): {
  readonly workload?: string | undefined
  readonly name?: string | undefined
} {
  const [, workload, name] = placePattern.exec(resourceId) ?? []
  const isShared = workload === undefined && name !== undefined
  return { workload, name: isShared ? sharedKey(name, resourceClass) : name }
}

function entriesOf(externals: Map<string, Entries>, workload: string): Entries {
  const entries = externals.get(workload) ?? new Map<string, FreeForm>()
  externals.set(workload, entries)
  return entries
}

function toDependency({ descriptor, params }: RequestedResource, isShared: boolean): FreeForm {
  const { type, class: resourceClass, resourceId } = descriptor
  return { type, class: resourceClass, params, ...(isShared ? { id: resourceId } : {}) }
}

function expanded(descriptor: Descriptor, expandType: (type: string) => string): Descriptor {
  return { ...descriptor, type: expandType(descriptor.type) }
}

/**
 * The resources that a set declares, with types as the set names them. Their graph is the graph of the set if its shared
 * dependencies have the names that Score documents give them.
 */
export function requestedBy(set: SetContent): RequestedResource[] {
  const nowhere = { organizationId: '', applicationId: '', environmentId: '', environmentType: '' }
  const graph = new DraftGraph(nowhere)
  const needs = readNeeds({ context: nowhere, set, graph, expandType: (type) => type, report: () => {} })
  const params = new Map(needs.params.map((each) => [each.draft, each.params]))
  for (const [id, draft] of needs.workloads) {
    const { externals: _, ...module } = set.modules[id] ?? {}
    if (isObject(module) && Object.keys(module).length > 0) params.set(draft, module)
  }
  return graph.nodes
    .map((draft) => ({ descriptor: draft.descriptor, params: params.get(draft) }))
    .sort((left, right) => compareText(textOf(left), textOf(right)))
}

function textOf({ descriptor: { resourceId, type, class: resourceClass } }: RequestedResource): string {
  return [resourceId, type, resourceClass].join('\0')
}
