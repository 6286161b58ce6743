import { ResourceType } from '../../operator/api/resource-type.ts'
import { list, object, string } from '../../operator/api/schema.ts'
import { Problem } from '../../operator/domain/errors.ts'
import { findBuiltInType } from '../../operator/domain/types.ts'
import type { Cluster } from '../../operator/kube/cluster.ts'
import { type Endpoint, endpoint, noContent, ok } from '../endpoint.ts'
import { className } from '../parameters.ts'
import { errorShape } from '../shapes.ts'
import { changeObject } from './change.ts'
import { findAll } from './find.ts'
import { resourceClassShape, toResourceClasses } from './resource-type-shape.ts'
import { changeableType, findCustomType } from './resource-types.ts'

type ResourceClass = NonNullable<ResourceType['spec']['classes']>[number]

const tag = 'Resource types'
const description = string('What it is for.')
const classes = list(resourceClassShape, 'Classes.')

function findClass(type: ResourceType, id: string) {
  const found = toResourceClasses(type).find((each) => each.id === id)
  if (!found) throw notFound(id, type)
  return found
}

function notFound(id: string, { metadata }: ResourceType): Problem {
  return new Problem('NotFound', `class '${id}' of '${metadata.namespace}/${metadata.name}' not found`)
}

function changeClasses(
  cluster: Cluster,
  type: ResourceType,
  change: (known: readonly ResourceClass[], of: ResourceType) => ResourceClass[],
): Promise<ResourceType> {
  return changeObject(cluster, ResourceType, type, (current) => ({
    ...current,
    spec: { ...current.spec, classes: change(current.spec.classes ?? [], current) },
  }))
}

const classesPath = '/orgs/{org_id}/resources/types/{type_id}/classes'
const classPath = '/orgs/{org_id}/resources/types/{type_id}/classes/{class_id}'

/** Known classes of resource types. */
export const resourceClasses: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/resources/classes',
    summary: 'List the known classes of all resource types',
    tag,
    access: { organization: 'member' },
    responses: { 200: classes },
    handle: ({ params: { org_id } }, { cluster: { store } }) =>
      ok(findAll(store, ResourceType, org_id).flatMap(toResourceClasses)),
  }),
  endpoint({
    method: 'get',
    path: classesPath,
    summary: 'List the known classes of a resource type',
    tag,
    access: { organization: 'member' },
    responses: { 200: classes },
    handle({ params }, { cluster: { store } }) {
      if (findBuiltInType(params.type_id)) return ok([])
      return ok(toResourceClasses(findCustomType(store, params)))
    },
  }),
  endpoint({
    method: 'post',
    path: classesPath,
    summary: 'Add a class to a custom resource type',
    tag,
    access: { organization: 'administrator' },
    body: object({ id: className('Class id.'), description }, {}, 'A class.'),
    responses: { 200: resourceClassShape, 409: errorShape },
    async handle({ params, body }, { cluster }) {
      const type = changeableType(cluster.store, params)
      const changed = await changeClasses(cluster, type, (known) => {
        if (known.some(({ name }) => name === body.id))
          throw new Problem('Conflict', `class '${body.id}' of '${params.type_id}' already exists`)
        return [...known, { name: body.id, description: body.description }]
      })
      return ok(findClass(changed, body.id))
    },
  }),
  endpoint({
    method: 'get',
    path: classPath,
    summary: 'Get a class of a resource type',
    tag,
    access: { organization: 'member' },
    responses: { 200: resourceClassShape },
    handle({ params }, { cluster: { store } }) {
      const { class_id, type_id } = params
      if (findBuiltInType(type_id))
        throw new Problem('NotFound', `class '${class_id}' of '${type_id}' not found`)
      return ok(findClass(findCustomType(store, params), class_id))
    },
  }),
  endpoint({
    method: 'patch',
    path: classPath,
    summary: 'Change the description of a class',
    tag,
    access: { organization: 'administrator' },
    body: object({ description }, {}, 'What changes of it.'),
    responses: { 200: resourceClassShape },
    async handle({ params, body }, { cluster }) {
      const type = changeableType(cluster.store, params)
      const changed = await changeClasses(cluster, type, (known, current) => {
        findClass(current, params.class_id)
        return known.map((each) => (each.name === params.class_id ? { ...each, ...body } : each))
      })
      return ok(findClass(changed, params.class_id))
    },
  }),
  endpoint({
    method: 'delete',
    path: classPath,
    summary: 'Take a class out of the known ones',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      const type = changeableType(cluster.store, params)
      await changeClasses(cluster, type, (known, current) => {
        findClass(current, params.class_id)
        return known.filter(({ name }) => name !== params.class_id)
      })
      return noContent
    },
  }),
]
