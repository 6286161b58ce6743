import { createHash } from 'node:crypto'
import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { annotations } from '../../operator/api/names.ts'
import { object, oneOf, type Static, string } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { environmentObjectName } from '../../operator/domain/identity.ts'
import { isAlreadyThere } from '../../operator/kube/client.ts'
import type { Store } from '../../operator/kube/cluster.ts'
import type { Caller } from '../authenticate.ts'
import { created, type Endpoint, endpoint, noContent, ok } from '../endpoint.ts'
import { shortId } from '../parameters.ts'
import { errorShape } from '../shapes.ts'
import { flag } from './definition-request.ts'
import { deploymentFields, type NewDeployment } from './deployment-request.ts'
import { deploymentsTo } from './deployment-shape.ts'
import { preparedDeployment, startDeployment } from './deployment-start.ts'
import { findStart } from './environments.ts'
import { type EnvironmentPath, findApplication } from './find.ts'
import { pipelineId, pipelineRunShape, toRun } from './pipeline-run-shape.ts'

const requestShape = object(
  {
    env_id: shortId('Environment to deploy to.'),
  },
  {
    ...deploymentFields,
    // A published SDK leaves it out, although it is given it.
    trigger: oneOf(['deployment_request'], 'What kind of run it is: `deployment_request`, also when absent.'),
    deployment_id: string('Deployment of the application whose set is deployed.', { maxLength: 253 }),
  },
  'A deployment, of exactly one of `delta_id`, `set_id` and `deployment_id`.',
)

/** The deployment that a run is to make. */
function deploymentOf(
  store: Store,
  { org_id, app_id }: Omit<EnvironmentPath, 'env_id'>,
  body: Static<typeof requestShape>,
): NewDeployment {
  const { delta_id, set_id, deployment_id, comment, mode, value_set_version_id } = body
  if ([delta_id, set_id, deployment_id].filter((each) => each !== undefined).length !== 1)
    throw new Problem('Invalid', "exactly one of 'delta_id', 'set_id' and 'deployment_id' is needed")
  const more = {
    ...(comment === undefined ? {} : { comment }),
    ...(mode === undefined ? {} : { mode }),
    ...(value_set_version_id === undefined ? {} : { value_set_version_id }),
  }
  if (delta_id !== undefined) return { delta_id, ...more }
  if (deployment_id === undefined) return { ...(set_id === undefined ? {} : { set_id }), ...more }
  const { spec, status } = findStart(store, org_id, app_id, deployment_id)
  const setName = spec.setName ?? status?.setName
  if (setName === undefined) throw new Problem('Invalid', `deployment '${deployment_id}' has no set yet`)
  return { set_id: setName.slice(setName.indexOf('.') + 1), ...more }
}

/** What a deployment keeps of the key of its request; keys of two users never meet. */
function markOf(caller: Caller, key: string): string {
  return createHash('sha256').update(`${caller.userName}\0${key}`).digest('hex')
}

/** The deployment that an earlier request with the same key made. */
function findByKey(
  deployments: readonly EnvironmentDeployment[],
  mark: string | undefined,
): EnvironmentDeployment | undefined {
  if (mark === undefined) return undefined
  return deployments.find(({ metadata }) => metadata.annotations?.[annotations.idempotencyKey] === mark)
}

/** Runs of the pipeline that deploys: each is a deployment. */
export const pipelineRuns: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/pipeline-runs',
    summary: 'Deploy to an environment; requests with the same header `Idempotency-Key` do so once',
    tag: 'Deployments',
    access: { application: 'developer' },
    headers: {
      'Idempotency-Key': string('Key of the request. Requests of a user with the same key deploy once.'),
    },
    query: { dry_run: flag('Whether the request is only checked. False when absent.') },
    body: requestShape,
    responses: { 201: pipelineRunShape, 204: undefined, 409: errorShape },
    async handle({ params, query, body, caller, header }, gateway) {
      const { cluster } = gateway
      const path = { ...params, env_id: body.env_id }
      findApplication(cluster.store, params)
      const key = header('idempotency-key')
      const mark = key === undefined ? undefined : markOf(caller, key)
      const environmentName = environmentObjectName(params.app_id, body.env_id)
      // Once it was deployed, the same request could be refused now.
      const known = findByKey(deploymentsTo(cluster.store, params.org_id, environmentName), mark)
      if (query.dry_run !== 'true' && known) return created(toRun(known))
      const request = deploymentOf(cluster.store, params, body)
      const prepared = preparedDeployment(path, request, caller, gateway)
      if (query.dry_run === 'true') return noContent
      const marks: Record<string, string> = mark === undefined ? {} : { [annotations.idempotencyKey]: mark }
      try {
        return created(toRun(await startDeployment(path, request, prepared, caller, gateway, marks)))
      } catch (error) {
        if (mark === undefined || !isAlreadyThere(error)) throw error
        // Of two requests with the same key that race, the second finds what the first made.
        const all = await cluster.readAll(EnvironmentDeployment, params.org_id)
        const same = findByKey(
          all.filter(({ spec }) => spec.environmentName === environmentName),
          mark,
        )
        if (same) return created(toRun(same))
        throw error
      }
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/pipelines/{pipeline_id}/runs/{run_id}',
    summary: 'Get a run of the pipeline `default`',
    tag: 'Deployments',
    access: { application: 'viewer' },
    responses: { 200: pipelineRunShape },
    handle({ params }, { cluster: { store } }) {
      findApplication(store, params)
      const found = store.get(EnvironmentDeployment, params.org_id, params.run_id)
      const isOfApplication = found?.spec.environmentName.startsWith(`${params.app_id}.`)
      if (found && isOfApplication && params.pipeline_id === pipelineId) return ok(toRun(found))
      const run = `run '${params.run_id}' of pipeline '${params.pipeline_id}'`
      throw new Problem('NotFound', `${run} not found`)
    },
  }),
]
