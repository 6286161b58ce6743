import { Membership } from '../../../operator/api/access.ts'
import type { Kind, ObjectOf } from '../../../operator/api/kind.ts'
import { list, object, string, type TUnsafe } from '../../../operator/api/schema.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import type { Cluster } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import { hasFinalizer } from '../../../operator/kube/client/resource.ts'
import { type Access, type Endpoint, endpoint, noContent, ok } from '../../endpoint.ts'
import { errorShape } from '../../response/shapes.ts'
import { changeObject, currentIfRefused } from '../common/change.ts'
import { findAll } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { refuseDeleting, requirePresent, withdrawUnlessPresent } from '../common/target.ts'
import { findMember, type Member, memberOf, toUserRole, userRoleShape } from './user-shape.ts'

const tag = 'Users'

type Roles = Membership['spec']

/** An object on which members of an organization have roles. */
export interface RoleScope<R extends string> {
  /** Path of the object, with the parameter `{org_id}`. */
  readonly path: string
  /** Name of the kind in texts. */
  readonly what: string
  readonly access: Access
  readonly role: TUnsafe<R>
  readonly kind: Kind
  /** Returns the object in the path; throws NotFound. */
  find(store: Store, params: Readonly<Record<string, string>>): ObjectOf<Kind>
  roleOf(roles: Roles, id: string): R | undefined
  /** Returns the roles with the given role on the object, or without one. */
  withRole(roles: Roles, id: string, role: R | undefined): Roles
}

/** Returns the operations on users with a role on an object. */
export function roleUsers<R extends string>(scope: RoleScope<R>): readonly Endpoint[] {
  return [...readOperations(scope), ...writeOperations(scope)]
}

function locate<R extends string>(
  { find }: RoleScope<R>,
  store: Store,
  params: Readonly<Record<string, string>>,
) {
  const { org_id = '', user_id = '' } = params // the path contains them
  const target = find(store, params)
  return { target, id: target.metadata.name, member: findMember(store, org_id, user_id) }
}

function requireRole<R extends string>(
  { roleOf, what }: RoleScope<R>,
  { metadata, spec }: Membership,
  id: string,
): R {
  const role = roleOf(spec, id)
  if (role !== undefined) return role
  throw new Problem('NotFound', `user '${metadata.name}' has no role on ${what} '${id}'`)
}

function readOperations<R extends string>(scope: RoleScope<R>): Endpoint[] {
  const { path, what, access, find, roleOf } = scope
  return [
    listEndpoint({
      path: `${path}/users`,
      summary: `List the users with a role on the ${what}`,
      tag,
      access,
      response: list(userRoleShape, 'Users.'),
      find({ params }, { cluster: { store } }) {
        const { org_id = '' }: Readonly<Record<string, string>> = params
        const id = find(store, params).metadata.name
        return findAll(store, Membership, org_id).flatMap((each) => {
          const member = memberOf(store, org_id, each)
          const role = roleOf(each.spec, id)
          return member && role !== undefined ? [toUserRole(member, role)] : []
        })
      },
      positionOf: ({ id }) => [id],
      show: (each) => each,
    }),
    endpoint({
      method: 'get',
      path: `${path}/users/{user_id}`,
      summary: `Get a user with a role on the ${what}`,
      tag,
      access,
      responses: { 200: userRoleShape },
      async handle({ params }, { cluster }) {
        const { id, member } = locate(scope, cluster.store, params)
        const { result: role } = await currentIfRefused(cluster, Membership, member.membership, (each) =>
          requireRole(scope, each, id),
        )
        return ok(toUserRole(member, role))
      },
    }),
  ]
}

function writeOperations<R extends string>(scope: RoleScope<R>): Endpoint[] {
  const { path, what, access, role: roleShape, kind, roleOf, withRole } = scope
  return [
    endpoint({
      method: 'post',
      path: `${path}/users`,
      summary: `Give a user of the organization a role on the ${what}`,
      tag,
      access,
      body: object({ id: string('User ID.', { maxLength: 253 }), role: roleShape }, {}, 'A user and a role.'),
      responses: { 200: userRoleShape, 409: errorShape },
      async handle({ params, body }, { cluster, log }) {
        const { target: known, id, member } = locate(scope, cluster.store, { ...params, user_id: body.id })
        const target = { kind, known, what: `${what} '${id}'` }
        refuseDeleting(target)
        // Before the role, whose answer can be lost: a later target of the ID must not inherit it.
        if (!hasFinalizer(known)) await requirePresent({ cluster }, target)
        const given = await changeObject(cluster, Membership, member.membership, (object) => {
          if (roleOf(object.spec, id) !== undefined)
            throw new Problem('Conflict', `user '${body.id}' already has a role on ${what} '${id}'`)
          return { ...object, spec: withRole(object.spec, id, body.role) }
        })
        await withdrawUnlessPresent({ cluster, log }, target, () =>
          changeObject(cluster, Membership, given, (object) =>
            // Another role was given on a later object of the ID.
            roleOf(object.spec, id) === body.role
              ? { ...object, spec: withRole(object.spec, id, undefined) }
              : object,
          ),
        )
        return ok(toUserRole(member, body.role))
      },
    }),
    endpoint({
      method: 'patch',
      path: `${path}/users/{user_id}`,
      summary: `Change the role of a user on the ${what}`,
      tag,
      access,
      body: object({ role: roleShape }, {}, 'The role.'),
      responses: { 200: userRoleShape },
      async handle({ params, body: { role } }, { cluster }) {
        return ok(toUserRole(await changeRole(scope, cluster, params, role), role))
      },
    }),
    endpoint({
      method: 'delete',
      path: `${path}/users/{user_id}`,
      summary: `Remove the role of a user on the ${what}`,
      tag,
      access,
      responses: { 204: undefined },
      async handle({ params }, { cluster }) {
        await changeRole(scope, cluster, params, undefined)
        return noContent
      },
    }),
  ]
}

/** Replaces or removes the role of the user in the path; throws NotFound if the user has no role. */
async function changeRole<R extends string>(
  scope: RoleScope<R>,
  cluster: Cluster,
  params: Readonly<Record<string, string>>,
  role: R | undefined,
): Promise<Member> {
  const { id, member } = locate(scope, cluster.store, params)
  await changeObject(cluster, Membership, member.membership, (object) => {
    // Writing the same role would only change the order of the roles.
    if (requireRole(scope, object, id) === role) return object
    return { ...object, spec: scope.withRole(object.spec, id, role) }
  })
  return member
}
