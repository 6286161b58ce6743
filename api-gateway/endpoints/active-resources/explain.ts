import { ActiveResource } from '../../../operator/api/active-resource.ts'
import type { Environment } from '../../../operator/api/environment.ts'
import { type Criterion, criterionSchema } from '../../../operator/api/resource-definition.ts'
import { integer, list, object, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { normalizeCriterion } from '../../../operator/domain/definition/criterion.ts'
import { explainMatch, type MatchExplanation } from '../../../operator/domain/definition/explain.ts'
import { buildGraph } from '../../../operator/domain/graph/build-graph.ts'
import { type Descriptor, formatDescriptor } from '../../../operator/domain/resource/descriptor.ts'
import { contextOf } from '../../../operator/domain/resource/identity.ts'
import type { Planning } from '../../../operator/planning/planning.ts'
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
          org_id: string('Organization ID.'),
          app_id: string('Application ID.'),
          env_id: string('Environment ID.'),
          env_type: string('Environment type.'),
        },
        {},
        'Context that criteria are compared with.',
      ),
      type: string('Resource type that is resolved.'),
      class: string('Resource class.'),
      res_id: string('Resource ID. Empty if none was given; criteria with `res_id` do not match then.'),
      descriptor: string('Descriptor of the resource: `type.class#id`.'),
      candidates: list(
        object(
          { def_id: string('Definition ID.'), reason: string('Why it was not chosen.', { maxLength: 8192 }) },
          { criterion: wireSchema(criterionSchema), rank: integer('Specificity of the criterion.') },
          'A criterion that was not chosen, or a definition without criteria.',
        ),
        'Criteria and definitions of this type that were not chosen, closest match first.',
      ),
      more: integer('Number of candidates that are not listed.'),
      explanation: string('Explanation in one sentence.', { maxLength: 32_768 }),
    },
    {
      requested_type: string('Type in the request, if an override type replaces it.'),
      gu_res_id: string('GUResID. Absent without a resource ID.'),
      matched: object(
        {
          def_id: string('Definition ID.'),
          driver_type: string('Driver type.'),
          criterion: wireSchema(criterionSchema),
          rank: integer('Specificity of the criterion. The highest rank wins.'),
          explanation: string('What the definition was preferred over.', { maxLength: 8192 }),
        },
        {},
        'Definition that the next deployment uses. Absent if no definition matches.',
      ),
      active: object(
        {
          def_id: string('Definition ID.'),
          deploy_id: string('ID of the deployment that wrote the resource.'),
        },
        {
          criterion: wireSchema(criterionSchema),
          explanation: string('Why this definition was chosen.', { maxLength: 8192 }),
        },
        'Definition that the existing resource was provisioned with.',
      ),
    },
    'Definition that provisions a resource, and why the other definitions do not.',
  ),
)

function toCriterion(criterion: Criterion) {
  return toWire(criterionSchema, normalizeCriterion(criterion))
}

function toExplanation(explained: MatchExplanation) {
  const { requestedType, descriptor, guResId, match, candidates, more } = explained
  return {
    requested_type: requestedType,
    type: descriptor.type,
    class: descriptor.class,
    res_id: descriptor.resourceId,
    gu_res_id: guResId,
    descriptor: explained.text,
    matched: match && toMatched(match),
    candidates: candidates.map(({ definitionName, criterion, reason, rank }) => ({
      def_id: definitionName,
      criterion: criterion && toCriterion(criterion),
      reason,
      rank,
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
    criterion: criterion && toCriterion(criterion),
    explanation,
    deploy_id: deploymentName,
  }
}

/** Whether the next deployment of what is deployed has the resource. */
function isInGraph(descriptor: Descriptor, environment: Environment, planning: Planning): boolean {
  const set = planning.deployedSet(environment)
  const text = formatDescriptor(descriptor)
  return (
    set !== undefined &&
    buildGraph(planning.inputFor(environment, set)).nodes.some(
      (node) => formatDescriptor(node.descriptor) === text,
    )
  )
}

/** Explanation of matching. */
export const explanations: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/explain',
    summary: 'Explain which definition provisions a resource',
    tag: 'Active resources',
    access: { application: 'viewer' },
    query: {
      type: string(
        'Resource type: `<type>` or `<type>.<class>`. A simple type means its override, as in a workload, unless a definition refers to a resource of exactly this type and ID.',
        { maxLength: 191 },
      ),
      class: string('Resource class. `default` when absent.', { maxLength: 63 }),
      id: string('Resource ID. When absent, the type name for an implicit type, otherwise none.', {
        maxLength: 253,
      }),
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
          class: resourceClass,
          resourceId: id,
        },
        {
          context,
          matcher: planning.matcherOf(params.org_id),
          types: planning.typesOf(params.org_id),
          hasResource: (descriptor) => isInGraph(descriptor, environment, planning),
        },
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
        active: active && toActive(active),
      })
    },
  }),
]
