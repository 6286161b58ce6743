import { newObject } from '../../../operator/api/kind.ts'
import { ResourceType } from '../../../operator/api/resource-type.ts'
import { idPattern, list } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { builtInTypes } from '../../../operator/domain/resource/built-in-types.ts'
import { customType, findBuiltInType } from '../../../operator/domain/resource/types.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { Missing } from '../../request/missing.ts'
import { errorShape } from '../../response/shapes.ts'
import { changeObject, removeObject, unlessShownAlike } from '../common/change.ts'
import { find, findAll, newMetadata, refuseTaken } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { definitionsThatUse, refuseUsed } from '../common/refuse-used.ts'
import {
  changedResourceTypeShape,
  newResourceTypeShape,
  replacedResourceTypeShape,
  resourceTypeShape,
  specPartOf,
  toResourceType,
} from './resource-type-shape.ts'

const tag = 'Resource types'
const maxNameLength = 63
const namePattern = new RegExp(idPattern)

/** Returns the name of a new type without the organization; throws Invalid. */
function newName(organization: string, type: string): string {
  const prefix = `${organization}/`
  if (!type.startsWith(prefix)) throw new Problem('Invalid', `type '${type}' must begin with '${prefix}'`)
  const name = type.slice(prefix.length)
  if (name.length >= 2 && name.length <= maxNameLength && namePattern.test(name)) return name
  throw new Problem(
    'Invalid',
    `'${name}' of type '${type}' must have 2 to ${maxNameLength} characters: lowercase letters and digits, in words joined by single hyphens`,
  )
}

/** Path of a resource type. */
export interface TypePath {
  readonly org_id: string
  readonly type_id: string
}

/** Returns the custom type in the path; throws NotFound. */
export function findCustomType(store: Store, { org_id, type_id }: TypePath): ResourceType {
  const prefix = `${org_id}/`
  const message = `resource type '${type_id}' not found`
  if (!type_id.startsWith(prefix)) throw new Problem('NotFound', message)
  const name = type_id.slice(prefix.length)
  const found = find(store, ResourceType, org_id, name)
  if (found) return found
  throw new Missing(ResourceType, org_id, name, message)
}

/** Returns the custom type in the path; throws Forbidden for a built-in type. */
function changeableType(store: Store, path: TypePath): ResourceType {
  const { org_id, type_id } = path
  if (!findBuiltInType(type_id)) return findCustomType(store, path)
  const hint = `create the type '${org_id}/${type_id}' to override it`
  throw new Problem('Forbidden', `resource type '${type_id}' is built in and cannot be changed; ${hint}`)
}

function shown(type: ResourceType) {
  return toResourceType(customType(type))
}

const typesPath = '/orgs/{org_id}/resources/types'
const typePath = '/orgs/{org_id}/resources/types/{type_id}'

/** Resource types. */
export const resourceTypes: readonly Endpoint[] = [
  listEndpoint({
    path: typesPath,
    summary: 'List the resource types, built-in types first',
    tag,
    access: { organization: 'member' },
    response: list(resourceTypeShape, 'Resource types.'),
    find: ({ params: { org_id } }, { cluster: { store } }) => [
      ...builtInTypes,
      ...findAll(store, ResourceType, org_id).map(customType),
    ],
    positionOf: ({ type }) => [findBuiltInType(type) ? 'built-in' : 'custom', type],
    show: toResourceType,
  }),
  endpoint({
    method: 'post',
    path: typesPath,
    summary: 'Create a custom resource type',
    tag,
    access: { organization: 'administrator' },
    body: newResourceTypeShape,
    takesTurn: true,
    responses: { 200: resourceTypeShape, 409: errorShape },
    async handle({ params: { org_id }, body, caller }, { cluster }) {
      const name = newName(org_id, body.type)
      const spec = { ...specPartOf(body), use: body.use }
      await refuseTaken(
        cluster,
        ResourceType,
        cluster.store.get(ResourceType, org_id, name),
        `resource type '${body.type}'`,
      )
      const type = newObject(ResourceType, newMetadata(org_id, name, caller), spec)
      return ok(shown(await cluster.create(ResourceType, type)))
    },
  }),
  endpoint({
    method: 'get',
    path: typePath,
    summary: 'Get a resource type',
    tag,
    access: { organization: 'member' },
    responses: { 200: resourceTypeShape },
    handle({ params }, { cluster: { store } }) {
      const type = findBuiltInType(params.type_id) ?? customType(findCustomType(store, params))
      return ok(toResourceType(type))
    },
  }),
  endpoint({
    method: 'patch',
    path: typePath,
    summary: 'Update a custom resource type, with effect on all later deployments',
    tag,
    access: { organization: 'administrator' },
    body: changedResourceTypeShape,
    takesTurn: true,
    responses: { 200: resourceTypeShape },
    async handle({ params, body }, { cluster }) {
      const type = changeableType(cluster.store, params)
      const changes = specPartOf(body)
      const changed = await changeObject(cluster, ResourceType, type, (current) => {
        const wanted = { ...current, spec: { ...current.spec, ...changes } }
        return unlessShownAlike(current, wanted, shown)
      })
      return ok(shown(changed))
    },
  }),
  endpoint({
    method: 'put',
    path: typePath,
    summary: 'Replace a custom resource type; its classes are kept',
    tag,
    access: { organization: 'administrator' },
    body: replacedResourceTypeShape,
    takesTurn: true,
    responses: { 200: resourceTypeShape },
    async handle({ params, body }, { cluster }) {
      const type = changeableType(cluster.store, params)
      const wanted = { ...specPartOf(body), use: body.use }
      const changed = await changeObject(cluster, ResourceType, type, (current) => {
        const { classes } = current.spec
        return unlessShownAlike(current, { ...current, spec: { ...wanted, classes } }, shown)
      })
      return ok(shown(changed))
    },
  }),
  endpoint({
    method: 'delete',
    path: typePath,
    summary: 'Delete an unused custom resource type',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      const type = changeableType(cluster.store, params)
      const { org_id, type_id } = params
      refuseUsed('Invalid', `type '${type_id}'`, {
        resource_definitions: definitionsThatUse(cluster.store, 'namedType', org_id, type_id),
      })
      await removeObject(cluster, ResourceType, type)
      return noContent
    },
  }),
]
