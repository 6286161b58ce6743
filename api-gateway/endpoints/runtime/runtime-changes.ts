import { Environment } from '../../../operator/api/environment.ts'
import { boolean, integer, list, map, object, string } from '../../../operator/api/schema.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import { type Endpoint, endpoint, type Gateway, noContent } from '../../endpoint.ts'
import { nullable } from '../../response/shapes.ts'
import { patchObject } from '../common/change.ts'
import { type EnvironmentPath, findEnvironment } from '../common/find.ts'
import { hasReplicas, refuseUnfit, workloadsOf } from './runtime-workloads.ts'

const mostReplicas = 2_147_483_647
const mostWorkloads = 1000

/** Changes of the pods of environments. */
export const runtimeChanges: readonly Endpoint[] = [
  endpoint({
    method: 'put',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime/paused',
    summary: 'Stop all pods of an environment, or start them again',
    tag: 'Runtime',
    access: { application: 'developer', deployer: true },
    body: boolean('Whether the pods are stopped, as a JSON boolean.'),
    responses: { 204: undefined },
    async handle({ params, body, caller }, gateway) {
      const environment = findForDeployer(params, caller, gateway)
      await write(environment, { paused: body || null }, gateway)
      return noContent
    },
  }),
  endpoint({
    method: 'patch',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime/replicas',
    summary: 'Set the number of pods of workloads; it holds for later deployments too',
    tag: 'Runtime',
    access: { application: 'developer', deployer: true },
    body: map(
      nullable(integer('Number of pods. Null: that of the module.', { minimum: 0, maximum: mostReplicas })),
      'Number of pods by workload. Omitted workloads keep theirs.',
      { maxProperties: mostWorkloads },
    ),
    responses: { 204: undefined },
    async handle({ params, body, caller }, gateway) {
      const environment = findForDeployer(params, caller, gateway)
      const { replicas: given = {} } = environment.spec
      // An entry can be removed after its workload was.
      const set = Object.keys(body).filter((id) => body[id] !== null || !Object.hasOwn(given, id))
      refuseUnfit(workloadsOf(gateway.cluster.store, environment), set, 'have no replicas')
      await write(environment, { replicas: body }, gateway)
      return noContent
    },
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/runtime/actions/restart',
    summary: 'Replace the pods of workloads',
    tag: 'Runtime',
    access: { application: 'developer', deployer: true },
    body: object(
      {},
      {
        workloads: list(
          string('Workload ID.', { maxLength: 63 }),
          'Workloads. All that do not run Jobs when absent.',
          { maxItems: mostWorkloads },
        ),
      },
      'A restart.',
    ),
    responses: { 204: undefined },
    async handle({ params, body, caller }, gateway) {
      const environment = findForDeployer(params, caller, gateway)
      const workloads = workloadsOf(gateway.cluster.store, environment)
      const ids = body.workloads ?? workloads.filter(hasReplicas).map(({ id }) => id)
      refuseUnfit(workloads, ids, 'cannot be restarted')
      const time = new Date(gateway.now()).toISOString()
      const restartTimes = Object.fromEntries(ids.map((id) => [id, time]))
      if (ids.length > 0) await write(environment, { restartTimes }, gateway)
      return noContent
    },
  }),
]

function findForDeployer(params: EnvironmentPath, caller: Caller, { cluster }: Gateway): Environment {
  const environment = findEnvironment(cluster.store, params)
  const target = { applicationId: params.app_id, environmentType: environment.spec.typeName }
  authorize(caller, { application: 'developer', deployer: true }, target)
  return environment
}

/** Writes fields of the spec; null removes one, also in a map. */
async function write(environment: Environment, spec: object, { cluster }: Gateway): Promise<void> {
  await patchObject(cluster, Environment, environment, { spec })
}
