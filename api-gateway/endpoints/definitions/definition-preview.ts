import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { reasonField } from '../../../operator/api/reasons/reasons.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { list, object, oneOf, string } from '../../../operator/api/schema.ts'
import { createOrganizationMatcher } from '../../../operator/domain/definition/built-in-definitions.ts'
import {
  type ListedProblem,
  moreProblems,
  ProblemLimit,
  problemCount,
} from '../../../operator/domain/graph/problems.ts'
import { type PlanInput, plan } from '../../../operator/domain/plan/plan.ts'
import { type Preview, previewChange, type ResourceChange } from '../../../operator/domain/plan/preview.ts'
import { contextOf } from '../../../operator/domain/resource/identity.ts'
import type { Call, Gateway } from '../../endpoint.ts'
import type { NextTurn } from '../../long-work.ts'
import { flag } from '../../request/boolean-query.ts'
import { named } from '../../response/shapes.ts'
import { findAll } from '../common/find.ts'
import type { DefinitionManifest } from './definition-finding.ts'

/** Query of the operations that can return a preview. */
export const dryRunQuery = {
  dry_run: flag('Whether to write nothing and return the effects on the next deployments.'),
}

const where = { app_id: string('Application ID.'), env_id: string('Environment ID.') }
const resId = string('Resource ID.')
const problem = {
  object: string(
    'Descriptor of the resource, `type.class#id`. Empty if the problem concerns the whole environment.',
  ),
  reason: reasonField,
  message: string('Human-readable message.', { maxLength: 8192 }),
}

export const definitionChangesShape = list(
  object(
    {
      ...where,
      res_id: resId,
      from_def: string('ID of the current definition.'),
      to_def: string('ID of the definition that would match. Empty if no definition would match.'),
    },
    {},
    'A resource of the definition.',
  ),
  'Resources of the definition, and the definition that each would match after the deletion.',
)

/** Effects of a change of definitions on the next deployments. */
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
              'Action of the next deployment.',
            ),
            from_def: string('ID of the definition without the change. Empty if there is none.'),
            to_def: string('ID of the definition with the change. Empty if there is none.'),
            changed_inputs: list(
              string('A path. Values are never returned.', { maxLength: 8192 }),
              'Paths of the inputs that would change.',
            ),
          },
          {
            problems: list(
              object(problem, {}, 'A problem.'),
              'Problems of this resource that would make the deployment fail.',
            ),
          },
          'A resource whose next deployment would differ.',
        ),
        'Changed resources by environment, dependencies first.',
        { maxItems: 1_000_000 },
      ),
      problems: list(
        object({ ...where, ...problem }, {}, 'A problem.'),
        'Problems that the change would cause in the next deployment of an environment.',
        { maxItems: 1_000_000 },
      ),
    },
    {},
    'Effects of the change on the next deployment of each environment.',
  ),
)

interface Where {
  readonly app_id: string
  readonly env_id: string
}

/** Metadata of a definition that is not stored yet: it is younger than all others. */
const youngest = { uid: '', resourceVersion: '', creationTimestamp: '~' }

/** Computes the effects of a changed definition; undefined means its deletion. */
export async function previewDefinition(
  organization: string,
  name: string,
  changed: DefinitionManifest | undefined,
  { cluster: { store }, planning }: Pick<Gateway, 'cluster' | 'planning'>,
  inTurn: Call['inTurn'],
) {
  const present = findAll(store, ResourceDefinition, organization)
  const others = present.filter(({ metadata }) => metadata.name !== name)
  const before = createOrganizationMatcher(present)
  const after = createOrganizationMatcher(
    changed ? [...others, { ...changed, metadata: { ...youngest, ...changed.metadata } }] : others,
  )
  const changes: (Where & ReturnType<typeof toChange>)[] = []
  const problems: (Where & ReturnType<typeof toProblem>)[] = []
  const room = new ProblemLimit()
  async function preview(environment: Environment, next: NextTurn): Promise<void> {
    const set = environment.status?.lastPlanned && planning.deployedSet(environment)
    if (!set) return
    const input = withSameAccounts(planning.inputFor(environment, set))
    const now = plan({ ...input, matcher: before })
    await next()
    const then = plan({ ...input, matcher: after })
    await next()
    const change = withLimitedProblems(previewChange(now, then), room)
    const { applicationId: app_id, environmentId: env_id } = contextOf(environment)
    changes.push(...change.changes.map((each) => ({ app_id, env_id, ...toChange(each) })))
    problems.push(...change.problems.map((each) => ({ app_id, env_id, ...toProblem(each) })))
    await next()
  }
  await inTurn(async (next) => {
    for (const environment of findAll(store, Environment, organization)) await preview(environment, next)
  })
  return { changes, problems }
}

/** Plans of this input see the same accounts, even if one is created or deleted in between. */
function withSameAccounts(input: PlanInput): PlanInput {
  const types = new Map<string, string | undefined>()
  return {
    ...input,
    accountTypeOf(name) {
      if (!types.has(name)) types.set(name, input.accountTypeOf?.(name))
      return types.get(name)
    },
  }
}

/** Limits the listed problems and adds the number of the others. */
function withLimitedProblems({ changes, problems }: Preview, room: ProblemLimit): Preview {
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
    problems: change.problems.length > 0 ? change.problems.map(toProblem) : undefined,
  }
}

/** Returns the definition that each resource would match among these definitions. */
export function definitionChanges(
  definition: ResourceDefinition,
  resources: readonly ActiveResource[],
  definitions: readonly ResourceDefinition[],
) {
  const matcher = createOrganizationMatcher(definitions)
  return resources.map(({ spec: { context, type, class: resourceClass, resourceId } }) => ({
    app_id: context.applicationId,
    env_id: context.environmentId,
    res_id: resourceId,
    from_def: definition.metadata.name,
    to_def:
      matcher.match({ type, class: resourceClass, resourceId, context }).definition?.metadata.name ?? '',
  }))
}
