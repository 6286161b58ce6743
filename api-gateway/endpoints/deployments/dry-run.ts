import { problemSchema } from '../../../operator/api/environment-deployment.ts'
import { integer, list, object, oneOf, string } from '../../../operator/api/schema.ts'
import { changedInputs } from '../../../operator/domain/plan/changed-inputs.ts'
import { type Plan, type PlanStep, summarize } from '../../../operator/domain/plan/plan.ts'
import { formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { named } from '../../response/shapes.ts'

const actions = ['create', 'update', 'replace', 'retain', 'unchanged'] as const

/** Plan of a deployment in responses. */
export const planShape = named(
  'DeploymentPlan',
  object(
    {
      steps: list(
        object(
          {
            action: oneOf(actions, 'Action.'),
            type: string('Resource type.'),
            class: string('Resource class.'),
            res_id: string('Resource ID.'),
            gu_res_id: string('GUResID.'),
            descriptor: string('Descriptor of the resource: `type.class#id`.'),
            changed_inputs: list(
              string('A path such as `driver_inputs.values.region`.', { maxLength: 32_768 }),
              'Paths of the inputs that would change, for `update` and `replace`; empty if the inputs stay. Values are never returned.',
            ),
          },
          {
            def_id: string('ID of the definition that would provision it.'),
            from_def: string('ID of the definition that provisioned the existing resource.'),
          },
          'Action on one resource.',
        ),
        'Steps, dependencies before dependents, followed by resources that would become unused.',
      ),
      summary: object(
        {
          create: integer('Number of new resources.'),
          update: integer(
            'Number of resources that are written again: with other inputs or another definition, because they are used again, or because the mode is `full`.',
          ),
          replace: integer(
            'Number of resources provisioned anew, after which the old ones are deprovisioned.',
          ),
          retain: integer('Number of resources that become unused and are kept.'),
          unchanged: integer('Number of unchanged resources.'),
        },
        {},
        'Number of steps by action.',
      ),
      problems: list(
        problemSchema,
        'Problems that would make the deployment fail. A deployment with problems changes nothing.',
      ),
    },
    {
      base_set_id: string(
        'ID of the set that the changes are made to. A deployment with it makes its changes to this set, or is refused; a stored delta, definitions and values may change meanwhile. Absent if it is not known.',
      ),
    },
    'Plan of a deployment.',
  ),
)

/** Converts a plan for a response. */
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
    def_id: definitionName,
    from_def: live?.spec.definition.definitionName,
    changed_inputs: isChange && live && wanted ? changedInputs(live.spec, wanted) : [],
  }
}
