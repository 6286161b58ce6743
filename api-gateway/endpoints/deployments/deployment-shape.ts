import { deploymentStates, type Start } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment, pipelineStepSchema } from '../../../operator/api/environment-deployment.ts'
import { object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { isFinished, stateOfDeployment } from '../../../operator/domain/deployment/deployment.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { toWire, wireSchema } from '../../request/wire.ts'
import { named } from '../../response/shapes.ts'
import { createdAt, createdBy, organizationKey, withoutApplication } from '../common/find.ts'

/** Deployment in responses. */
export const deploymentShape = named(
  'Deployment',
  object(
    {
      id: string('Deployment ID.'),
      env_id: string('Environment ID.'),
      set_id: string('ID of the deployment set. Empty until it is known.'),
      from_id: string('ID of the deployment that this one is based on. Empty for the first deployment.'),
      comment: string('Comment.', { maxLength: 8192 }),
      status: oneOf(deploymentStates, 'Current state.'),
      status_changed_at: time('Time when `status` last changed.'),
      created_at: time('Time when it was created.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      export_status: string('Always empty.'),
      export_file: string('Always empty.'),
    },
    {
      delta_id: string('ID of the delta that was applied.'),
      dependency_graph_id: string(
        'ID of the resource graph of the deployment set. Absent until the set is known.',
      ),
      mode: oneOf(
        ['full', 'incremental'],
        'Whether unchanged resources were provisioned again (`full`) or not (`incremental`).',
      ),
      pipeline: wireSchema(pipelineStepSchema),
      status_message: string('Notice that no operator is running. Absent while an operator runs.', {
        maxLength: 8192,
      }),
      value_set_version_id: string('Version of the shared values in the request.', { maxLength: 253 }),
    },
    'A deployment to an environment.',
  ),
)

/** Converts a deployment for a response. */
export function toDeployment(deployment: EnvironmentDeployment) {
  const { metadata, spec, status } = deployment
  const setName = spec.setName ?? status?.setName ?? ''
  return {
    id: metadata.name,
    env_id: withoutApplication(spec.environmentName),
    set_id: withoutApplication(setName),
    dependency_graph_id: setName === '' ? undefined : withoutApplication(setName),
    from_id: spec.fromDeploymentName ?? status?.fromDeploymentName ?? '',
    ...requestedOptions(spec),
    comment: spec.comment ?? '',
    status: stateOfDeployment(deployment),
    status_changed_at: status?.finishTime ?? status?.startTime ?? createdAt(deployment),
    created_at: createdAt(deployment),
    created_by: createdBy(deployment),
    export_status: '',
    export_file: '',
  }
}

/** Optional fields of the request. */
function requestedOptions({ deltaName, mode, pipeline, valueSetVersionId }: EnvironmentDeployment['spec']) {
  return {
    delta_id: deltaName,
    mode,
    pipeline: pipeline && toWire(pipelineStepSchema, pipeline),
    value_set_version_id: valueSetVersionId,
  }
}

/** Converts a start deployment that may no longer exist, as the environment stores it. */
export function toPastDeployment(start: Start) {
  return {
    id: start.deploymentName,
    env_id: withoutApplication(start.environmentName),
    set_id: withoutApplication(start.setName),
    from_id: start.fromDeploymentName ?? '',
    delta_id: start.deltaName,
    comment: start.comment ?? '',
    status: start.state,
    status_changed_at: start.changeTime ?? start.creationTime,
    created_at: start.creationTime,
    created_by: start.creatorName ?? '',
    export_status: '',
    export_file: '',
  }
}

/** Lists all deployments to an environment, unordered. */
export function deploymentsTo(
  store: Store,
  organization: string,
  environmentName: string,
): EnvironmentDeployment[] {
  return [
    ...store.byIndex(EnvironmentDeployment, 'environment', organizationKey(organization, environmentName)),
  ]
}

/** Throws Conflict if one of the deployments is not finished. */
export function refuseUnfinished(deployments: readonly EnvironmentDeployment[]): void {
  const running = deployments.find((each) => !isFinished(each))
  if (!running) return
  const message = `deployment '${running.metadata.name}' of this environment has not finished`
  throw new Problem('Conflict', message)
}
