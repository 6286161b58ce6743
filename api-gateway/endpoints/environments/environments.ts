import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { annotations } from '../../../operator/api/names.ts'
import { list, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { byAge, rememberedStart } from '../../../operator/domain/deployment/deployment.ts'
import { isLastPlanned, isRepetition } from '../../../operator/domain/deployment/run-memory.ts'
import { environmentObjectName } from '../../../operator/domain/resource/identity.ts'
import { type Cluster, isGone } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import { accepted, created, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { knownId, shortId } from '../../request/parameters.ts'
import { acceptedShape, errorShape, named } from '../../response/shapes.ts'
import { statusMessageField, statusMessageOf } from '../active-resources/status-message.ts'
import {
  createdAt,
  createdBy,
  environmentIdOf,
  environmentsOf,
  find,
  findApplication,
  findEnvironment,
  lifecycleOf,
  newTriggeredMetadata,
  refuseTaken,
  resourcesOf,
  waitUntilDeleted,
  withFinalizer,
} from '../common/find.ts'
import {
  deploymentShape,
  deploymentsTo,
  toDeployment,
  toPastDeployment,
} from '../deployments/deployment-shape.ts'

/** Type of environments whose type is not given. */
export const defaultEnvironmentType = 'development'

/** Environment in responses. */
export const environmentShape = named(
  'Environment',
  object(
    {
      id: shortId('Environment ID.'),
      name: string('Display name.'),
      type: string('Environment type.'),
      created_at: time('Time when it was created.'),
      created_by: string(
        'ID of the user who created it through the REST API. Empty if it was created in another way.',
      ),
      status: oneOf(['active', 'deleting'], 'Whether it is being deleted.'),
      status_changed_at: time('Time when `status` last changed.'),
    },
    { ...statusMessageField, from_deploy: deploymentShape, last_deploy: deploymentShape },
    'An environment of an application.',
  ),
)

/** Request for a new environment. */
export interface NewEnvironment {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly from_deploy_id?: string
}

/** Converts an environment for a response. */
export function toEnvironment(store: Store, environment: Environment) {
  const { metadata, spec } = environment
  const { namespace = '' } = metadata
  const from = startDeploymentOf(store, environment)
  const last = lastDeploymentOf(environment, deploymentsTo(store, namespace, metadata.name))
  return {
    id: environmentIdOf(environment),
    name: spec.displayName ?? environmentIdOf(environment),
    type: spec.typeName,
    created_at: createdAt(environment),
    created_by: createdBy(environment),
    ...lifecycleOf(environment),
    ...statusMessageOf(environment, () => resourcesOf(store, environment)),
    ...(from ? { from_deploy: from } : {}),
    ...(last ? { last_deploy: toDeployment(last) } : {}),
  }
}

/** Returns the newest deployment. A repetition of an earlier deployment counts only if its set was planned last. */
function lastDeploymentOf(environment: Environment, deployments: readonly EnvironmentDeployment[]) {
  return deployments
    .filter((each) => !isRepetition(each) || isLastPlanned(environment, each))
    .sort(byAge)
    .at(-1)
}

/** Returns the deployment that an environment starts from, or what the environment stores of a deleted one. */
function startDeploymentOf(store: Store, environment: Environment) {
  const { namespace = '' } = environment.metadata
  const { fromDeploymentName: name } = environment.spec
  const present = name === undefined ? undefined : store.get(EnvironmentDeployment, namespace, name)
  const remembered = rememberedStart(environment, present)
  if (remembered && remembered.deploymentUid !== present?.metadata.uid) return toPastDeployment(remembered)
  return present && toDeployment(present)
}

/** Returns the object of a new environment. */
export function newEnvironment(
  organization: string,
  application: string,
  wanted: NewEnvironment,
  caller: Caller,
): Environment {
  const metadata = newTriggeredMetadata(organization, environmentObjectName(application, wanted.id), caller)
  return newObject(Environment, withFinalizer(metadata), {
    applicationName: application,
    typeName: wanted.type,
    displayName: wanted.name,
    ...(wanted.from_deploy_id === undefined ? {} : { fromDeploymentName: wanted.from_deploy_id }),
  })
}

/** Throws Invalid if the environment type does not exist. */
export function refuseUnknownType(store: Store, organization: string, type: string): void {
  if (find(store, EnvironmentType, organization, type)) return
  throw new Problem('Invalid', `environment type '${type}' does not exist`)
}

/** Records the user who first deletes an environment, for webhooks. */
export async function recordDeletion(
  cluster: Cluster,
  environment: Environment,
  caller: Caller,
): Promise<void> {
  const { uid, deletionTimestamp } = environment.metadata
  if (deletionTimestamp) return
  const note = { metadata: { uid, annotations: { [annotations.deletedBy]: caller.userName } } }
  await cluster.patch(Environment, environment, note).catch((error: unknown) => {
    if (!isGone(error)) throw error
  })
}

/** Whether an environment has resources, whose deprovisioning takes time. */
export function hasResources(store: Store, environment: Environment): boolean {
  return resourcesOf(store, environment).length > 0
}

/** Returns a deployment of the application that an environment can start from; throws Invalid. */
export function findStartDeployment(
  store: Store,
  organization: string,
  application: string,
  id: string,
): EnvironmentDeployment {
  const found = find(store, EnvironmentDeployment, organization, id)
  if (found?.spec.environmentName.startsWith(`${application}.`)) return found
  throw new Problem('Invalid', `deployment '${id}' of application '${application}' does not exist`)
}

function typeOfStart(
  store: Store,
  organization: string,
  { spec }: EnvironmentDeployment,
): string | undefined {
  return store.get(Environment, organization, spec.environmentName)?.spec.typeName
}

/** Environments. */
export const environments: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}/envs',
    summary: 'List the environments of an application',
    tag: 'Environments',
    access: { application: 'viewer' },
    responses: { 200: list(environmentShape, 'Environments.') },
    handle({ params }, { cluster: { store } }) {
      const found = environmentsOf(store, findApplication(store, params))
      return ok(found.map((each) => toEnvironment(store, each)))
    },
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps/{app_id}/envs',
    summary: 'Create an environment',
    tag: 'Environments',
    access: { application: 'developer' },
    body: object(
      { id: shortId('ID of the new environment.'), name: string('Display name.') },
      {
        type: shortId(
          'Environment type. When absent, the type of the environment of `from_deploy_id`, otherwise `development`.',
        ),
        from_deploy_id: knownId(
          'ID of the deployment of the application that the first deployment is based on.',
        ),
      },
      'An environment.',
    ),
    responses: { 201: environmentShape, 409: errorShape },
    async handle({ params, body, caller }, { cluster }) {
      const { store } = cluster
      const { org_id, app_id } = params
      const application = findApplication(store, params)
      if (application.metadata.deletionTimestamp)
        throw new Problem('Conflict', `application '${app_id}' is being deleted`)
      const { from_deploy_id: startId } = body
      const start = startId === undefined ? undefined : findStartDeployment(store, org_id, app_id, startId)
      const type = body.type ?? (start && typeOfStart(store, org_id, start)) ?? defaultEnvironmentType
      refuseUnknownType(store, org_id, type)
      authorize(
        caller,
        { application: 'developer', deployer: true },
        { applicationId: app_id, environmentType: type },
      )
      const object = newEnvironment(org_id, app_id, { ...body, type }, caller)
      const known = store.get(Environment, org_id, object.metadata.name)
      await refuseTaken(cluster, Environment, known, `environment '${body.id}'`)
      return created(toEnvironment(store, await cluster.create(Environment, object)))
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
    access: { application: 'developer' },
    responses: { 202: acceptedShape, 204: undefined },
    async handle({ params, caller }, { cluster }) {
      const { store } = cluster
      const environment = findEnvironment(store, params)
      const target = { applicationId: params.app_id, environmentType: environment.spec.typeName }
      authorize(caller, { application: 'developer', deployer: true }, target)
      await recordDeletion(cluster, environment, caller)
      await cluster.remove(Environment, environment)
      if (hasResources(store, environment)) return accepted
      const { name } = environment.metadata
      return (await waitUntilDeleted(() => store.get(Environment, params.org_id, name)))
        ? noContent
        : accepted
    },
  }),
]
