import { createHash, timingSafeEqual } from 'node:crypto'
import { AccessToken, Membership, User } from '../operator/api/access.ts'
import { systemNamespace } from '../operator/api/names.ts'
import { Problem } from '../operator/domain/errors.ts'
import { allows, type Requirement, type RoleTarget } from '../operator/domain/roles.ts'
import type { Store } from '../operator/kube/cluster.ts'

/** Who makes a request, and what they are in the organization that it is about. */
export interface Caller {
  readonly userName: string
  /** Organization that a service user belongs to; undefined for a human. */
  readonly homeOrganization?: string
  readonly membership?: Membership['spec']
}

/** Whose request it is, and the token that counts against the rate limit. */
export interface Authentication {
  readonly caller: Caller
  readonly tokenName: string
}

/** Nobody in particular, for what everybody may see. */
export const anonymous: Caller = { userName: '' }

const headerPattern = /^Bearer (qm_([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)_[A-Za-z0-9_-]{1,512})$/
const nothing = Buffer.alloc(32)

/** The caller that the values of `Authorization` speak for; undefined when they do not speak for anybody. */
export function authenticate(
  values: readonly string[],
  store: Store,
  now: number,
): Authentication | undefined {
  const [, token, tokenName] = (values.length === 1 && headerPattern.exec(values[0] ?? '')) || []
  if (token === undefined || tokenName === undefined) return undefined
  const known = store.get(AccessToken, systemNamespace, tokenName)
  const expected = Buffer.from(known?.spec.sha256 ?? '', 'hex')
  const actual = createHash('sha256').update(token).digest()
  // An unknown token takes the same steps as a known one.
  const isEqual = timingSafeEqual(actual, expected.length === actual.length ? expected : nothing)
  if (!known || !isEqual || known.metadata.deletionTimestamp || isExpired(known, now)) return undefined
  const user = store.get(User, systemNamespace, known.spec.userName)
  if (!user || user.metadata.deletionTimestamp) return undefined
  return { tokenName, caller: callerOf(user) }
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
