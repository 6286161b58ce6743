import type { ActiveResource, DefinitionSnapshot } from '../../api/active-resource.ts'
import type { PlanSummary } from '../../api/environment-deployment.ts'
import { isObject, sameJson } from '../base/json.ts'
import { lengthOf, storedBytes, storedPerLength } from '../base/size.ts'
import { driverOf } from '../definition/definition.ts'
import type { WonMatch } from '../definition/matching.ts'
import { buildGraph, type Graph, type GraphInput, type GraphNode } from '../graph/graph.ts'
import { Guard, planningProblem } from '../graph/guard.ts'
import { type ListedProblem, Problems } from '../graph/problems.ts'
import { type Descriptor, formatDescriptor } from '../resource/descriptor.ts'

type ResourceSpec = ActiveResource['spec']

/** What a deployment wants of a resource: its spec without what the act of writing adds. */
export type WantedSpec = Omit<
  ResourceSpec,
  'signature' | 'deploymentName' | 'renewedByDeploymentName' | 'unusedSince'
>

/** What is done with one resource. */
export interface PlanStep {
  readonly action: 'create' | 'update' | 'replace' | 'retain' | 'unchanged'
  readonly guResId: string
  readonly descriptor: Descriptor
  /** Absent for a resource that is no longer used. */
  readonly wanted?: WantedSpec
  /** The resource as it is; with `create`, one that is being deleted and must be gone first. */
  readonly current?: ActiveResource
  readonly definitionName?: string
}

/** What a deployment does; with problems, nothing of it may be done. */
export interface Plan {
  /** Dependencies before dependents, then what is no longer used. */
  readonly steps: readonly PlanStep[]
  readonly problems: readonly ListedProblem[]
  readonly graph: Graph
  /** Errors of the program behind some of the problems, for the log. */
  readonly errors: readonly unknown[]
}

/** What a plan is made from. */
export interface PlanInput extends GraphInput {
  readonly environmentName: string
  /** All active resources of the environment. */
  readonly active: readonly ActiveResource[]
  /** Whether what is unchanged is provisioned again as well. */
  readonly isFull?: boolean
  /** Whether the spec of a resource is as the operator wrote it. */
  isTrusted(resource: ActiveResource): boolean
}

const maxSummarySteps = 100

/** What etcd takes at once is little more, and the status of the resource comes on top. */
const maxSpecBytes = 1_400_000

/** Bytes of the specs that one deployment writes; with their outputs and what the store keeps of before it is several times as much. */
const maxPlanBytes = 64 * 1_048_576

/** Compares what the set wants with what is there. Never throws: an exception becomes a problem of the plan. */
export function plan(input: PlanInput): Plan {
  const graph = buildGraph(input)
  const problems = new Problems()
  const guard = new Guard((about, reason, text) => problems.add(about, reason, text))
  const steps = guard.run('', () => stepsOf(graph, input, guard)) ?? []
  const tooLarge = guard.run('', () => problemsOfSize(steps)) ?? []
  return {
    steps,
    problems: [...graph.problems, ...problems.listed(), ...tooLarge],
    graph,
    errors: [...graph.errors, ...guard.errors],
  }
}

/** The plan of an input that cannot even be gathered. */
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
    // A workload that nothing provisions any more is unused; whatever else has no definition is a problem.
    if (!node.virtual) active.delete(guResId)
  }
  const unused = [...active.values()].filter(
    ({ metadata, spec }) => !metadata.deletionTimestamp && !spec.unusedSince,
  )
  for (const current of unused.sort((a, b) =>
    formatDescriptor(a.spec) < formatDescriptor(b.spec) ? -1 : 1,
  )) {
    steps.push({
      action: 'retain',
      guResId: current.metadata.name,
      descriptor: descriptorOf(current.spec),
      current,
    })
  }
  return steps
}

/** What would not go into one object, or not into the store, is found before anything is written. */
function problemsOfSize(steps: readonly PlanStep[]): ListedProblem[] {
  const written = steps.flatMap(({ action, descriptor, wanted }) =>
    wanted && action !== 'unchanged' ? [{ descriptor, wanted }] : [],
  )
  // To count bytes takes longer, and hardly any deployment or resource is that large.
  const lengths: number[] = []
  let most = 0
  for (const { wanted } of written) {
    const length = lengthOf(wanted)
    lengths.push(length)
    most += length * storedPerLength
    if (most > maxPlanBytes) break
  }
  const problems: ListedProblem[] = []
  let total = 0
  for (const [i, { descriptor, wanted }] of written.entries()) {
    if (most <= maxPlanBytes && (lengths[i] ?? 0) * storedPerLength <= maxSpecBytes) continue
    const bytes = storedBytes(wanted)
    total += bytes
    const object = formatDescriptor(descriptor)
    if (total > maxPlanBytes) {
      const message = `the resources to write are more than ${maxPlanBytes} bytes in all, the most for one deployment; reached with '${object}' of ${bytes}`
      return [...problems, { object: '', reason: 'DeploymentTooLarge', message }]
    }
    if (bytes > maxSpecBytes)
      problems.push({ object, reason: 'ResourceTooLarge', message: tooLargeSpec(wanted, bytes) })
  }
  return problems
}

function tooLargeSpec({ definition, params, values, references }: WantedSpec, bytes: number): string {
  const [largest] = [
    { what: `what definition '${definition.definitionName}' says`, size: storedBytes(definition) },
    { what: 'params', size: storedBytes(params ?? {}) },
    { what: 'shared values that the params name', size: storedBytes(values ?? {}) },
    { what: 'references', size: storedBytes(references ?? {}) },
  ].sort((left, right) => right.size - left.size)
  return `its spec would be ${bytes} bytes, more than ${maxSpecBytes}, the most that can be kept of one resource; most of it: ${largest?.what}, ${largest?.size} bytes`
}

/** Counts of the steps and the first hundred of those that do something. */
export function summarize({ steps }: Pick<Plan, 'steps'>): PlanSummary {
  const summary: PlanSummary = { create: 0, update: 0, replace: 0, retain: 0, unchanged: 0, steps: [] }
  const shown: NonNullable<PlanSummary['steps']> = []
  for (const { action, descriptor, definitionName } of steps) {
    summary[action]++
    if (action === 'unchanged' || shown.length === maxSummarySteps) continue
    shown.push({
      action,
      object: formatDescriptor(descriptor),
      ...(definitionName ? { definitionName } : {}),
    })
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
  return { action, guResId, descriptor, wanted, ...(current ? { current } : {}), definitionName }
}

function actionFor(
  { driver }: GraphNode,
  wanted: WantedSpec,
  current: ActiveResource | undefined,
  { catalogue, vendors, isTrusted, isFull = false }: PlanInput,
): PlanStep['action'] {
  if (!current || current.metadata.deletionTimestamp) return 'create'
  const { spec } = current
  const former = driverOf(spec.definition.driverType, catalogue, vendors)
  const sameDriver =
    spec.definition.driverType === wanted.definition.driverType || (former && former.name === driver?.name)
  if (!sameDriver) return 'replace'
  const forcing = driver?.replacedBy ?? []
  if (forcing.some((path) => !sameJson(inputAt(spec.definition, path), inputAt(wanted.definition, path))))
    return 'replace'
  if (spec.unusedSince || isFull || !isTrusted(current)) return 'update'
  return sameWish(spec, wanted) ? 'unchanged' : 'update'
}

/** Whether two specs ask for the same; who wrote them, and how the match is explained, does not matter. */
function sameWish(
  { signature: _, deploymentName: __, renewedByDeploymentName: ___, ...spec }: ResourceSpec,
  wanted: WantedSpec,
): boolean {
  return sameJson(withoutExplanation(spec), withoutExplanation(wanted))
}

function withoutExplanation<T extends WantedSpec>(spec: T) {
  const { explanation: _, ...definition } = spec.definition
  return { ...spec, definition }
}

function inputAt({ driverInputs }: DefinitionSnapshot, path: string): unknown {
  let value: unknown = driverInputs?.values
  for (const step of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  return value
}

function wantedSpec(
  { descriptor, params, values, dependsOn, references }: GraphNode,
  match: WonMatch,
  input: PlanInput,
): WantedSpec {
  return {
    environmentName: input.environmentName,
    context: input.context,
    ...descriptorOf(descriptor),
    definition: snapshotOf(match),
    ...(params ? { params } : {}),
    ...(Object.keys(values).length > 0 ? { values: { ...values } } : {}),
    ...(dependsOn.length > 0 ? { dependsOn: [...dependsOn] } : {}),
    ...(Object.keys(references).length > 0 ? { references: mutable(references) } : {}),
  }
}

function snapshotOf({
  definition: { metadata, spec },
  criterion,
  explanation,
}: WonMatch): DefinitionSnapshot {
  const { driverType, accountName, driverInputs } = spec
  return {
    definitionName: metadata.name,
    driverType,
    ...(accountName === undefined ? {} : { accountName }),
    ...(driverInputs === undefined ? {} : { driverInputs }),
    criterion,
    explanation,
  }
}

function descriptorOf({ type, class: resourceClass, resourceId }: Descriptor): Descriptor {
  return { type, class: resourceClass, resourceId }
}

function mutable(references: GraphNode['references']): Record<string, string[]> {
  return Object.fromEntries(Object.entries(references).map(([text, names]) => [text, [...names]]))
}
