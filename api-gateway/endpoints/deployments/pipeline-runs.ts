import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { object, oneOf, type Static, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { created, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { Missing } from '../../request/missing.ts'
import { knownId, objectName } from '../../request/parameters.ts'
import { errorShape } from '../../response/shapes.ts'
import { type EnvironmentPath, findApplication, withoutApplication } from '../common/find.ts'
import { findStartDeployment } from '../environments/environment-writing.ts'
import { deploymentFields, type NewDeployment } from './deployment-request.ts'
import {
  authorizeDeployment,
  currentTarget,
  type DeploymentTarget,
  prepareDeployment,
  startDeployment,
} from './deployment-start.ts'
import { deployIdempotently } from './idempotency-key.ts'
import { pipelineId, pipelineRunShape, toRun } from './pipeline-run-shape.ts'

const requestShape = object(
  {
    env_id: objectName('ID of the environment to deploy to.'),
  },
  {
    ...deploymentFields,
    // A published SDK never sends it.
    trigger: oneOf(['deployment_request'], 'Trigger of the run. `deployment_request` when absent.'),
    deployment_id: knownId('ID of a deployment of the application whose set to deploy.'),
  },
  'A deployment of exactly one of `delta_id`, `set_id` and `deployment_id`.',
)

/** Returns the deployment of a run. */
function deploymentOf(
  store: Store,
  { org_id, app_id }: Omit<EnvironmentPath, 'env_id'>,
  body: Static<typeof requestShape>,
): NewDeployment {
  const { delta_id, set_id, deployment_id, comment, mode, value_set_version_id } = body
  if ([delta_id, set_id, deployment_id].filter((each) => each !== undefined).length !== 1)
    throw new Problem('Invalid', "exactly one of 'delta_id', 'set_id' and 'deployment_id' is required")
  const more = {
    comment,
    mode,
    value_set_version_id,
  }
  if (delta_id !== undefined) return { delta_id, ...more }
  if (deployment_id === undefined) return { set_id, ...more }
  const { spec, status } = findStartDeployment(store, org_id, app_id, deployment_id)
  const setName = spec.setName ?? status?.setName
  if (setName === undefined) throw new Problem('Invalid', `deployment '${deployment_id}' has no set yet`)
  return { set_id: withoutApplication(setName), ...more }
}

/** Runs of the deployment pipeline. */
export const pipelineRuns: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/pipeline-runs',
    summary: 'Deploy to an environment, idempotently with the header `Idempotency-Key`',
    tag: 'Deployments',
    access: { application: 'developer', deployer: true },
    headers: {
      'Idempotency-Key': string(
        'Idempotency key. Requests of a user for an application with the same key create one deployment, until that deployment is deleted. A request with the same key and another body is rejected (422). An empty key counts as absent.',
      ),
    },
    query: { dry_run: flag('Whether to validate the request without writing anything.') },
    body: requestShape,
    responses: { 201: pipelineRunShape, 204: undefined, 409: errorShape },
    async handle({ params, query, body, caller, header, inTurn }, gateway) {
      const { store } = gateway.cluster
      const path = { ...params, env_id: body.env_id }
      findApplication(store, params)
      const read = () => currentTarget(path, body, gateway.cluster)
      const prepare = async (target: DeploymentTarget) => {
        // Before it looks for what to deploy.
        authorizeDeployment(target, caller)
        const request = deploymentOf(store, params, body)
        return { request, prepared: await prepareDeployment(target, request, { caller, inTurn }, gateway) }
      }
      if (isOn(query.dry_run)) {
        await prepare(await read())
        return noContent
      }
      const deploy = async (
        target: DeploymentTarget,
        extraAnnotations?: Readonly<Record<string, string>>,
      ) => {
        const { request, prepared } = await prepare(target)
        return startDeployment(path, request, prepared, caller, gateway, extraAnnotations)
      }
      const key = header('idempotency-key') || undefined
      // Prepares after the key is found, because a repeated request could now be rejected.
      const deployment =
        key === undefined
          ? await deploy(await read())
          : await deployIdempotently(params, { key, body, caller }, gateway, { read, deploy })
      return created(toRun(deployment, gateway.settings.deploymentTimeoutSeconds))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/pipelines/{pipeline_id}/runs/{run_id}',
    summary: 'Get a run of the pipeline `default`',
    tag: 'Deployments',
    access: { application: 'viewer' },
    responses: { 200: pipelineRunShape },
    handle({ params }, { cluster: { store }, settings: { deploymentTimeoutSeconds } }) {
      findApplication(store, params)
      const found = store.get(EnvironmentDeployment, params.org_id, params.run_id)
      const isOfApplication = found?.spec.environmentName.startsWith(`${params.app_id}.`)
      if (found && isOfApplication && params.pipeline_id === pipelineId)
        return ok(toRun(found, deploymentTimeoutSeconds))
      const message = `run '${params.run_id}' of pipeline '${params.pipeline_id}' not found`
      throw new Missing(EnvironmentDeployment, params.org_id, params.run_id, message)
    },
  }),
]
