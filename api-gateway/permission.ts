import type { Request, Response } from 'express'
import type { Requirement } from '../operator/domain/access/roles.ts'
import { Problem } from '../operator/domain/base/errors.ts'
import type { AuditLocals } from './audit/audit.ts'
import {
  type Authentication,
  anonymous,
  authenticate,
  authorize,
  type Caller,
  membershipIn,
  rejectionMessage,
  staleCacheReason,
} from './authenticate.ts'
import type { Endpoint, Gateway } from './endpoint.ts'
import { permitAgain, permitLate } from './late-objects.ts'
import { checkRateLimit, type RateLimit } from './rate-limit.ts'
import { callerKey } from './request/source-address.ts'
import { sessionCredentials } from './sign-in/session-credentials.ts'

/** Who sends a request, and whether they may. */
export interface Permission {
  /** The user, or the address of a request without one, for limits. */
  readonly key: string
  /** Returns the caller with their roles; throws if these do not suffice. */
  first(): Promise<Caller>
  /** Like `first`, for a request that waited: authenticates it again. */
  current(): Promise<Caller>
  /** Like `first`, for a request that is handled again because an object was late. */
  again(caller: Caller): Promise<Caller>
  /** Whether the caller is still authenticated and authorized. */
  isStillAllowed(): Promise<boolean>
}

/** Authenticates a request and counts it against the rate limit of the user, or of the address if it has none. */
export async function identify(
  request: Request,
  response: Response,
  endpoint: Endpoint,
  gateway: Gateway,
  limit: RateLimit,
): Promise<Permission> {
  const { access, isUnlimited } = endpoint
  const { org_id: organization, app_id: applicationId } = request.params as Record<string, string> // only a wildcard gives a list, and no path has one
  if (access === 'public') {
    const key = callerKey(request, undefined)
    if (!isUnlimited) checkRateLimit(limit, key)
    const same = async () => anonymous
    return { key, first: same, current: same, again: same, isStillAllowed: async () => true }
  }

  const authorizeCaller = (each: Caller): Caller => {
    const member = withMembership(each, organization, gateway)
    if (typeof access === 'object') authorize(member, withoutDeployer(access), { applicationId })
    return member
  }
  const application = typeof access === 'object' && 'application' in access ? applicationId : undefined
  const permit = (each: Caller) =>
    permitLate(gateway.cluster, { organization, application }, each, authorizeCaller)
  const user = await authenticateRequest(request, response, gateway, limit)
  return {
    key: callerKey(request, user.userName),
    first: () => permit(user),
    async current() {
      const found = await tryAuthenticate(request, gateway)
      return permit(found?.caller ?? throwUnauthenticated(request, gateway))
    },
    again: (caller) => permitAgain(gateway.cluster, organization, caller, permit),
    async isStillAllowed() {
      const found = await tryAuthenticate(request, gateway)
      return found !== undefined && isAuthorized(() => authorizeCaller(found.caller))
    },
  }
}

/** The handler checks the role on the environment type, because it finds the type. */
function withoutDeployer(access: Requirement): Requirement {
  return 'application' in access ? { ...access, deployer: false } : access
}

async function authenticateRequest(
  request: Request,
  response: Response,
  gateway: Gateway,
  limit: RateLimit,
): Promise<Caller> {
  const found = await tryAuthenticate(request, gateway)
  const locals: AuditLocals = found ? { userName: found.caller.userName, via: found.via } : {}
  Object.assign(response.locals, locals)
  checkRateLimit(limit, callerKey(request, found?.caller.userName))
  return found?.caller ?? throwUnauthenticated(request, gateway)
}

async function tryAuthenticate(request: Request, gateway: Gateway): Promise<Authentication | undefined> {
  if (staleCacheReason(gateway.cluster.store) !== undefined) return undefined
  return authenticate(credentialsOf(request), gateway)
}

function throwUnauthenticated(request: Request, gateway: Gateway): never {
  const hasSession = sessionCredentials(request) !== undefined
  if (credentialsOf(request).length === 0)
    throw new Problem('Unauthorized', "the header 'Authorization' is missing")
  const staleReason = staleCacheReason(gateway.cluster.store)
  if (staleReason !== undefined) throw new Problem('Internal', staleReason)
  // The page asks the user to sign in again.
  if (hasSession) throw new Problem('Unauthorized', 'the session has ended')
  throw new Problem('Forbidden', rejectionMessage(credentialsOf(request)))
}

function credentialsOf(request: Request): readonly string[] {
  const session = sessionCredentials(request)
  return request.headersDistinct['authorization'] ?? (session === undefined ? [] : [session])
}

function withMembership(caller: Caller, organization: string | undefined, { cluster }: Gateway): Caller {
  if (organization === undefined) return caller
  return { ...caller, membership: membershipIn(cluster.store, caller, organization) }
}

function isAuthorized(authorizeCaller: () => void): boolean {
  try {
    authorizeCaller()
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
