import type { TUnsafe } from 'typebox'
import { Membership } from '../../../operator/api/access.ts'
import { list, object, string } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { type Access, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { errorShape } from '../../response/shapes.ts'
import { changeObject } from '../common/change.ts'
import { findAll } from '../common/find.ts'
import { findMember, memberOf, toUserRole, userRoleShape } from './user-shape.ts'

type Roles = Membership['spec']

/** An object on which members of an organization have roles. */
export interface RoleScope<R extends string> {
  /** Path of the object, with the parameter `{org_id}`. */
  readonly path: string
  /** Name of the kind in texts. */
  readonly what: string
  readonly access: Access
  readonly role: TUnsafe<R>
  /** Returns the ID of the object in the path; throws NotFound. */
  find(store: Store, params: Readonly<Record<string, string>>): string
  roleOf(roles: Roles, id: string): R | undefined
  /** Returns the roles with the given role on the object, or without one. */
  withRole(roles: Roles, id: string, role: R | undefined): Roles
}

/** Returns the operations on users with a role on an object. */
export function roleUsers<R extends string>(scope: RoleScope<R>): readonly Endpoint[] {
  const { path, what, access, role: roleShape, find, roleOf, withRole } = scope
  const users = `${path}/users`
  const user = `${users}/{user_id}`
  const common = { tag: 'Users', access }

  function locate(store: Store, params: Readonly<Record<string, string>>) {
    const { org_id = '', user_id = '' } = params // the path contains them
    const id = find(store, params)
    return { id, member: findMember(store, org_id, user_id) }
  }
  function requireRole(roles: Roles, id: string, userId: string): R {
    const role = roleOf(roles, id)
    if (role === undefined) throw new Problem('NotFound', `user '${userId}' has no role on ${what} '${id}'`)
    return role
  }

  return [
    endpoint({
      ...common,
      method: 'get',
      path: users,
      summary: `List the users with a role on the ${what}`,
      responses: { 200: list(userRoleShape, 'Users.') },
      handle({ params }, { cluster: { store } }) {
        const { org_id = '' } = params
        const id = find(store, params)
        return ok(
          findAll(store, Membership, org_id).flatMap((each) => {
            const member = memberOf(store, org_id, each)
            const role = roleOf(each.spec, id)
            return member && role !== undefined ? [toUserRole(member, role)] : []
          }),
        )
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: users,
      summary: `Give a user of the organization a role on the ${what}`,
      body: object({ id: string('User ID.', { maxLength: 253 }), role: roleShape }, {}, 'A user and a role.'),
      responses: { 200: userRoleShape, 409: errorShape },
      async handle({ params, body }, { cluster }) {
        const { id, member } = locate(cluster.store, { ...params, user_id: body.id })
        await changeObject(cluster, Membership, member.membership, (object) => {
          if (roleOf(object.spec, id) !== undefined)
            throw new Problem('Conflict', `user '${body.id}' already has a role on ${what} '${id}'`)
          return { ...object, spec: withRole(object.spec, id, body.role) }
        })
        return ok(toUserRole(member, body.role))
      },
    }),
    endpoint({
      ...common,
      method: 'get',
      path: user,
      summary: `Get a user with a role on the ${what}`,
      responses: { 200: userRoleShape },
      handle({ params }, { cluster: { store } }) {
        const { id, member } = locate(store, params)
        const { metadata, spec } = member.membership
        return ok(toUserRole(member, requireRole(spec, id, metadata.name)))
      },
    }),
    endpoint({
      ...common,
      method: 'patch',
      path: user,
      summary: `Change the role of a user on the ${what}`,
      body: object({ role: roleShape }, {}, 'The role.'),
      responses: { 200: userRoleShape },
      async handle({ params, body: { role } }, { cluster }) {
        const { id, member } = locate(cluster.store, params)
        await changeObject(cluster, Membership, member.membership, (object) => {
          requireRole(object.spec, id, object.metadata.name)
          return { ...object, spec: withRole(object.spec, id, role) }
        })
        return ok(toUserRole(member, role))
      },
    }),
    endpoint({
      ...common,
      method: 'delete',
      path: user,
      summary: `Remove the role of a user on the ${what}`,
      responses: { 204: undefined },
      async handle({ params }, { cluster }) {
        const { id, member } = locate(cluster.store, params)
        await changeObject(cluster, Membership, member.membership, (object) => {
          requireRole(object.spec, id, object.metadata.name)
          return { ...object, spec: withRole(object.spec, id, undefined) }
        })
        return noContent
      },
    }),
  ]
}
