import { list, object, string } from '../../../operator/api/schema.ts'
import { type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { className } from '../../request/parameters.ts'
import { errorShape } from '../../response/shapes.ts'
import { allClasses, classesOf } from './class-repository.ts'
import { resourceClassShape } from './resource-class-shape.ts'

const tag = 'Resource types'
const description = string('Description.')
const classes = list(resourceClassShape, 'Classes.')
const classesPath = '/orgs/{org_id}/resources/types/{type_id}/classes'
const classPath = '/orgs/{org_id}/resources/types/{type_id}/classes/{class_id}'

/** Classes of resource types. A built-in type and its override have separate classes. */
export const resourceClasses: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/resources/classes',
    summary: 'List the classes of all resource types, classes of built-in types first',
    tag,
    access: { organization: 'member' },
    responses: { 200: classes },
    handle: ({ params: { org_id } }, { cluster: { store } }) => ok(allClasses(store, org_id)),
  }),
  endpoint({
    method: 'get',
    path: classesPath,
    summary: 'List the classes of a resource type',
    tag,
    access: { organization: 'member' },
    responses: { 200: classes },
    handle: ({ params }, { cluster }) => ok(classesOf(cluster, params).all()),
  }),
  endpoint({
    method: 'post',
    path: classesPath,
    summary: 'Add a class to a resource type',
    tag,
    access: { organization: 'administrator' },
    body: object(
      {
        id: className(
          'Class ID. A class of a built-in type must not contain uppercase letters or underscores.',
        ),
        description,
      },
      {},
      'A class.',
    ),
    responses: { 200: resourceClassShape, 409: errorShape },
    handle: async ({ params, body, caller }, { cluster }) =>
      ok(await classesOf(cluster, params).add(body.id, body.description, caller)),
  }),
  endpoint({
    method: 'get',
    path: classPath,
    summary: 'Get a class of a resource type',
    tag,
    access: { organization: 'member' },
    responses: { 200: resourceClassShape },
    handle: async ({ params }, { cluster }) => ok(await classesOf(cluster, params).get(params.class_id)),
  }),
  endpoint({
    method: 'patch',
    path: classPath,
    summary: 'Change the description of a class',
    tag,
    access: { organization: 'administrator' },
    body: object({ description }, {}, 'Fields to change.'),
    responses: { 200: resourceClassShape },
    handle: async ({ params, body }, { cluster }) =>
      ok(await classesOf(cluster, params).describe(params.class_id, body.description)),
  }),
  endpoint({
    method: 'delete',
    path: classPath,
    summary: 'Delete a class; definitions and resources that use it are not affected',
    tag,
    access: { organization: 'administrator' },
    responses: { 204: undefined },
    async handle({ params }, { cluster }) {
      await classesOf(cluster, params).remove(params.class_id)
      return noContent
    },
  }),
]
