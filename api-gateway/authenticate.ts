import { createHash, timingSafeEqual } from 'node:crypto'
import { AccessToken, Membership, User } from '../operator/api/access.ts'
import { systemNamespace } from '../operator/api/names.ts'
import { Problem } from '../operator/domain/errors.ts'
import { allows, type Requirement, type RoleTarget } from '../operator/domain/roles.ts'
import type { Store } from '../operator/kube/cluster.ts'
import type { Gateway } from './endpoint.ts'
import type { Session } from './session.ts'

/** Who makes a request, and what they are in the organization that it is about. */
export interface Caller {
  readonly userName: string
  /** Organization that a service user belongs to; undefined for a human. */
  readonly homeOrganization?: string
  readonly membership?: Membership['spec']
}

/** Whose request it is, and what it counts against in the rate limit. */
export interface Authentication {
  readonly caller: Caller
  readonly limitKey: string
}

/** A user, and the API token that speaks for them. */
export interface Holder {
  readonly user: User
  readonly token: AccessToken
}

/** Nobody in particular, for what everybody may see. */
export const anonymous: Caller = { userName: '' }

const headerPattern = /^(Bearer|JWT) ([A-Za-z0-9._-]{1,4096})$/
const apiTokenPattern = /^qm_([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)_[A-Za-z0-9_-]{1,512}$/
const nothing = Buffer.alloc(32)

/** The caller that the values of `Authorization` speak for; undefined when they do not speak for anybody. */
export async function authenticate(
  values: readonly string[],
  { cluster: { store }, sessions, now }: Gateway,
): Promise<Authentication | undefined> {
  const [, scheme, text] = (values.length === 1 && headerPattern.exec(values[0] ?? '')) || []
  if (text === undefined) return undefined
  if (scheme === 'Bearer' && text.startsWith('qm_')) {
    const holder = holderOf(text, store, now())
    return holder && { caller: callerOf(holder.user), limitKey: `token:${holder.token.metadata.name}` }
  }
  const session = await sessions.read(text)
  const user = session && userOfSession(session, store, now())
  return user && { caller: callerOf(user), limitKey: `user:${user.metadata.name}` }
}

/** The holder of an API token; undefined when the token is not valid. */
export function holderOf(text: string, store: Store, now: number): Holder | undefined {
  const [, tokenName] = apiTokenPattern.exec(text) ?? []
  if (tokenName === undefined) return undefined
  const known = store.get(AccessToken, systemNamespace, tokenName)
  const expected = Buffer.from(known?.spec.sha256 ?? '', 'hex')
  const actual = createHash('sha256').update(text).digest()
  // An unknown token takes the same steps as a known one.
  const isEqual = timingSafeEqual(actual, expected.length === actual.length ? expected : nothing)
  return known && isEqual ? liveHolder(known, store, now) : undefined
}

/** The holder of a token that is neither revoked nor expired. */
function liveHolder(token: AccessToken, store: Store, now: number): Holder | undefined {
  if (token.metadata.deletionTimestamp || isExpired(token, now)) return undefined
  const user = store.get(User, systemNamespace, token.spec.userName)
  return user && !user.metadata.deletionTimestamp ? { user, token } : undefined
}

/** The user of a session: as long as the user and the token that began it are still the same. */
function userOfSession(
  { userName, userUid, tokenName }: Session,
  store: Store,
  now: number,
): User | undefined {
  const token = store.get(AccessToken, systemNamespace, tokenName)
  const user = token && liveHolder(token, store, now)?.user
  if (!user || user.spec.type !== 'human') return undefined
  return user.metadata.name === userName && user.metadata.uid === userUid ? user : undefined
}

function isExpired({ spec }: AccessToken, now: number): boolean {
  if (spec.expirationTime === undefined) return false
  return !(Date.parse(spec.expirationTime) > now) // a time that cannot be read has passed
}

function callerOf({ metadata, spec }: User): Caller {
  if (spec.type === 'human') return { userName: metadata.name }
  return { userName: metadata.name, homeOrganization: spec.organizationName ?? '' }
}

/** What the caller is in an organization; undefined when nothing, or when there is no such organization. */
export function membershipIn(
  store: Store,
  caller: Caller,
  organization: string,
): Membership['spec'] | undefined {
  if (!store.isOrganization(organization)) return undefined
  if (caller.homeOrganization !== undefined && caller.homeOrganization !== organization) return undefined
  const membership = store.get(Membership, organization, caller.userName)
  return membership?.metadata.deletionTimestamp ? undefined : membership?.spec
}

/** Refuses a caller who lacks what is required. */
export function demand(caller: Caller, requirement: Requirement, target: RoleTarget = {}): void {
  if (allows(caller.membership, requirement, target)) return
  if (!caller.membership)
    throw new Problem('Forbidden', 'the token does not grant access to this organization')
  throw new Problem('Forbidden', `this needs ${describe(requirement, target)}`)
}

function describe(requirement: Requirement, { applicationId, environmentType }: RoleTarget): string {
  if ('organization' in requirement) return `the role '${requirement.organization}' in the organization`
  const { application, orOrganization, deployer } = requirement
  const role = `the role '${application}' on application '${applicationId ?? ''}'`
  const either = orOrganization ? `${role}, or '${orOrganization}' in the organization` : role
  return deployer ? `${either}, and 'deployer' on environment type '${environmentType ?? ''}'` : either
}
