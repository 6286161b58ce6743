import type { ActiveResource } from '../../operator/api/active-resource.ts'
import type { ResourceDefinition } from '../../operator/api/resource-definition.ts'
import type { SetContent } from '../../operator/domain/delta/delta.ts'
import { type Plan, type PlanInput, type PlanStep, plan } from '../../operator/domain/plan/plan.ts'
import { formatDescriptor } from '../../operator/domain/resource/descriptor.ts'
import { environmentObjectName } from '../../operator/domain/resource/identity.ts'
import { activeResource } from './builders.ts'
import { builtInName, graphInput } from './graphs.ts'

/** The plan of a set in `context()`, or in the context among the changes. */
export function planOf(
  content: SetContent,
  definitions: readonly ResourceDefinition[],
  active: readonly ActiveResource[] = [],
  changes: Partial<PlanInput> = {},
): Plan {
  const input = { ...graphInput(content, definitions), active, quotas: [], isTrusted: () => true, ...changes }
  const { applicationId, environmentId } = input.context
  return plan({ ...input, environmentName: environmentObjectName(applicationId, environmentId) })
}

/** The resources after an operator has executed the plan. */
export function carriedOut(
  { steps }: Plan,
  before: readonly ActiveResource[] = [],
): readonly ActiveResource[] {
  const after = new Map(before.map((resource) => [resource.metadata.name, resource]))
  for (const { action, guResId, wanted, current } of steps) {
    if (wanted) after.set(guResId, activeResource(wanted, wanted))
    if (action !== 'retain' || !current) continue
    after.set(guResId, { ...current, spec: { ...current.spec, unusedSince: '2026-02-01T00:00:00Z' } })
  }
  return [...after.values()]
}

/** The steps as `<action> <descriptor>`, without workloads of the built-in definition. */
export function actions({ steps }: Pick<Plan, 'steps'>): string[] {
  const isOfTest = ({ wanted, current }: PlanStep) =>
    (wanted ?? current?.spec)?.definition.definitionName !== builtInName
  return steps.filter(isOfTest).map(({ action, descriptor }) => `${action} ${formatDescriptor(descriptor)}`)
}
