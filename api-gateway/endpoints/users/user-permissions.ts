import { list, map, object, string } from '../../../operator/api/schema.ts'
import { compareText } from '../../../operator/domain/base/json.ts'
import { type Endpoint, endpoint, ok } from '../../endpoint.ts'
import { findMember, rolesByPath } from './user-shape.ts'

const permissions = object(
  { permissions: list(string('A role.', { maxLength: 63 }), 'Roles on the object.') },
  {},
  'Permissions of a user on an object.',
)
const permissionsShape = object(
  {
    objects: map(
      permissions,
      'Permissions by path: `/orgs/acme`, `/orgs/acme/apps/shop`, `/orgs/acme/env-types/production`.',
    ),
  },
  {},
  'Permissions of a user.',
)

/** Permissions of users. */
export const userPermissions: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/users/{user_id}/perms',
    summary: 'Get the roles of a user in the organization, by path',
    tag: 'Users',
    access: { organization: 'administrator' },
    responses: { 200: permissionsShape },
    handle({ params: { org_id, user_id } }, { cluster: { store } }) {
      const roles = rolesByPath(org_id, findMember(store, org_id, user_id).membership.spec)
      const sorted = roles.sort(([left], [right]) => compareText(left, right))
      return ok({
        objects: Object.fromEntries(sorted.map(([path, role]) => [path, { permissions: [role] }])),
      })
    },
  }),
]
