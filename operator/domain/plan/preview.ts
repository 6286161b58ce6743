import { type ListedProblem, problemKey } from '../graph/problems.ts'
import { type Descriptor, formatDescriptor } from '../resource/descriptor.ts'
import { changedInputs } from './changed-inputs.ts'
import type { Plan, PlanStep } from './plan.ts'
import { isSameSpec } from './wanted-spec.ts'

/** What becomes of a resource at the next deployment that would not have become of it otherwise. */
export interface ResourceChange {
  readonly descriptor: Descriptor
  readonly guResId: string
  readonly action: PlanStep['action']
  /** Definition that provisions it now, or would have; empty when there is none. */
  readonly fromDefinition: string
  /** Definition that would provision it; empty when none does. */
  readonly toDefinition: string
  /** Paths of what it would be provisioned with otherwise than it is now. */
  readonly changedInputs: readonly string[]
  /** What would keep the deployment from going on because of this resource. */
  readonly problems: readonly ListedProblem[]
}

/** What a change means for one environment. */
export interface Preview {
  /** Dependencies before dependents, then what would no longer be used. */
  readonly changes: readonly ResourceChange[]
  /** Problems that there would not have been otherwise. */
  readonly problems: readonly ListedProblem[]
}

/** Compares the next deployment of an environment as it would be (`before`) with what a change makes of it (`after`). */
export function previewChange(before: Plan, after: Plan): Preview {
  const known = new Set(before.problems.map(problemKey))
  const problems = after.problems.filter((each) => !known.has(problemKey(each)))
  const former = new Map(before.steps.map((step) => [step.guResId, step]))
  const changes = [...after.steps, ...dropped(before, after)]
    .filter((step) => !sameStep(former.get(step.guResId), step))
    .map((step) => changeOf(step, former.get(step.guResId), problems))
  return { changes, problems }
}

/** Steps for the resources that there would have been a step for, and now is none: nothing happens to them. */
function dropped(before: Plan, after: Plan): PlanStep[] {
  const kept = new Set(after.steps.map(({ guResId }) => guResId))
  return before.steps
    .filter(({ guResId }) => !kept.has(guResId))
    .map(({ guResId, descriptor, current }) => {
      return { action: 'unchanged', guResId, descriptor, ...(current ? { current } : {}) }
    })
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
