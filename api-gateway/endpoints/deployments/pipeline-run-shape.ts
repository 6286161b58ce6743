import type { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { freeForm, integer, list, map, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { type DeploymentState, stateOfDeployment } from '../../../operator/domain/deployment/deployment.ts'
import { named } from '../../response/shapes.ts'
import { toDeployment } from './deployment-shape.ts'

/** The one pipeline that there is: a deployment, and nothing else. */
export const pipelineId = 'default'

/** How long the operator gives a deployment, where no setting says otherwise. */
const timeoutSeconds = 1800

const statuses = ['queued', 'executing', 'succeeded', 'failed'] as const

/** A deployment as a run of the pipeline. */
export const pipelineRunShape = named(
  'PipelineRun',
  object(
    {
      id: string('Id of the run: that of its deployment.'),
      etag: string('Changes with the run.'),
      org_id: string('Organization id.'),
      app_id: string('Application id.'),
      env_ids: list(string('Environment id.'), 'The environment that is deployed to.'),
      pipeline_id: string('Always `default`.'),
      pipeline_version: string('Always `1`.'),
      status: oneOf(statuses, 'How far it is.'),
      status_message: string('Why it failed; else empty.', { maxLength: 32_768 }),
      created_at: time('When it was made.'),
      created_by: string('User id of who made it; empty when it was not made over REST.'),
      timeout_seconds: integer('How long it may take.'),
      trigger: string('Always `deployment_request`.'),
      inputs: freeForm('What is deployed where.'),
      run_as: string('The same as `created_by`.'),
      waiting_for: map(string('What it is.'), 'Always empty.'),
    },
    {
      deployment_id: string('The deployment.'),
      completed_at: time('When it ended.'),
    },
    'A run of the pipeline that deploys.',
  ),
)

const statusOf: Readonly<Record<DeploymentState, (typeof statuses)[number]>> = {
  pending: 'queued',
  'in progress': 'executing',
  succeeded: 'succeeded',
  failed: 'failed',
}

/** A deployment in the shape of a run. */
export function toRun(deployment: EnvironmentDeployment) {
  const { metadata, spec, status } = deployment
  const { id, env_id, set_id, delta_id, comment, created_at, created_by } = toDeployment(deployment)
  const stalled = status?.conditions?.find((each) => each.type === 'Stalled' && each.status === 'True')
  return {
    id,
    etag: metadata.resourceVersion ?? '',
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
      ...(spec.mode === undefined ? {} : { mode: spec.mode }),
    },
    run_as: created_by,
    waiting_for: {},
    deployment_id: id,
    ...(status?.finishTime === undefined ? {} : { completed_at: status.finishTime }),
  }
}
