import { hash } from 'node:crypto'
import { AccessToken, Membership, User } from '../operator/api/access.ts'
import { systemNamespace } from '../operator/api/names.ts'
import { allows, type Requirement, type RoleTarget } from '../operator/domain/access/roles.ts'
import { Problem } from '../operator/domain/base/errors.ts'
import type { Store } from '../operator/kube/cache/store.ts'
import { type Session, type Sessions, type TokenIdentity, tokenIdentity } from './sign-in/session.ts'

/** The user who makes a request, with their membership in the organization of the path. */
export interface Caller {
  readonly userName: string
  /** Organization of a service user; undefined for a human. */
  readonly homeOrganization?: string
  readonly membership?: Membership['spec']
}

/** A caller and the credential that authenticated them: `token:<name>` or `session`. */
export interface Authentication {
  readonly caller: Caller
  readonly via: string
}

/** A user with the API token that authenticates them. */
export interface TokenUser {
  readonly user: User
  readonly token: AccessToken
}

/** What authenticates requests. */
interface AuthenticationSources {
  readonly cluster: { readonly store: Store }
  readonly sessions: Sessions
  now(): number
}

/** The caller of public operations. */
export const anonymous: Caller = { userName: '' }

/** RFC 9110, 11.1 and 11.4: the scheme is case-insensitive and followed by one or more spaces. */
const headerPattern = /^(bearer|jwt) +([a-z0-9._-]{1,4096})$/i
const apiTokenPattern = /^qm_([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)_[A-Za-z0-9_-]{1,512}$/

/** Beyond this age of the cache, requests are rejected, because a token may have been revoked. */
const maxCacheAgeMs = 300_000

/** Returns why the cache cannot be used to authenticate; undefined if it can. */
export function staleCacheReason(store: Store): string | undefined {
  if (!store.synced) return 'the gateway is starting'
  return store.silentMs() > maxCacheAgeMs ? 'the gateway has lost its connection to the cluster' : undefined
}

/** Authenticates the values of the header `Authorization`; undefined if they are not valid. */
export async function authenticate(
  values: readonly string[],
  { cluster: { store }, sessions, now }: AuthenticationSources,
): Promise<Authentication | undefined> {
  const [, scheme, text] = (values.length === 1 && headerPattern.exec(values[0] ?? '')) || []
  if (text === undefined) return undefined
  if (scheme?.toLowerCase() === 'bearer' && text.startsWith('qm_')) {
    const found = findTokenUser(text, store, now())
    return found && { caller: callerOf(found.user), via: `token:${found.token.metadata.name}` }
  }
  const session = await sessions.read(text)
  const user = session && sessionUser(session, store, now())
  return user && { caller: callerOf(user), via: 'session' }
}

/** Returns the session of a session token whose user exists; undefined if the session has ended. */
export async function findSession(
  text: string,
  { cluster: { store }, sessions, now }: AuthenticationSources,
): Promise<Session | undefined> {
  const session = await sessions.read(text)
  return session && sessionUser(session, store, now()) && session
}

/** Depends only on the form of the values, never on which tokens exist. */
export function rejectionMessage([value = '']: readonly string[]): string {
  return /^(bearer|jwt)(\s|$)/i.test(value)
    ? 'the token does not grant access'
    : "the scheme in the header 'Authorization' must be 'Bearer' or 'JWT'"
}

/** Returns the user and the token object of an API token; undefined if the token is not valid. */
export function findTokenUser(text: string, store: Store, now: number): TokenUser | undefined {
  const [, tokenName] = apiTokenPattern.exec(text) ?? []
  if (tokenName === undefined) return undefined
  const digest = hash('sha256', text)
  // One lookup by name and digest: an unknown name and a wrong secret take the same time.
  const [token] = store.byIndex(AccessToken, 'digest', `${systemNamespace}/${tokenName} ${digest}`)
  return token && validTokenUser(token, store, now)
}

/** Returns undefined if the token is revoked or expired. */
function validTokenUser(token: AccessToken, store: Store, now: number): TokenUser | undefined {
  if (token.metadata.deletionTimestamp || isExpired(token, now)) return undefined
  const user = existingUser(token.spec.userName, store)
  return user && { user, token }
}

/** Returns undefined if the user was replaced, or if the token that started the session is no longer valid. */
function sessionUser({ userName, userUid, token }: Session, store: Store, now: number): User | undefined {
  const user = token === undefined ? existingUser(userName, store) : identifiedTokenUser(token, store, now)
  if (!user || user.spec.type !== 'human') return undefined
  return user.metadata.name === userName && user.metadata.uid === userUid ? user : undefined
}

/** Returns undefined if the token or its value was replaced. */
function identifiedTokenUser(
  { name, uid, digest }: TokenIdentity,
  store: Store,
  now: number,
): User | undefined {
  const token = store.get(AccessToken, systemNamespace, name)
  if (!token) return undefined
  const current = tokenIdentity(token)
  return current.uid === uid && current.digest === digest
    ? validTokenUser(token, store, now)?.user
    : undefined
}

function existingUser(name: string, store: Store): User | undefined {
  const user = store.get(User, systemNamespace, name)
  return user?.metadata.deletionTimestamp ? undefined : user
}

function isExpired({ spec }: AccessToken, now: number): boolean {
  if (spec.expirationTime === undefined) return false
  return !(Date.parse(spec.expirationTime) > now) // an unreadable time counts as past
}

function callerOf({ metadata, spec }: User): Caller {
  if (spec.type === 'human') return { userName: metadata.name }
  return { userName: metadata.name, homeOrganization: spec.organizationName ?? '' }
}

/** Returns undefined if the caller is not a member or the organization does not exist. */
export function membershipIn(
  store: Store,
  caller: Caller,
  organization: string,
): Membership['spec'] | undefined {
  const isThere = store.isOrganization(organization)
  // Looked up in any case, so that a missing organization takes the same time as one of others.
  const membership = store.get(Membership, organization, caller.userName)
  const isHome = caller.homeOrganization === undefined || caller.homeOrganization === organization
  return isThere && isHome && !membership?.metadata.deletionTimestamp ? membership?.spec : undefined
}

/** Throws Forbidden if the caller does not meet the requirement. */
export function authorize(caller: Caller, requirement: Requirement, target: RoleTarget = {}): void {
  if (allows(caller.membership, requirement, target)) return
  if (!caller.membership)
    throw new Problem('Forbidden', 'the token does not grant access to this organization')
  throw new Problem('Forbidden', `this requires ${describe(requirement, target)}`)
}

function describe(requirement: Requirement, { applicationId, environmentType }: RoleTarget): string {
  if ('organization' in requirement) return `the role '${requirement.organization}' in the organization`
  const { application, orOrganization, deployer } = requirement
  const role = `the role '${application}' on application '${applicationId ?? ''}'`
  const either = orOrganization ? `${role}, or '${orOrganization}' in the organization` : role
  return deployer ? `${either}, and 'deployer' on environment type '${environmentType ?? ''}'` : either
}
