import { setImmediate } from 'node:timers/promises'
import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { reasonField } from '../../../operator/api/reasons/reasons.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { list, object, oneOf, string } from '../../../operator/api/schema.ts'
import { createMatcher } from '../../../operator/domain/definition/matching.ts'
import {
  type ListedProblem,
  moreProblems,
  ProblemRoom,
  problemCount,
} from '../../../operator/domain/graph/problems.ts'
import { plan } from '../../../operator/domain/plan/plan.ts'
import { type Preview, previewChange, type ResourceChange } from '../../../operator/domain/plan/preview.ts'
import { contextOf } from '../../../operator/domain/resource/identity.ts'
import type { Gateway } from '../../endpoint.ts'
import { named } from '../../response/shapes.ts'
import { findAll } from '../common/find.ts'

const where = { app_id: string('Application.'), env_id: string('Environment.') }
const resId = string('Resource ID.')
const problem = {
  object: string('What it is about: a descriptor `type.class#id`, or empty for the whole environment.'),
  reason: reasonField,
  message: string('Why, for people.', { maxLength: 8192 }),
}

/** Resources that would have another definition. */
export const definitionChangesShape = list(
  object(
    {
      ...where,
      res_id: resId,
      from_def: string('Definition that provisioned it.'),
      to_def: string('Definition that would; empty when none fits.'),
    },
    {},
    'A resource that the definition provisioned.',
  ),
  'What the deletion would change.',
)

/** What a change of definitions would mean for the next deployments. */
export const previewShape = named(
  'DefinitionPreview',
  object(
    {
      changes: list(
        object(
          {
            ...where,
            res_id: resId,
            type: string('Resource type.'),
            class: string('Resource class.'),
            gu_res_id: string('GUResID.'),
            action: oneOf(
              ['create', 'update', 'replace', 'retain', 'unchanged'],
              'What the next deployment would do with it.',
            ),
            from_def: string('Definition that provisions it, or would have; empty when there is none.'),
            to_def: string('Definition that would provision it; empty when none would.'),
            changed_inputs: list(
              string('A path; never a value.', { maxLength: 8192 }),
              'What it would be provisioned with otherwise than now.',
            ),
          },
          {
            problems: list(
              object(problem, {}, 'A problem.'),
              'What would keep the deployment from going on because of it.',
            ),
          },
          'A resource for which the next deployment would do something else.',
        ),
        'Resources by environment, dependencies first.',
        { maxItems: 1_000_000 },
      ),
      problems: list(
        object({ ...where, ...problem }, {}, 'A problem.'),
        'What would make the next deployment of an environment fail, and would not have otherwise.',
        { maxItems: 1_000_000 },
      ),
    },
    {},
    'What the next deployment of every environment would do otherwise, if the change were made.',
  ),
)

/** What the next deployments would do otherwise if the definition were this; gone, when undefined. */
export async function previewDefinition(
  organization: string,
  name: string,
  changed: ResourceDefinition | undefined,
  { cluster: { store }, planning }: Pick<Gateway, 'cluster' | 'planning'>,
) {
  const present = findAll(store, ResourceDefinition, organization)
  const others = present.filter(({ metadata }) => metadata.name !== name)
  const before = createMatcher(present)
  const after = createMatcher(changed ? [...others, changed] : others)
  const changes = []
  const problems = []
  const room = new ProblemRoom()
  for (const environment of findAll(store, Environment, organization)) {
    const set = planning.deployedSet(environment)
    if (!set) continue
    const input = planning.inputFor(environment, set)
    const preview = bounded(
      previewChange(plan({ ...input, matcher: before }), plan({ ...input, matcher: after })),
      room,
    )
    const { applicationId: app_id, environmentId: env_id } = contextOf(environment)
    changes.push(...preview.changes.map((each) => ({ app_id, env_id, ...toChange(each) })))
    problems.push(...preview.problems.map((each) => ({ app_id, env_id, ...toProblem(each) })))
    // Others are served between two environments, however many there are.
    await setImmediate()
  }
  return { changes, problems }
}

/** The preview with those of its problems that there is room for, and how many more there are. */
function bounded({ changes, problems }: Preview, room: ProblemRoom): Preview {
  const listed = new Set(problems.filter((each) => room.take(each)))
  const more = problemCount(problems) - listed.size
  return {
    changes: changes.map((each) => ({ ...each, problems: each.problems.filter((one) => listed.has(one)) })),
    problems: more > 0 ? [...listed, moreProblems(more)] : [...listed],
  }
}

function toProblem({ object: about, reason, message }: ListedProblem) {
  return { object: about, reason, message }
}

function toChange({ descriptor, guResId, action, ...change }: ResourceChange) {
  return {
    res_id: descriptor.resourceId,
    type: descriptor.type,
    class: descriptor.class,
    gu_res_id: guResId,
    action,
    from_def: change.fromDefinition,
    to_def: change.toDefinition,
    changed_inputs: change.changedInputs,
    ...(change.problems.length > 0 ? { problems: change.problems.map(toProblem) } : {}),
  }
}

/** The definition that each resource of the definition would have with these definitions instead; empty when none. */
export function definitionChanges(
  definition: ResourceDefinition,
  resources: readonly ActiveResource[],
  definitions: readonly ResourceDefinition[],
) {
  const matcher = createMatcher(definitions)
  return resources.map(({ spec: { context, type, class: resourceClass, resourceId } }) => ({
    app_id: context.applicationId,
    env_id: context.environmentId,
    res_id: resourceId,
    from_def: definition.metadata.name,
    to_def:
      matcher.match({ type, class: resourceClass, resourceId, context }).definition?.metadata.name ?? '',
  }))
}
