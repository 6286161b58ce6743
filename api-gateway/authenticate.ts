import { createHash } from 'node:crypto'
import { AccessToken, Membership, User } from '../operator/api/access.ts'
import { systemNamespace } from '../operator/api/names.ts'
import { allows, type Requirement, type RoleTarget } from '../operator/domain/access/roles.ts'
import { Problem } from '../operator/domain/base/errors.ts'
import type { Store } from '../operator/kube/cache/store.ts'
import type { Gateway } from './endpoint.ts'
import type { Session } from './sign-in/session.ts'

/** Who makes a request, and what they are in the organization that it is about. */
export interface Caller {
  readonly userName: string
  /** Organization that a service user belongs to; undefined for a human. */
  readonly homeOrganization?: string
  readonly membership?: Membership['spec']
}

/** Whose request it is, and what spoke for them: `token:<name>` or `session`. */
export interface Authentication {
  readonly caller: Caller
  readonly via: string
}

/** A user, and the API token that speaks for them. */
export interface Holder {
  readonly user: User
  readonly token: AccessToken
}

/** Nobody in particular, for what everybody may see. */
export const anonymous: Caller = { userName: '' }

/** RFC 9110, 11.1 and 11.4: the case of the scheme means nothing, and one space is not the only way. */
const headerPattern = /^(bearer|jwt) +([a-z0-9._-]{1,4096})$/i
const apiTokenPattern = /^qm_([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)_[A-Za-z0-9_-]{1,512}$/

/** For longer than this nobody is let in by what was known: their token may have been revoked since. */
const mostSilentMs = 300_000

/** Why nobody can be let in by what the gateway knows of the cluster; undefined when they can. */
export function blindnessOf(store: Store): string | undefined {
  if (!store.synced) return 'the gateway is starting'
  return store.silentMs() > mostSilentMs ? 'the gateway has lost its connection to the cluster' : undefined
}

/** The caller that the values of `Authorization` speak for; undefined when they do not speak for anybody. */
export async function authenticate(
  values: readonly string[],
  { cluster: { store }, sessions, now }: Gateway,
): Promise<Authentication | undefined> {
  const [, scheme, text] = (values.length === 1 && headerPattern.exec(values[0] ?? '')) || []
  if (text === undefined) return undefined
  if (scheme?.toLowerCase() === 'bearer' && text.startsWith('qm_')) {
    const holder = holderOf(text, store, now())
    return holder && { caller: callerOf(holder.user), via: `token:${holder.token.metadata.name}` }
  }
  const session = await sessions.read(text)
  const user = session && userOfSession(session, store, now())
  return user && { caller: callerOf(user), via: 'session' }
}

/** Why values of `Authorization` do not speak for anybody: by their form alone, never by what tokens there are. */
export function refusalOf([value = '']: readonly string[]): string {
  return /^(bearer|jwt)(\s|$)/i.test(value)
    ? 'the token does not grant access'
    : "the scheme in the header 'Authorization' must be 'Bearer' or 'JWT'"
}

/** The holder of an API token; undefined when the token is not valid. */
export function holderOf(text: string, store: Store, now: number): Holder | undefined {
  const [, tokenName] = apiTokenPattern.exec(text) ?? []
  if (tokenName === undefined) return undefined
  const digest = createHash('sha256').update(text).digest('hex')
  // By both at once: an unknown id and a wrong secret are the same miss, and take the same time.
  const [known] = store.byIndex(AccessToken, 'digest', `${systemNamespace}/${tokenName} ${digest}`)
  return known && liveHolder(known, store, now)
}

/** The holder of a token that is neither revoked nor expired. */
function liveHolder(token: AccessToken, store: Store, now: number): Holder | undefined {
  if (token.metadata.deletionTimestamp || isExpired(token, now)) return undefined
  const user = liveUser(token.spec.userName, store)
  return user && { user, token }
}

/** The user of a session: as long as the user, and the token that began it, if one did, are still the same. */
function userOfSession(
  { userName, userUid, tokenName }: Session,
  store: Store,
  now: number,
): User | undefined {
  const user = tokenName === undefined ? liveUser(userName, store) : userOfToken(tokenName, store, now)
  if (!user || user.spec.type !== 'human') return undefined
  return user.metadata.name === userName && user.metadata.uid === userUid ? user : undefined
}

function userOfToken(tokenName: string, store: Store, now: number): User | undefined {
  const token = store.get(AccessToken, systemNamespace, tokenName)
  return token && liveHolder(token, store, now)?.user
}

function liveUser(name: string, store: Store): User | undefined {
  const user = store.get(User, systemNamespace, name)
  return user?.metadata.deletionTimestamp ? undefined : user
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
  const isThere = store.isOrganization(organization)
  // Looked for in any case: a missing organization takes as long as one of others.
  const membership = store.get(Membership, organization, caller.userName)
  const isHome = caller.homeOrganization === undefined || caller.homeOrganization === organization
  return isThere && isHome && !membership?.metadata.deletionTimestamp ? membership?.spec : undefined
}

/** Refuses a caller who lacks what is required. */
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
