import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { list, object, oneOf, string } from '../../../operator/api/schema.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { created, type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { flag, isOn } from '../../request/boolean-query.ts'
import { Missing } from '../../request/missing.ts'
import { errorShape, named } from '../../response/shapes.ts'
import { type EnvironmentPath, findEnvironment } from '../common/find.ts'
import { ageOf, listEndpoint } from '../common/list-endpoint.ts'
import { remedyField, remedyFor } from '../common/remedy.ts'
import { newDeploymentShape, withOneSource } from './deployment-request.ts'
import { deploymentShape, deploymentsTo, toDeployment } from './deployment-shape.ts'
import { currentTarget, prepareDeployment, startDeployment } from './deployment-start.ts'
import { planShape, toPlan } from './dry-run.ts'
import { pipelineId } from './pipeline-run-shape.ts'
import { setIdOf } from './set-shape.ts'

const deploymentErrorShape = named(
  'DeploymentError',
  object(
    {
      scope: oneOf(['environment', 'workload'], 'Scope of the problem.'),
      object_id: string(
        'Workload ID or resource descriptor. Empty if the problem concerns the whole environment.',
      ),
      code: string('Machine-readable reason: one CamelCase word.'),
      summary: string('First line of the message.', { maxLength: 8192 }),
      message: string('Human-readable message.', { maxLength: 32_768 }),
      error_type: string('Always empty.'),
    },
    { remedy: remedyField },
    'A problem that blocks a deployment.',
  ),
)

function findDeployment(
  store: Store,
  path: EnvironmentPath & { readonly deploy_id: string },
): EnvironmentDeployment {
  const environment = findEnvironment(store, path)
  const found = store.get(EnvironmentDeployment, path.org_id, path.deploy_id)
  if (found?.spec.environmentName === environment.metadata.name) return found
  throw new Missing(
    EnvironmentDeployment,
    path.org_id,
    path.deploy_id,
    `deployment '${path.deploy_id}' not found`,
  )
}

function toErrors({ status }: EnvironmentDeployment) {
  // A failed attempt may have ended before problems were computed.
  const failed = status?.conditions?.find(({ type, status: holds }) => type === 'Ready' && holds === 'False')
  const problems = status?.problems ?? []
  const all =
    problems.length > 0 || !failed
      ? problems
      : [{ object: '', reason: failed.reason, message: failed.message }]
  return all.map(({ object: about, reason, message }) => ({
    scope: about === '' || about.includes('#') ? 'environment' : 'workload',
    object_id: about,
    code: reason,
    summary: message.split('\n', 1)[0] ?? '',
    message,
    error_type: '',
    remedy: remedyFor(reason),
  }))
}

/** Pipeline runs of a deployment as `<pipeline>,<run>`: its own, and the one in the request. */
function runsOf({ metadata, spec: { pipeline } }: EnvironmentDeployment): string[] {
  return [`${pipelineId},${metadata.name}`, ...(pipeline ? [`${pipeline.id},${pipeline.runId}`] : [])]
}

const path = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys'
const tag = 'Deployments'

/** Deployments. */
export const deployments: readonly Endpoint[] = [
  listEndpoint({
    path,
    summary: 'List the deployments to an environment, newest first',
    tag,
    access: { application: 'viewer' },
    query: {
      pipelineRunId: string('Only the deployment of this pipeline run: `<pipeline>,<run>`.', {
        maxLength: 512,
      }),
    },
    response: list(deploymentShape, 'Deployments.'),
    find({ params, query: { pipelineRunId: run } }, { cluster: { store } }) {
      const { metadata } = findEnvironment(store, params)
      return deploymentsTo(store, params.org_id, metadata.name).filter(
        (each) => !run || runsOf(each).includes(run),
      )
    },
    positionOf: ageOf,
    isDescending: true,
    show: toDeployment,
  }),
  endpoint({
    method: 'post',
    path,
    summary: 'Deploy to an environment',
    tag,
    access: { application: 'developer', deployer: true },
    query: {
      dry_run: flag('Whether to write nothing and return the plan.'),
    },
    body: newDeploymentShape,
    responses: { 200: planShape, 201: deploymentShape, 409: errorShape },
    async handle({ params, query, body, caller, inTurn }, gateway) {
      const request = withOneSource(body)
      const isDryRun = isOn(query.dry_run)
      const isFull = request.mode === 'full'
      const target = await currentTarget(params, request, gateway.cluster)
      const prepared = await prepareDeployment(target, request, { caller, inTurn }, gateway, {
        allowUnfinished: isDryRun,
      })
      const { environment, base, content } = prepared
      if (isDryRun) {
        const plan = await inTurn(() => toPlan(gateway.planning.planFor(environment, content, { isFull })))
        return ok({ ...plan, base_set_id: setIdOf(base) })
      }
      return created(toDeployment(await startDeployment(params, request, prepared, caller, gateway)))
    },
  }),
  endpoint({
    method: 'get',
    path: `${path}/{deploy_id}`,
    summary: 'Get a deployment',
    tag,
    access: { application: 'viewer' },
    responses: { 200: deploymentShape },
    handle: ({ params }, { cluster: { store } }) => ok(toDeployment(findDeployment(store, params))),
  }),
  endpoint({
    method: 'get',
    path: `${path}/{deploy_id}/errors`,
    summary: 'List the problems of a deployment',
    tag,
    access: { application: 'viewer' },
    responses: { 200: list(deploymentErrorShape, 'Problems.') },
    handle: ({ params }, { cluster: { store } }) => ok(toErrors(findDeployment(store, params))),
  }),
]
