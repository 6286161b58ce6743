import { Environment } from '../../../operator/api/environment.ts'
import { object, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { authorize } from '../../authenticate.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { knownId } from '../../request/parameters.ts'
import { patchObject, patchSpec } from '../common/change.ts'
import { findEnvironment } from '../common/find.ts'
import { environmentShape, toEnvironment } from './environment-shape.ts'
import { findStartDeployment, refuseUnfitStart } from './environment-writing.ts'

/** Changes of environments. */
export const environmentChanges: readonly Endpoint[] = [
  endpoint({
    method: 'patch',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}',
    summary: 'Rename an environment',
    tag: 'Environments',
    access: { application: 'developer' },
    body: object(
      {},
      {
        name: string('Display name.'),
        type: knownId('Environment type. It cannot be changed.', 63),
      },
      'Fields to change. Omitted fields keep their value.',
    ),
    responses: { 200: environmentShape },
    async handle({ params, body: { name, type } }, { cluster }) {
      const environment = findEnvironment(cluster.store, params)
      const { typeName } = environment.spec
      if (type !== undefined && type !== typeName)
        throw new Problem(
          'Invalid',
          `'type' must be '${typeName}': the type of an environment cannot be changed`,
        )
      const show = (each: Environment) => toEnvironment(cluster.store, each)
      return ok(show(await patchSpec(cluster, Environment, environment, { displayName: name }, show)))
    },
  }),
  endpoint({
    method: 'put',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}/from_deploy_id',
    summary: 'Set the deployment that the next deployment to the environment is based on',
    tag: 'Environments',
    access: { application: 'developer', deployer: true },
    body: string('ID of a deployment of any environment of the application, as a JSON string.', {
      maxLength: 253,
    }),
    responses: { 204: undefined },
    async handle({ params, body, caller }, { cluster, now }) {
      const environment = findEnvironment(cluster.store, params)
      const target = { applicationId: params.app_id, environmentType: environment.spec.typeName }
      authorize(caller, { application: 'developer', deployer: true }, target)
      const start = findStartDeployment(cluster.store, params.org_id, params.app_id, body)
      await refuseUnfitStart(cluster, start)
      const fromDeploymentName = start.metadata.name
      const time = new Date(now()).toISOString()
      await patchObject(cluster, Environment, environment, {
        spec: { fromDeploymentName, fromRequest: { deploymentName: fromDeploymentName, time } },
      })
      return noContent
    },
  }),
]
