import { randomBytes } from 'node:crypto'
import { AccessToken, Membership, organizationRole, User } from '../../../operator/api/access.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { list, object, type Static } from '../../../operator/api/schema.ts'
import { type Cluster, refreshNamed } from '../../../operator/kube/cache/cluster.ts'
import type { Store } from '../../../operator/kube/cache/store.ts'
import type { Caller } from '../../authenticate.ts'
import { type Endpoint, endpoint, type Gateway, noContent, ok } from '../../endpoint.ts'
import { errorShape } from '../../response/shapes.ts'
import { find, findAll, newMetadata, readUnknown } from '../common/find.ts'
import { listEndpoint } from '../common/list-endpoint.ts'
import { withRollback } from '../common/rollback.ts'
import { changeRole, removeMembership } from './organization-roles.ts'
import {
  findMember,
  type Member,
  memberOf,
  newUserShape,
  toUserRole,
  userRoleShape,
  userTypeFilter,
} from './user-shape.ts'

const tag = 'Users'
const access = { organization: 'administrator' } as const

/** Returns a readable and unique user ID. */
function newUserId(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const readable = words?.join('-').slice(0, 40).replace(/-$/, '') ?? 'service'
  return `${readable}-${randomBytes(4).toString('hex')}`
}

async function createServiceUser(
  organization: string,
  { name, role, email }: Static<typeof newUserShape>,
  caller: Caller,
  { cluster, log }: Gateway,
): Promise<Member> {
  const id = newUserId(name)
  const user = await cluster.create(
    User,
    newObject(User, newMetadata(systemNamespace, id, caller), {
      type: 'service',
      displayName: name,
      organizationName: organization,
      email,
    }),
  )
  const wanted = newObject(Membership, newMetadata(organization, id, caller), { role })
  const membership = await withRollback(
    log,
    async () => {
      // A creation without an answer may have succeeded.
      const created = await refreshNamed(cluster, Membership, organization, id)
      if (created) await cluster.remove(Membership, created)
      await cluster.remove(User, user)
    },
    () => cluster.create(Membership, wanted),
  )
  return { membership, user }
}

/** Returns a service user even without a membership, because an earlier deletion may have failed halfway. */
function findServiceUser(store: Store, organization: string, id: string): User | undefined {
  const user = find(store, User, systemNamespace, id)
  return user?.spec.type === 'service' && user.spec.organizationName === organization ? user : undefined
}

/** Deletes the membership first, so that a deletion that fails halfway leaves no permissions. */
async function removeUser(cluster: Cluster, organization: string, id: string): Promise<void> {
  const { store } = cluster
  await readUnknown(cluster, User, systemNamespace, id)
  await readUnknown(cluster, Membership, organization, id)
  const user = findServiceUser(store, organization, id)
  const membership = user
    ? find(store, Membership, organization, id)
    : findMember(store, organization, id).membership
  if (membership) await removeMembership(cluster, organization, membership)
  if (!user) return
  for (const token of findAll(store, AccessToken, systemNamespace))
    if (token.spec.userName === id) await cluster.remove(AccessToken, token)
  await cluster.remove(User, user)
}

/** Users of an organization. */
export const users: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/users',
    summary: 'List the users of the organization',
    tag,
    access,
    query: userTypeFilter,
    response: list(userRoleShape, 'Users.'),
    find: ({ params: { org_id }, query: { type } }, { cluster: { store } }) =>
      findAll(store, Membership, org_id)
        .map((each) => memberOf(store, org_id, each))
        .filter((each) => each !== undefined)
        .map((each) => toUserRole(each, each.membership.spec.role))
        .filter((each) => type === undefined || each.type === type),
    positionOf: ({ id }) => [id],
    show: (each) => each,
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/users',
    summary: 'Create a service user',
    tag,
    access,
    body: newUserShape,
    responses: { 200: userRoleShape },
    async handle({ params: { org_id }, body, caller }, gateway) {
      return ok(toUserRole(await createServiceUser(org_id, body, caller, gateway), body.role))
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/users/{user_id}',
    summary: 'Get a user of the organization',
    tag,
    access,
    responses: { 200: userRoleShape },
    handle({ params: { org_id, user_id } }, { cluster: { store } }) {
      const member = findMember(store, org_id, user_id)
      return ok(toUserRole(member, member.membership.spec.role))
    },
  }),
  endpoint({
    method: 'patch',
    path: '/orgs/{org_id}/users/{user_id}',
    summary: 'Change the role of a user in the organization',
    tag,
    access,
    body: object({ role: organizationRole }, {}, 'The role.'),
    responses: { 200: userRoleShape, 409: errorShape },
    async handle({ params: { org_id, user_id }, body: { role } }, { cluster }) {
      const member = findMember(cluster.store, org_id, user_id)
      const membership = await changeRole(cluster, org_id, member.membership, role)
      return ok(toUserRole({ ...member, membership }, membership.spec.role))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/users/{user_id}',
    summary: 'Delete a service user with its tokens, or remove all roles of a human user in the organization',
    tag,
    access,
    responses: { 204: undefined, 409: errorShape },
    async handle({ params: { org_id, user_id } }, { cluster }) {
      await removeUser(cluster, org_id, user_id)
      return noContent
    },
  }),
]
