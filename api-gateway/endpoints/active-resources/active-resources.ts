import { ActiveResource } from '../../../operator/api/active-resource.ts'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { ResourceDefinition } from '../../../operator/api/resource-definition.ts'
import { boolean, freeForm, list, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { criterionId } from '../../../operator/domain/definition/criterion.ts'
import { byAge } from '../../../operator/domain/deployment/deployment.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { conditionOf } from '../../../operator/kube/loop/outcome.ts'
import type { Endpoint } from '../../endpoint.ts'
import { isOn, truthValue } from '../../request/boolean-query.ts'
import { memoize } from '../../request/memoize.ts'
import { anyOf, named } from '../../response/shapes.ts'
import { createdAt, find, findEnvironment, organizationKey, resourcesOf } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { outputReferences } from '../common/secret-refs.ts'
import { versionId } from '../definitions/definition-shape.ts'
import { conditionMessage, conditionMessageSchema } from './status-message.ts'

const state = oneOf(['pending', 'active', 'deleting'], 'Current state.')

const message = conditionMessageSchema(
  'Why the resource waits, why provisioning or deletion failed, or that no workload uses the resource. Absent if none of these applies.',
)

/** Active resource in responses. */
export const activeResourceShape = named(
  'ActiveResource',
  object(
    {
      org_id: string('Organization ID.'),
      app_id: string('Application ID.'),
      env_id: string('Environment ID.'),
      env_type: string('Environment type.'),
      res_id: string('Resource ID.'),
      type: string('Resource type.'),
      class: string('Resource class.'),
      def_id: string('ID of the definition that provisions the resource.'),
      def_version_id: string('ID of the content of the definition at the time of the deployment.'),
      driver_type: string('Driver type.'),
      deploy_id: string('ID of the deployment that last used the resource, or since which none uses it.'),
      gu_res_id: string('GUResID.', { pattern: '^[0-9a-f]+$' }),
      depends_on: list(
        string('A GUResID.', { maxLength: 40 }),
        'GUResIDs of the resources that must be ready before this one.',
      ),
      resource: freeForm('Outputs that are not secret.'),
      secret_refs: freeForm(
        'References to the secret outputs, by name: `store` and `ref`, as in the inputs of a definition. Values are never returned.',
      ),
      is_failing: boolean('Whether the last attempt to provision or to delete it failed.'),
      updated_at: time('Time when the state, the inputs or the outputs last changed.'),
      scheduled_deletion: boolean('Whether it is being deleted.'),
      metadata: object(
        { res_id: string('Resource ID.'), type: string('Resource type.'), class: string('Resource class.') },
        {},
        'Description of the field.',
      ),
      status: anyOf(
        object({ gu_res_id: string('GUResID.'), state }, { message }, 'GUResID, state and message.'),
        {
          ...state,
          description: 'The state only, for requests with the header `Humanitec-User-Agent`.',
        },
      ),
    },
    {
      criteria_id: string('ID of the criterion that matched.'),
      driver_account: string('ID of the account that the driver uses.'),
      status_message: message,
      unused_since: time(
        'Time at which the last workload stopped using the resource. It is kept for a rollback. Absent while a workload uses it.',
      ),
    },
    'A resource of an environment.',
  ),
)

const headers = {
  'Humanitec-User-Agent': string(
    'Name of the client library. If present, `status` is a plain string as these libraries expect; otherwise it is an object.',
  ),
}

/** Whether `status` is the plain string that client libraries parse, or the object of the specification. */
function wantsPlainStatus(call: { header(name: 'humanitec-user-agent'): string | undefined }): boolean {
  return call.header('humanitec-user-agent') !== undefined
}

// Hashing dominates the cost of long lists.
const criterionIdOf = memoize(criterionId)

/** Converts an active resource for a response. */
export function toActiveResource(store: Store, resource: ActiveResource, plainStatus: boolean) {
  const { metadata, spec, status } = resource
  const { context, definition, resourceId, type, class: resourceClass } = spec
  const current = stateOf(resource)
  const statusMessage =
    conditionMessage(resource) ?? (current === 'active' ? undefined : 'Pending: waiting for the operator')
  return {
    org_id: context.organizationId,
    app_id: context.applicationId,
    env_id: context.environmentId,
    env_type: context.environmentType,
    res_id: resourceId,
    type,
    class: resourceClass,
    def_id: definition.definitionName,
    def_version_id: versionId(definition),
    // The wrapped driver, if the driver wraps one.
    driver_type: status?.provisioned?.driverType ?? definition.driverType,
    deploy_id: deploymentOf(store, resource),
    gu_res_id: metadata.name,
    depends_on: spec.dependsOn ?? [],
    resource: status?.outputs ?? {},
    secret_refs: outputReferences(status),
    is_failing: conditionOf(resource, 'Ready')?.status === 'False',
    updated_at: updatedAt(resource),
    scheduled_deletion: metadata.deletionTimestamp !== undefined,
    criteria_id: definition.criterion && criterionIdOf(definition.criterion),
    driver_account: definition.accountName,
    status_message: statusMessage,
    unused_since: spec.unusedSince,
    metadata: { res_id: resourceId, type, class: resourceClass },
    status: plainStatus
      ? current
      : {
          gu_res_id: metadata.name,
          state: current,
          message: statusMessage,
        },
  }
}

function stateOf(resource: ActiveResource) {
  if (resource.metadata.deletionTimestamp) return 'deleting'
  return conditionOf(resource, 'Ready')?.status === 'True' ? 'active' : 'pending'
}

/** The condition is ignored if it is older than the object, as a default of the API server is. */
function updatedAt(resource: ActiveResource): string {
  const { metadata, status } = resource
  const readySince = conditionOf(resource, 'Ready')?.lastTransitionTime
  const times = [metadata.deletionTimestamp, readySince, status?.provisionTime]
  // Compares parsed times, because only some texts have fractions of a second.
  return times
    .filter((each) => each !== undefined)
    .reduce((newest, each) => (Date.parse(each) > Date.parse(newest) ? each : newest), createdAt(resource))
}

/** A resource in use belongs to the newest deployment, even if that did not change it. */
function deploymentOf(store: Store, { metadata, spec }: ActiveResource): string {
  const { namespace } = metadata
  const last = store.get(Environment, namespace, spec.environmentName)?.status?.lastDeploymentName
  const isOwn = last === undefined || last === spec.deploymentName
  if (isOwn || spec.unusedSince !== undefined) return spec.deploymentName
  const [own, newest] = [spec.deploymentName, last].map((name) =>
    store.get(EnvironmentDeployment, namespace, name),
  )
  if (!newest) return spec.deploymentName
  return own && byAge(own, newest) > 0 ? spec.deploymentName : last
}

function descriptorOf({ metadata, spec }: ActiveResource): string[] {
  return [spec.environmentName, spec.resourceId, spec.type, spec.class, metadata.name]
}

/** Active resources. */
export const activeResources: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/resources',
    summary: 'List the active resources of an environment',
    tag: 'Active resources',
    access: { application: 'viewer' },
    query: {
      scheduled_deletion: truthValue(
        'Whether to list only resources that are being deleted (`true`) or only the others (`false`). All resources are listed when absent.',
      ),
    },
    headers,
    response: list(activeResourceShape, 'Active resources.'),
    find({ params, query: { scheduled_deletion: wanted } }, { cluster: { store } }) {
      return resourcesOf(store, findEnvironment(store, params)).filter(
        ({ metadata }) => wanted === undefined || isOn(wanted) === (metadata.deletionTimestamp !== undefined),
      )
    },
    positionOf: descriptorOf,
    show: (each, { cluster }, call) => toActiveResource(cluster.store, each, wantsPlainStatus(call)),
  }),
  listEndpoint({
    path: '/orgs/{org_id}/resources/defs/{def_id}/resources',
    summary: 'List the active resources of a definition',
    tag: 'Active resources',
    access: { organization: 'administrator' },
    headers,
    response: list(activeResourceShape, 'Active resources.'),
    find({ params: { org_id, def_id } }, { cluster: { store } }) {
      const resources = store.byIndex(ActiveResource, 'definition', organizationKey(org_id, def_id))
      if (resources.length === 0 && !find(store, ResourceDefinition, org_id, def_id)) {
        throw new Problem('NotFound', `definition '${def_id}' not found`)
      }
      return resources
    },
    positionOf: descriptorOf,
    show: (each, { cluster }, call) => toActiveResource(cluster.store, each, wantsPlainStatus(call)),
  }),
]
