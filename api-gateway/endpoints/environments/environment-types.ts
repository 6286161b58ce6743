import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentType } from '../../../operator/api/environment-type.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { list, object, string } from '../../../operator/api/schema.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { created, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { objectName, shortId } from '../../request/parameters.ts'
import { errorShape, named, nullable } from '../../response/shapes.ts'
import { patchSpec, removeObject } from '../common/change.ts'
import {
  environmentIdOf,
  findAll,
  findOrThrow,
  newMetadata,
  organizationKey,
  refuseTaken,
} from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'

const environmentTypeShape = named(
  'EnvironmentType',
  object(
    { id: objectName('Unique identifier.'), description: string('Description.') },
    {},
    'A type of environments.',
  ),
)

const usesShape = list(
  object(
    { app_id: shortId('Application ID.'), env_id: objectName('Environment ID.') },
    {},
    'An environment of the type.',
  ),
  'Environments of the type.',
)

function toEnvironmentType({ metadata, spec }: EnvironmentType) {
  return { id: metadata.name, description: spec.description ?? '' }
}

function findEnvironmentType(store: Store, organization: string, id: string): EnvironmentType {
  return findOrThrow(store, EnvironmentType, organization, id, 'environment type')
}

/** Environment types. */
export const environmentTypes: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/env-types',
    summary: 'List the environment types',
    tag: 'Environment types',
    access: { organization: 'member' },
    response: list(environmentTypeShape, 'Environment types.'),
    find: ({ params: { org_id } }, { cluster: { store } }) => findAll(store, EnvironmentType, org_id),
    positionOf: nameOf,
    show: toEnvironmentType,
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/env-types',
    summary: 'Create an environment type',
    tag: 'Environment types',
    access: { organization: 'administrator' },
    body: object(
      { id: shortId('ID of the new environment type.') },
      { description: string('Description.') },
      'An environment type.',
    ),
    responses: { 201: environmentTypeShape, 409: errorShape },
    async handle({ params: { org_id }, body, caller }, { cluster }) {
      const known = cluster.store.get(EnvironmentType, org_id, body.id)
      await refuseTaken(cluster, EnvironmentType, known, `environment type '${body.id}'`)
      const { description } = body
      const spec = description === undefined ? {} : { description }
      const object = newObject(EnvironmentType, newMetadata(org_id, body.id, caller), spec)
      return created(toEnvironmentType(await cluster.create(EnvironmentType, object)))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/env-types/{env_type_id}',
    summary: 'Get an environment type',
    tag: 'Environment types',
    access: { organization: 'member' },
    responses: { 200: environmentTypeShape },
    handle: ({ params: { org_id, env_type_id } }, { cluster: { store } }) =>
      ok(toEnvironmentType(findEnvironmentType(store, org_id, env_type_id))),
  }),
  endpoint({
    method: 'patch',
    path: '/orgs/{org_id}/env-types/{env_type_id}',
    summary: 'Change the description of an environment type',
    tag: 'Environment types',
    access: { organization: 'administrator' },
    body: object(
      {},
      { description: nullable(string('Description. `null` removes it.')) },
      'Fields to change. Omitted fields keep their value.',
    ),
    responses: { 200: environmentTypeShape },
    async handle({ params: { org_id, env_type_id }, body: { description } }, { cluster }) {
      const found = findEnvironmentType(cluster.store, org_id, env_type_id)
      const changed = await patchSpec(cluster, EnvironmentType, found, { description }, toEnvironmentType)
      return ok(toEnvironmentType(changed))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/env-types/{env_type_id}',
    summary: 'Delete an unused environment type',
    tag: 'Environment types',
    access: { organization: 'administrator' },
    responses: { 204: undefined, 409: usesShape },
    async handle({ params: { org_id, env_type_id } }, { cluster }) {
      const { store } = cluster
      const found = findEnvironmentType(store, org_id, env_type_id)
      const users = store
        .byIndex(Environment, 'type', organizationKey(org_id, env_type_id))
        .filter(({ metadata }) => !metadata.deletionTimestamp)
      if (users.length > 0) {
        const uses = users.map((each) => ({
          app_id: each.spec.applicationName,
          env_id: environmentIdOf(each),
        }))
        return { status: 409, body: uses }
      }
      await removeObject(cluster, EnvironmentType, found)
      return noContent
    },
  }),
]
