import type { ActiveResource } from '../../../operator/api/active-resource.ts'
import { freeForm, integer, list, object, string, time } from '../../../operator/api/schema.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { named } from '../../response/shapes.ts'
import { findEnvironment } from '../common/find.ts'
import { remedyField, remedyFor } from '../common/remedy.ts'
import { findResource } from './active-resource-deletion.ts'
import { activeResourceShape, toActiveResource } from './active-resources.ts'

const conditionShape = object(
  {
    type: string('Type of the condition.'),
    status: string('`True`, `False` or `Unknown`.'),
    reason: string('Reason: one CamelCase word.'),
    message: string('Message.', { maxLength: 32_768 }),
    last_transition_time: time('Time when `status` last changed.'),
  },
  { remedy: remedyField },
  'A condition.',
)

const objectShape = object(
  { api_version: string('API version.'), kind: string('Kind.'), name: string('Name.') },
  { namespace: string('Namespace. Absent for an object of the whole cluster.') },
  'An object in the cluster that the resource applied.',
)

const detailsShape = named(
  'ActiveResourceDetails',
  object(
    {
      resource: activeResourceShape,
      inputs: freeForm('Inputs of the resource. For a workload, its module without `externals`.'),
      driver_inputs: freeForm('Driver inputs that are not secret, with unresolved placeholders.'),
      conditions: list(conditionShape, 'Conditions.'),
      objects: list(objectShape, 'Objects in the cluster.'),
      attempts: integer('Number of consecutive failed attempts to provision or deprovision.'),
    },
    {
      explanation: string('Why the definition was chosen over the others, at the last deployment.', {
        maxLength: 8192,
      }),
      next_attempt_at: time('Time of the next attempt.'),
    },
    'A resource of an environment with everything that is known about it, except for secrets.',
  ),
)

function toDetails({ spec, status }: ActiveResource) {
  return {
    inputs: spec.params ?? {},
    driver_inputs: spec.definition.driverInputs?.values ?? {},
    conditions: (status?.conditions ?? []).map(({ lastTransitionTime, type, reason, message, ...each }) => ({
      type,
      status: each.status,
      reason,
      message,
      last_transition_time: lastTransitionTime,
      remedy: each.status === 'True' && type === 'Ready' ? undefined : remedyFor(reason),
    })),
    objects: (status?.objects ?? []).map(({ apiVersion, kind, namespace, name }) => ({
      api_version: apiVersion,
      kind,
      namespace,
      name,
    })),
    attempts: status?.attempts ?? 0,
    next_attempt_at: status?.nextAttemptTime,
    // The status may still be that of an earlier definition.
    explanation: spec.definition.explanation ?? status?.explanation,
  }
}

/** Details of active resources. */
export const activeResourceDetails: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources/{res_type}/{res_id}',
    summary: 'Get an active resource with its inputs, conditions and objects',
    tag: 'Active resources',
    access: { application: 'viewer' },
    responses: { 200: detailsShape },
    handle({ params }, { cluster: { store } }) {
      const resource = findResource(store, findEnvironment(store, params), params)
      return ok({ resource: toActiveResource(store, resource, false), ...toDetails(resource) })
    },
  }),
]
