import { type ListedProblem, problemKey } from '../graph/problems.ts'
import { type Descriptor, formatDescriptor } from '../resource/descriptor.ts'
import { changedInputs } from './changed-inputs.ts'
import type { Plan, PlanStep } from './plan.ts'
import { isSameSpec } from './wanted-spec.ts'

/** A resource whose next deployment differs because of the change. */
export interface ResourceChange {
  readonly descriptor: Descriptor
  readonly guResId: string
  readonly action: PlanStep['action']
  /** Definition before the change; empty when there is none. */
  readonly fromDefinition: string
  /** Definition after the change; empty when there is none. */
  readonly toDefinition: string
  /** Paths of the inputs that would differ from the current ones. */
  readonly changedInputs: readonly string[]
  /** New problems of this resource that would prevent the deployment. */
  readonly problems: readonly ListedProblem[]
}

/** The effect of a change on one environment. */
export interface Preview {
  /** Dependencies before dependents, then the resources that would no longer be used. */
  readonly changes: readonly ResourceChange[]
  /** Problems that exist only with the change. */
  readonly problems: readonly ListedProblem[]
}

/** Compares the plan of the next deployment without (`before`) and with (`after`) a change. */
export function previewChange(before: Plan, after: Plan): Preview {
  const known = new Set(before.problems.map(problemKey))
  const problems = after.problems.filter((each) => !known.has(problemKey(each)))
  const former = new Map(before.steps.map((step) => [step.guResId, step]))
  const changes = [...after.steps, ...dropped(before, after)]
    .filter((step) => !sameStep(former.get(step.guResId), step))
    .map((step) => changeOf(step, former.get(step.guResId), problems))
  return { changes, problems }
}

/** Steps for resources that only the plan without the change has: with the change they stay as they are. */
function dropped(before: Plan, after: Plan): PlanStep[] {
  const kept = new Set(after.steps.map(({ guResId }) => guResId))
  return before.steps
    .filter(({ guResId }) => !kept.has(guResId))
    .map(({ guResId, descriptor, current }) => ({ action: 'unchanged', guResId, descriptor, current }))
}

function sameStep(before: PlanStep | undefined, after: PlanStep): boolean {
  if (before?.action !== after.action) return false
  if (!before.wanted || !after.wanted) return before.wanted === after.wanted
  return isSameSpec(before.wanted, after.wanted)
}

function changeOf(
  { action, descriptor, guResId, wanted, definitionName = '', ...step }: PlanStep,
  before: PlanStep | undefined,
  problems: readonly ListedProblem[],
): ResourceChange {
  const current = step.current?.metadata.deletionTimestamp ? undefined : step.current
  const text = formatDescriptor(descriptor)
  return {
    descriptor,
    guResId,
    action,
    fromDefinition: current?.spec.definition.definitionName ?? before?.definitionName ?? '',
    toDefinition: definitionName,
    changedInputs: current && wanted ? changedInputs(current.spec, wanted) : [],
    problems: problems.filter(({ object }) => object === text),
  }
}
