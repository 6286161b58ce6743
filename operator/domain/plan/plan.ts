import type { ActiveResource } from '../../api/active-resource.ts'
import type { PlanSummary } from '../../api/environment-deployment.ts'
import { compareText, sameJson } from '../base/json.ts'
import type { ResourceQuota } from '../base/quota.ts'
import { driverName, driverOf } from '../definition/definition.ts'
import type { WonMatch } from '../definition/match-types.ts'
import { driverAddress, makerOf } from '../definition/third-party.ts'
import { buildGraph } from '../graph/build-graph.ts'
import { Guard, planningProblem } from '../graph/exception-guard.ts'
import type { Graph, GraphInput, GraphNode } from '../graph/graph.ts'
import { type ListedProblem, Problems } from '../graph/problems.ts'
import { type Descriptor, formatDescriptor } from '../resource/descriptor.ts'
import type { DriverDescriptor } from '../resource/driver.ts'
import { isInUse } from '../resource/identity.ts'
import { problemsOfQuota } from './plan-quota.ts'
import { problemsOfSize } from './plan-size.ts'
import {
  explained,
  inputAt,
  isSameSpec,
  namesDeployment,
  partsOfDescriptor,
  type WantedSpec,
  wantedSpec,
} from './wanted-spec.ts'

/** What the deployment does with one resource. */
export interface PlanStep {
  readonly action: 'create' | 'update' | 'replace' | 'retain' | 'unchanged'
  readonly guResId: string
  readonly descriptor: Descriptor
  /** Absent for a resource that is no longer used. It explains the match where the step changes something. */
  readonly wanted?: WantedSpec
  /** The existing resource; with `create`, one that is being deleted and must disappear first. */
  readonly current?: ActiveResource
  readonly definitionName?: string
  /** Whether the spec is unchanged, and the resource is provisioned again because the deployment has the mode `full`. */
  readonly isForced?: boolean
}

/** What a deployment does. A plan with problems must not be carried out. */
export interface Plan {
  /** Dependencies before dependents, then the resources that are no longer used. */
  readonly steps: readonly PlanStep[]
  readonly problems: readonly ListedProblem[]
  readonly graph: Graph
  /** Errors of the program that caused some of the problems, for the log. */
  readonly errors: readonly unknown[]
}

/** The input of `plan`. */
export interface PlanInput extends GraphInput {
  readonly environmentName: string
  /** All active resources of the environment. */
  readonly active: readonly ActiveResource[]
  /** The quotas of the organization. */
  readonly quotas: readonly ResourceQuota[]
  /** Whether unchanged resources are provisioned again. */
  readonly isFull?: boolean
  /** Whether the spec of a resource is unchanged since the operator wrote it. */
  isTrusted(resource: ActiveResource): boolean
}

const maxSummarySteps = 100

/** Compares the resources that a set needs with those that exist. Never throws: an exception becomes a problem. */
export function plan(input: PlanInput): Plan {
  const graph = buildGraph(input)
  const problems = new Problems()
  const guard = new Guard((about, reason, text) => problems.add(about, reason, text))
  const steps = guard.run('', () => stepsOf(graph, input, guard)) ?? []
  const tooLarge = guard.run('', () => problemsOfSize(steps.filter(isWritten))) ?? []
  const tooMany = guard.run('', () => problemsOfQuota(steps.filter(isNew).length, input.quotas)) ?? []
  return {
    steps,
    problems: [...graph.problems, ...problems.listed(), ...tooLarge, ...tooMany],
    graph,
    errors: [...graph.errors, ...guard.errors],
  }
}

/** The plan when reading its input failed. */
export function failedPlan(error: unknown): Plan {
  const problems = [{ object: '', ...planningProblem(error) }]
  return { steps: [], problems, graph: { nodes: [], problems, errors: [error] }, errors: [error] }
}

function stepsOf(graph: Graph, input: PlanInput, guard: Guard): PlanStep[] {
  const active = new Map(input.active.map((resource) => [resource.metadata.name, resource]))
  const steps: PlanStep[] = []
  for (const node of graph.nodes) {
    const { match, guResId } = node
    const step =
      match &&
      guard.run(formatDescriptor(node.descriptor), () => stepFor(node, match, active.get(guResId), input))
    if (step) steps.push(step)
    active.delete(guResId)
  }
  const unused = [...active.values()].filter(isInUse)
  const retained = unused
    .map((current): PlanStep => {
      const guResId = current.metadata.name
      return { action: 'retain', guResId, descriptor: partsOfDescriptor(current.spec), current }
    })
    .sort((a, b) => compareText(formatDescriptor(a.descriptor), formatDescriptor(b.descriptor)))
  return [...steps, ...retained]
}

function isWritten(step: PlanStep): step is PlanStep & { readonly wanted: WantedSpec } {
  return step.wanted !== undefined && step.action !== 'unchanged'
}

/** Whether the step needs room in a quota: a resource that is being deleted frees the room of its successor. */
function isNew({ current }: PlanStep): boolean {
  return !current
}

/** The number of steps by action, and the first hundred steps that change something. */
export function summarize({ steps }: Pick<Plan, 'steps'>): PlanSummary {
  const summary: PlanSummary = { create: 0, update: 0, replace: 0, retain: 0, unchanged: 0, steps: [] }
  const shown: NonNullable<PlanSummary['steps']> = []
  for (const { action, descriptor, definitionName } of steps) {
    summary[action]++
    if (action === 'unchanged' || shown.length === maxSummarySteps) continue
    shown.push({ action, object: formatDescriptor(descriptor), definitionName })
  }
  return { ...summary, steps: shown }
}

function stepFor(
  node: GraphNode,
  match: WonMatch,
  current: ActiveResource | undefined,
  input: PlanInput,
): PlanStep {
  const { guResId, descriptor } = node
  const wanted = wantedSpec(node, match, input)
  const action = actionFor(node, wanted, current, input)
  const { definitionName } = wanted.definition
  const step = { action, guResId, descriptor, wanted, current, definitionName }
  if (action === 'unchanged' && !input.isFull) return step
  const written = { ...step, wanted: explained(wanted, match) }
  if (action !== 'unchanged') return written
  // A spec with the id of the deployment is written, so that the resource gets this one.
  return { ...written, action: 'update', isForced: namesDeployment(wanted) ? undefined : true }
}

/** The URL under which a server has the resource, also when its driver was deleted. */
function addressOf(former: DriverDescriptor | undefined, { status }: ActiveResource): string | undefined {
  if (former) return former.address
  const { target } = status?.provisioned ?? {}
  return target === undefined ? undefined : driverAddress(target)
}

/** Whether a driver updates the instance that a resource has. One that does not exist updates none. */
function keepsInstance(
  driver: DriverDescriptor | undefined,
  current: ActiveResource,
  catalogue: readonly DriverDescriptor[],
  vendors: readonly string[],
): boolean {
  const { provisioned } = current.status ?? {}
  const formerType = provisioned?.driverType ?? current.spec.definition.driverType
  const known = driverOf(formerType, catalogue, vendors)
  // A driver that made an instance may wrap another one by now, which did not make it.
  const former = provisioned && known?.wraps !== undefined ? undefined : known
  const maker = former ? makerOf(former) : driverName(formerType, vendors)
  if (!driver) return false
  if (maker === makerOf(driver)) return true
  return driver.address !== undefined && driver.address === addressOf(former, current)
}

/** Predicts what the controller of active resources does, which decides by driver, address and identity. */
function actionFor(
  { driver }: GraphNode,
  wanted: WantedSpec,
  current: ActiveResource | undefined,
  { catalogue, vendors, isTrusted }: PlanInput,
): PlanStep['action'] {
  if (!current || current.metadata.deletionTimestamp) return 'create'
  const { spec } = current
  const isOther = spec.definition.driverType !== wanted.definition.driverType
  // What a driver wraps may have changed: a resource in use has followed by itself, an unused one has not.
  const mayBeOther = isOther || (spec.unusedSince !== undefined && driver !== undefined)
  if (mayBeOther && !keepsInstance(driver, current, catalogue, vendors)) return 'replace'
  const forcing = driver?.replaceOnChangeOf ?? []
  if (forcing.some((path) => !sameJson(inputAt(spec.definition, path), inputAt(wanted.definition, path))))
    return 'replace'
  if (spec.unusedSince || !isTrusted(current)) return 'update'
  return isSameSpec(spec, wanted) ? 'unchanged' : 'update'
}
