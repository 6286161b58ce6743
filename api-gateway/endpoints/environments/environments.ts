import { Environment } from '../../../operator/api/environment.ts'
import { list, object, string } from '../../../operator/api/schema.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import { accepted, created, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { knownId, objectName, shortId } from '../../request/parameters.ts'
import { acceptedShape, errorShape } from '../../response/shapes.ts'
import {
  environmentsOf,
  findApplication,
  findEnvironment,
  refuseTaken,
  replacementTimeoutMs,
  waitUntilDeleted,
} from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'
import { createIn, targetApplication } from '../common/target.ts'
import { environmentShape, toEnvironment } from './environment-shape.ts'
import {
  defaultEnvironmentType,
  findStartDeployment,
  hasResources,
  newEnvironment,
  refuseUnfitStart,
  refuseUnknownType,
  removeRecorded,
  typeOfStart,
} from './environment-writing.ts'

/** Environments. */
export const environments: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/apps/{app_id}/envs',
    summary: 'List the environments of an application',
    tag: 'Environments',
    access: { application: 'viewer' },
    response: list(environmentShape, 'Environments.'),
    find: ({ params }, { cluster: { store } }) => environmentsOf(store, findApplication(store, params)),
    positionOf: nameOf,
    show: (each, { cluster }) => toEnvironment(cluster.store, each),
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/envs',
    summary: 'Create an environment',
    tag: 'Environments',
    access: { application: 'developer', deployer: true },
    body: object(
      { id: shortId('ID of the new environment.'), name: string('Display name.') },
      {
        type: objectName(
          'Environment type. When absent, the type of the environment of `from_deploy_id`, otherwise `development`.',
        ),
        from_deploy_id: knownId(
          'ID of the deployment of the application that the first deployment is based on.',
        ),
      },
      'An environment.',
    ),
    responses: { 201: environmentShape, 409: errorShape },
    async handle({ params, body, caller, currentCaller }, { cluster, log }) {
      const { store } = cluster
      const { org_id, app_id } = params
      const target = targetApplication(store, params)
      const { from_deploy_id: startId } = body
      const start = startId === undefined ? undefined : findStartDeployment(store, org_id, app_id, startId)
      const type = body.type ?? (start && typeOfStart(store, org_id, start)) ?? defaultEnvironmentType
      refuseUnknownType(store, org_id, type)
      const mayCreate = (each: Caller) =>
        authorize(
          each,
          { application: 'developer', deployer: true },
          { applicationId: app_id, environmentType: type },
        )
      mayCreate(caller)
      if (start) await refuseUnfitStart(cluster, start)
      const object = newEnvironment(org_id, app_id, { ...body, type }, caller)
      const known = store.get(Environment, org_id, object.metadata.name)
      await refuseTaken(cluster, Environment, known, `environment '${body.id}'`, replacementTimeoutMs)
      mayCreate(await currentCaller())
      return created(toEnvironment(store, await createIn({ cluster, log }, target, Environment, object)))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}',
    summary: 'Get an environment',
    tag: 'Environments',
    access: { application: 'viewer' },
    responses: { 200: environmentShape },
    handle: ({ params }, { cluster: { store } }) => ok(toEnvironment(store, findEnvironment(store, params))),
  }),
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/apps/{app_id}/envs/{env_id}',
    summary: 'Delete an environment and deprovision its resources',
    tag: 'Environments',
    access: { application: 'developer', deployer: true },
    responses: { 202: acceptedShape, 204: undefined },
    async handle({ params, caller }, { cluster }) {
      const { store } = cluster
      const environment = findEnvironment(store, params)
      const target = { applicationId: params.app_id, environmentType: environment.spec.typeName }
      authorize(caller, { application: 'developer', deployer: true }, target)
      await removeRecorded(cluster, [environment], caller, Environment, environment)
      if (hasResources(store, environment)) return accepted
      const { name } = environment.metadata
      return (await waitUntilDeleted(() => store.get(Environment, params.org_id, name)))
        ? noContent
        : accepted
    },
  }),
]
