import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { type Criterion, criterionSchema } from '../../../operator/api/resource-definition.ts'
import { integer, list, object, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { normalizeCriterion } from '../../../operator/domain/definition/criterion.ts'
import { explainMatch, type MatchExplanation } from '../../../operator/domain/definition/explain.ts'
import { contextOf } from '../../../operator/domain/resource/identity.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { toWire, wireSchema } from '../../request/wire.ts'
import { named } from '../../response/shapes.ts'
import { findEnvironment } from '../common/find.ts'

const explanationShape = named(
  'MatchExplanation',
  object(
    {
      context: object(
        {
          org_id: string('Organization id.'),
          app_id: string('Application id.'),
          env_id: string('Environment id.'),
          env_type: string('Environment type.'),
        },
        {},
        'What criteria are compared with.',
      ),
      type: string('Resource type that is looked for.'),
      class: string('Resource class.'),
      res_id: string('Resource ID; empty when none was given, and then no criterion with `res_id` fits.'),
      descriptor: string('The resource, as `type.class#id`.'),
      candidates: list(
        object(
          { def_id: string('Definition id.'), reason: string('Why it did not win.', { maxLength: 8192 }) },
          { criterion: wireSchema(criterionSchema), rank: integer('How specific the criterion is.') },
          'A criterion that did not win, or a definition without any.',
        ),
        'Everything of the type that did not win, the nearest first.',
      ),
      more: integer('How many candidates there are beside those listed.'),
      explanation: string('All of it in a sentence.', { maxLength: 32_768 }),
    },
    {
      requested_type: string('The type that was asked for, where an override stands for it.'),
      gu_res_id: string('GUResID; absent without a Resource ID.'),
      matched: object(
        {
          def_id: string('Definition id.'),
          driver_type: string('Driver.'),
          criterion: wireSchema(criterionSchema),
          rank: integer('How specific the criterion is; the highest wins.'),
          explanation: string('What it won against.', { maxLength: 8192 }),
        },
        {},
        'The definition that the next deployment uses; absent when none fits.',
      ),
      active: object(
        { def_id: string('Definition id.'), deploy_id: string('Deployment that wrote it.') },
        {
          criterion: wireSchema(criterionSchema),
          explanation: string('Why that won then.', { maxLength: 8192 }),
        },
        'What the resource that is there was provisioned with.',
      ),
    },
    'Which definition provisions a resource, and why no other does.',
  ),
)

function toCriterion(criterion: Criterion) {
  return toWire(criterionSchema, normalizeCriterion(criterion))
}

function toExplanation(explained: MatchExplanation) {
  const { requestedType, descriptor, guResId, match, candidates, more } = explained
  return {
    ...(requestedType === undefined ? {} : { requested_type: requestedType }),
    type: descriptor.type,
    class: descriptor.class,
    res_id: descriptor.resourceId,
    ...(guResId === undefined ? {} : { gu_res_id: guResId }),
    descriptor: explained.text,
    ...(match ? { matched: toMatched(match) } : {}),
    candidates: candidates.map(({ definitionName, criterion, reason, rank }) => ({
      def_id: definitionName,
      ...(criterion ? { criterion: toCriterion(criterion) } : {}),
      reason,
      ...(rank === undefined ? {} : { rank }),
    })),
    more,
    explanation: explained.explanation,
  }
}

function toMatched({ definition, criterion, rank, explanation }: NonNullable<MatchExplanation['match']>) {
  return {
    def_id: definition.metadata.name,
    driver_type: definition.spec.driverType,
    criterion: toCriterion(criterion),
    rank,
    explanation,
  }
}

function toActive({ spec: { definition, deploymentName } }: ActiveResource) {
  const { definitionName, criterion, explanation } = definition
  return {
    def_id: definitionName,
    ...(criterion ? { criterion: toCriterion(criterion) } : {}),
    ...(explanation === undefined ? {} : { explanation }),
    deploy_id: deploymentName,
  }
}

/** Why a definition is chosen, before anything is deployed. */
export const explanations: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/explain',
    summary: 'Explain which definition provisions a resource, and why no other does',
    tag: 'Active resources',
    access: { application: 'viewer' },
    query: {
      type: string('Resource type, as `<type>` or `<type>.<class>`.', { maxLength: 191 }),
      class: string('Resource class. `default` when absent.', { maxLength: 63 }),
      id: string('Resource ID. Of an implicit type its name when absent, else none.', { maxLength: 253 }),
    },
    requiredQuery: ['type'],
    responses: { 200: explanationShape },
    handle({ params, query }, { cluster: { store }, planning }) {
      const environment = findEnvironment(store, params)
      const { type = '', class: resourceClass, id } = query
      if (type === '') throw new Problem('Invalid', "the query parameter 'type' is missing")
      const context = contextOf(environment)
      const explained = explainMatch(
        {
          type,
          ...(resourceClass === undefined ? {} : { class: resourceClass }),
          ...(id === undefined ? {} : { resourceId: id }),
        },
        { context, matcher: planning.matcherOf(params.org_id), types: planning.typesOf(params.org_id) },
      )
      const active =
        explained.guResId === undefined
          ? undefined
          : store.get(ActiveResource, params.org_id, explained.guResId)
      return ok({
        context: {
          org_id: context.organizationId,
          app_id: context.applicationId,
          env_id: context.environmentId,
          env_type: context.environmentType,
        },
        ...toExplanation(explained),
        ...(active ? { active: toActive(active) } : {}),
      })
    },
  }),
]
