import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { freeForm, integer, list, map, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { type DeploymentState, stateOfDeployment } from '../../../operator/domain/deployment/deployment.ts'
import { named } from '../../response/shapes.ts'
import { toDeployment } from './deployment-shape.ts'

/** The only pipeline: it creates one deployment. */
export const pipelineId = 'default'

const statuses = ['queued', 'executing', 'succeeded', 'failed'] as const

/** Deployment in responses, in the form of a pipeline run. */
export const pipelineRunShape = named(
  'PipelineRun',
  object(
    {
      id: string('ID of the run, which is the ID of its deployment.'),
      etag: string('Version of the run.'),
      org_id: string('Organization ID.'),
      app_id: string('Application ID.'),
      env_ids: list(string('Environment ID.'), 'ID of the environment of the deployment.'),
      pipeline_id: string('Always `default`.'),
      pipeline_version: string('Always `1`.'),
      status: oneOf(statuses, 'Current state.'),
      status_message: string('Why the run failed. Empty if it did not fail.', { maxLength: 32_768 }),
      created_at: time('Time when it was created.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      timeout_seconds: integer('Time limit in seconds.'),
      trigger: string('Always `deployment_request`.'),
      inputs: freeForm('Inputs of the run.'),
      run_as: string('Same as `created_by`.'),
      waiting_for: map(string('Description of the field.'), 'Always empty.'),
    },
    {
      deployment_id: string('Deployment ID.'),
      completed_at: time('Time when the run ended.'),
    },
    'A run of the deployment pipeline.',
  ),
)

const statusOf: Readonly<Record<DeploymentState, (typeof statuses)[number]>> = {
  pending: 'queued',
  'in progress': 'executing',
  succeeded: 'succeeded',
  failed: 'failed',
}

/** Converts a deployment to a pipeline run, with the time limit of deployments. */
export function toRun(deployment: EnvironmentDeployment, timeoutSeconds: number) {
  const { metadata, spec, status } = deployment
  const { id, env_id, set_id, delta_id, comment, created_at, created_by } = toDeployment(deployment)
  const stalled = status?.conditions?.find((each) => each.type === 'Stalled' && each.status === 'True')
  return {
    id,
    etag: metadata.resourceVersion,
    org_id: metadata.namespace,
    app_id: spec.environmentName.slice(0, spec.environmentName.indexOf('.')),
    env_ids: [env_id],
    pipeline_id: pipelineId,
    pipeline_version: '1',
    status: statusOf[stateOfDeployment(deployment)],
    status_message: stalled?.message ?? '',
    created_at,
    created_by,
    timeout_seconds: timeoutSeconds,
    trigger: 'deployment_request',
    inputs: {
      env_id,
      comment,
      ...(delta_id === undefined ? { set_id } : { delta_id }),
      mode: spec.mode,
    },
    run_as: created_by,
    waiting_for: {},
    deployment_id: id,
    completed_at: status?.finishTime,
  }
}
