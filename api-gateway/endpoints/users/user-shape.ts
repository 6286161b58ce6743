import { Membership, organizationRole, User } from '../../../operator/api/access.ts'
import { systemNamespace } from '../../../operator/api/names.ts'
import { freeForm, map, object, oneOf, string, time } from '../../../operator/api/schema.ts'
import type { Organization, Store } from '../../../operator/kube/cache/store.ts'
import { type Caller, membershipIn } from '../../authenticate.ts'
import { Missing } from '../../request/missing.ts'
import { named } from '../../response/shapes.ts'
import { createdAt, find } from '../common/find.ts'

const userId = string('User ID.', { maxLength: 253 })
const email = string('Email address.', { maxLength: 320 })
const userTypes = ['user', 'service', 'group', 'system'] as const

/** Query parameter that filters users by type. */
export const userTypeFilter = {
  type: oneOf(userTypes, 'Only users of this type. No user has the type `group` or `system`.'),
}

/** User with a role in responses. */
export const userRoleShape = named(
  'UserRole',
  object(
    {
      id: userId,
      name: string('Display name.'),
      type: oneOf(userTypes, 'User type: `user` for a human, or `service`.'),
      role: string('Role.', { maxLength: 63 }),
      created_at: time('Time when the user was created.'),
    },
    { email },
    'A user with a role.',
  ),
)

/** Request body for a new service user. */
export const newUserShape = object(
  { name: string('Display name.', { minLength: 1 }), role: organizationRole },
  { email },
  'A service user.',
)

/** Request body for changes of the caller's profile. */
export const profileChangesShape = object(
  {},
  { name: string('Display name.', { minLength: 1 }), email },
  'Fields to change. Omitted fields keep their value.',
)

/** Profile of the caller in responses. */
export const profileShape = named(
  'UserProfile',
  object(
    {
      id: userId,
      name: string('Display name.'),
      type: oneOf(userTypes, 'User type: `user` for a human, or `service`.'),
      created_at: time('Time when the user was created.'),
      properties: freeForm('Always empty.'),
      roles: map(
        string('Role.', { maxLength: 63 }),
        'Roles by path: `/orgs/acme`, `/orgs/acme/apps/shop`, `/orgs/acme/env-types/production`.',
      ),
    },
    { email },
    'The profile of a user.',
  ),
)

/** A member of an organization. `user` is undefined if the membership was created before the user. */
export interface Member {
  readonly membership: Membership
  readonly user: User | undefined
}

/** Returns undefined for a service user of another organization. */
export function memberOf(store: Store, organization: string, membership: Membership): Member | undefined {
  const user = find(store, User, systemNamespace, membership.metadata.name)
  if (user?.spec.type === 'service' && user.spec.organizationName !== organization) return undefined
  return { membership, user }
}

/** Returns the member in the path; throws NotFound. */
export function findMember(store: Store, organization: string, id: string): Member {
  const membership = find(store, Membership, organization, id)
  const member = membership && memberOf(store, organization, membership)
  if (member) return member
  throw new Missing(Membership, organization, id, `user '${id}' not found`)
}

function toUser({ metadata, spec }: User) {
  return {
    id: metadata.name,
    name: spec.displayName ?? metadata.name,
    type: spec.type === 'human' ? ('user' as const) : spec.type,
    email: spec.email,
  }
}

/** Converts a member with a role for a response. */
export function toUserRole({ membership, user }: Member, role: string) {
  const { name: id } = membership.metadata
  const known = user ? toUser(user) : { id, name: id, type: 'user' as const }
  return { ...known, role, created_at: createdAt(user ?? membership) }
}

/** Returns the profile of a user with the roles in all organizations. */
export function toProfile(store: Store, user: User, caller: Caller) {
  return {
    ...toUser(user),
    created_at: createdAt(user),
    properties: {},
    roles: Object.fromEntries(store.organizations().flatMap((each) => rolesIn(store, each, caller))),
  }
}

function rolesIn(store: Store, { id }: Organization, caller: Caller): [path: string, role: string][] {
  const membership = membershipIn(store, caller, id)
  return membership ? rolesByPath(id, membership) : []
}

/** Returns the roles in an organization by path. */
export function rolesByPath(
  organization: string,
  { role, applications = [], environmentTypes = [] }: Membership['spec'],
): [path: string, role: string][] {
  const path = `/orgs/${organization}`
  return [
    [path, role],
    ...applications.map((each): [string, string] => [`${path}/apps/${each.applicationName}`, each.role]),
    ...environmentTypes.map((each): [string, string] => [
      `${path}/env-types/${each.environmentTypeName}`,
      each.role,
    ]),
  ]
}
