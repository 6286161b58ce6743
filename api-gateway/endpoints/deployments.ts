import { EnvironmentDeployment } from '../../operator/api/environment-deployment.ts'
import { newObject } from '../../operator/api/kind.ts'
import { list, object, oneOf, string } from '../../operator/api/schema.ts'
import { byAge, isFinished, nextDeploymentNumber } from '../../operator/domain/deployment.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { deploymentObjectName } from '../../operator/domain/identity.ts'
import { plan } from '../../operator/domain/plan.ts'
import type { Store } from '../../operator/kube/cluster.ts'
import { demand } from '../authenticate.ts'
import { created, type Endpoint, endpoint, ok } from '../endpoint.ts'
import { errorShape, named } from '../shapes.ts'
import { baseOf, newDeploymentShape, wantedSet } from './deployment-request.ts'
import { deploymentShape, deploymentsTo, toDeployment } from './deployment-shape.ts'
import { planShape, toPlan } from './dry-run.ts'
import { type EnvironmentPath, findEnvironment, newToldMetadata } from './find.ts'
import { keepSet } from './set-shape.ts'

const deploymentErrorShape = named(
  'DeploymentError',
  object(
    {
      scope: oneOf(['environment', 'workload'], 'What it is about.'),
      object_id: string('The workload, or the descriptor of the resource; empty for the environment.'),
      code: string('Why, as one CamelCase word.'),
      summary: string('Why, in short.', { maxLength: 8192 }),
      message: string('Why, for people.', { maxLength: 32_768 }),
      error_type: string('Always empty.'),
    },
    {},
    'One thing that keeps a deployment from going on.',
  ),
)

function findDeployment(
  store: Store,
  path: EnvironmentPath & { readonly deploy_id: string },
): EnvironmentDeployment {
  const environment = findEnvironment(store, path)
  const found = store.get(EnvironmentDeployment, path.org_id, path.deploy_id)
  if (found?.spec.environmentName === environment.metadata.name) return found
  throw new Problem('NotFound', `deployment '${path.deploy_id}' not found`)
}

function refuseSecond(deployments: readonly EnvironmentDeployment[]): void {
  const running = deployments.find((each) => !isFinished(each))
  if (running)
    throw new Problem(
      'Conflict',
      `deployment '${running.metadata.name}' of this environment has not finished`,
    )
}

function toErrors({ status }: EnvironmentDeployment) {
  const stalled = status?.conditions?.find(
    ({ type, status: holds }) => type === 'Stalled' && holds === 'True',
  )
  const problems = status?.problems ?? []
  const all =
    problems.length > 0 || !stalled
      ? problems
      : [{ object: '', reason: stalled.reason, message: stalled.message }]
  return all.map(({ object: about, reason, message }) => ({
    scope: about === '' || about.includes('#') ? 'environment' : 'workload',
    object_id: about,
    code: reason,
    summary: message.split('\n', 1)[0] ?? '',
    message,
    error_type: '',
  }))
}

const path = '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/deploys'
const tag = 'Deployments'

/** Deployments. */
export const deployments: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'List the deployments to an environment, the newest first',
    tag,
    access: { application: 'viewer' },
    responses: { 200: list(deploymentShape, 'Deployments.') },
    handle({ params }, { cluster: { store } }) {
      const { metadata } = findEnvironment(store, params)
      const newestFirst = deploymentsTo(store, params.org_id, metadata.name).sort(byAge).reverse()
      return ok(newestFirst.map(toDeployment))
    },
  }),
  endpoint({
    method: 'post',
    path,
    summary: 'Deploy to an environment',
    tag,
    access: { application: 'developer' },
    query: {
      dry_run: oneOf(
        ['true', 'false'],
        'Whether nothing is written, and the plan is answered. False when absent.',
      ),
    },
    body: newDeploymentShape,
    responses: { 200: planShape, 201: deploymentShape, 409: errorShape },
    async handle({ params, query, body, caller }, { cluster, planning }) {
      const { store } = cluster
      const environment = findEnvironment(store, params)
      const { name } = environment.metadata
      const target = { applicationId: params.app_id, environmentType: environment.spec.typeName }
      demand(caller, { application: 'developer', deployer: true }, target)
      if (environment.metadata.deletionTimestamp)
        throw new Problem('Conflict', 'the environment is being deleted')
      const earlier = deploymentsTo(store, params.org_id, name)
      if (query.dry_run !== 'true') refuseSecond(earlier)
      const base = baseOf(store, environment, earlier)
      const content = wantedSet(store, params, body, base.content)
      if (query.dry_run === 'true') return ok(toPlan(plan(planning.inputFor(environment, content))))
      const setName = await keepSet(cluster, params.org_id, params.app_id, content, caller)
      // Two requests that race take the same number, and the second one collides.
      const id = deploymentObjectName(name, nextDeploymentNumber(name, earlier))
      const deployment = newObject(EnvironmentDeployment, newToldMetadata(params.org_id, id, caller), {
        environmentName: name,
        setName,
        ...(body.delta_id === undefined ? {} : { deltaName: body.delta_id }),
        ...(base.name === undefined ? {} : { fromDeploymentName: base.name }),
        ...(body.comment === undefined ? {} : { comment: body.comment }),
      })
      return created(toDeployment(await cluster.create(EnvironmentDeployment, deployment)))
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
    summary: 'List what keeps a deployment from going on',
    tag,
    access: { application: 'viewer' },
    responses: { 200: list(deploymentErrorShape, 'Problems.') },
    handle: ({ params }, { cluster: { store } }) => ok(toErrors(findDeployment(store, params))),
  }),
]
