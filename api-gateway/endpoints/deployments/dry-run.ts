import { problemSchema } from '../../../operator/api/environment-deployment.ts'
import { integer, list, object, oneOf, string } from '../../../operator/api/schema.ts'
import { changedInputs } from '../../../operator/domain/plan/changed-inputs.ts'
import { type Plan, type PlanStep, summarize } from '../../../operator/domain/plan/plan.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { named } from '../../response/shapes.ts'

const actions = ['create', 'update', 'replace', 'retain', 'unchanged'] as const

/** What a deployment would do, as REST shows it. */
export const planShape = named(
  'DeploymentPlan',
  object(
    {
      steps: list(
        object(
          {
            action: oneOf(actions, 'What would be done.'),
            type: string('Resource type.'),
            class: string('Resource class.'),
            res_id: string('Resource ID.'),
            gu_res_id: string('GUResID.'),
            descriptor: string('The resource, as `type.class#id`.'),
            changed_inputs: list(
              string('A path such as `driver_inputs.values.region`.', { maxLength: 32_768 }),
              'With `update` and `replace`: what it would be provisioned with otherwise. Never a value.',
            ),
          },
          {
            def_id: string('Definition that would provision it.'),
            from_def: string('Definition that provisioned what is there.'),
          },
          'What would be done with one resource.',
        ),
        'Dependencies before dependents, then what would no longer be used.',
      ),
      summary: object(
        {
          create: integer('How many resources are new.'),
          update: integer('How many are provisioned again with other inputs.'),
          replace: integer('How many are made anew, the old one deprovisioned afterwards.'),
          retain: integer('How many are no longer used and kept.'),
          unchanged: integer('How many stay as they are.'),
        },
        {},
        'How many steps there are of each action.',
      ),
      problems: list(
        problemSchema,
        'What would keep the deployment from going on; with any, nothing is done.',
      ),
    },
    {},
    'What a deployment would do.',
  ),
)

/** A plan in the shape of REST. */
export function toPlan(plan: Plan) {
  const { steps: _, ...summary } = summarize(plan)
  return {
    steps: plan.steps.map(toStep),
    summary,
    problems: plan.problems.map(({ object: about, reason, message }) => ({
      object: about,
      reason,
      message,
    })),
  }
}

function toStep({ action, descriptor, guResId, wanted, current, definitionName }: PlanStep) {
  const isChange = action === 'update' || action === 'replace'
  const live = current?.metadata.deletionTimestamp ? undefined : current
  return {
    action,
    type: descriptor.type,
    class: descriptor.class,
    res_id: descriptor.resourceId,
    gu_res_id: guResId,
    descriptor: formatDescriptor(descriptor),
    ...(definitionName === undefined ? {} : { def_id: definitionName }),
    ...(live ? { from_def: live.spec.definition.definitionName } : {}),
    changed_inputs: isChange && live && wanted ? changedInputs(live.spec, wanted) : [],
  }
}
