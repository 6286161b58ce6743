import type { Request, Response } from 'express'
import { object } from '../operator/api/schema.ts'
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
import type { Call, Endpoint, EndpointResponse, Gateway } from './endpoint.ts'
import { permitAgain, permitLate, withLateObjects } from './late-objects.ts'
import { parameterNames } from './openapi/document.ts'
import { checkRateLimit, type RateLimit } from './rate-limit.ts'
import { type BodyLimits, parseBody, receiveBody } from './request/body.ts'
import { emptyFlag, isOn, offersDryRun } from './request/boolean-query.ts'
import { type ByteBudget, createByteBudget } from './request/byte-budget.ts'
import { Missing } from './request/missing.ts'
import { parameters } from './request/parameters.ts'
import { callerKey } from './request/source-address.ts'
import { misspeltParameter, refuseUnknownFields } from './request/unknown-fields.ts'
import { createValidators } from './request/validate.ts'
import { sessionCredentials } from './sign-in/session-credentials.ts'

/** Handles a request and returns the response, or throws. */
export type Serve = (request: Request, response: Response) => Promise<EndpointResponse>

const maxPublicBodyBytes = 8192
/** Limits of the request bodies in memory, per caller and of all. They take up to 17 times as much when they are read. */
const maxReceivedBytes = 16 * 1024 * 1024
const maxReceivedBytesOfAll = 32 * 1024 * 1024
const bodiesRefusal = 'too many bodies of requests are in memory'

/** Bytes of a body that is read at once, because most are short. */
const bytesWithoutTurn = 64 * 1024

/** Wraps endpoints with rate limits, authentication, authorization and validation. */
export function createServe(
  gateway: Gateway,
  limit: RateLimit,
  unsent: ByteBudget,
): (endpoint: Endpoint) => Serve {
  const validators = createValidators()
  const pathChecks = new Map(
    Object.entries(parameters).map(([name, schema]) => [name, validators.parameter(name, schema)]),
  )

  const received = createByteBudget({
    limit: maxReceivedBytes,
    total: maxReceivedBytesOfAll,
    refusal: bodiesRefusal,
  })
  const bodyLimits = (request: Request, caller: Caller): BodyLimits => {
    const key = keyOf(request, caller)
    return {
      // Public operations accept only short bodies.
      maxBytes: caller === anonymous ? maxPublicBodyBytes : gateway.settings.maxBodyBytes,
      reserve: (bytes) => received.reserve(key, bytes),
      release: (bytes) => received.release(key, bytes),
    }
  }

  return (endpoint) => {
    const { access, path, query = {}, headers = {}, body: bodySchema } = endpoint
    const names = parameterNames(path)
    const checkQuery = validators.body(object({}, query, 'Query parameters.'))
    const checkHeaders = validators.body(object({}, headers, 'Headers.'))
    const headerNames = Object.keys(headers)
    const checkBody = bodySchema && validators.body(bodySchema)

    const serve: Serve = async (request, response) => {
      const params = request.params as Record<string, string> // only a wildcard gives a list, and no path has one
      const isPublic = access === 'public'
      if (isPublic && !endpoint.isUnlimited) checkRateLimit(limit, keyOf(request, anonymous))
      const user = isPublic ? anonymous : await authenticateRequest(request, response, gateway, limit)
      if (!endpoint.isUnlimited) unsent.ensureAvailable(keyOf(request, user))
      const authorizeCaller = (each: Caller): Caller => {
        const member = withMembership(each, params['org_id'], gateway)
        if (typeof access === 'object')
          authorize(member, withoutDeployer(access), { applicationId: params['app_id'] })
        return member
      }
      const { org_id: organization, app_id } = params
      const application = typeof access === 'object' && 'application' in access ? app_id : undefined
      const permit = (each: Caller) =>
        permitLate(gateway.cluster, { organization, application }, each, authorizeCaller)
      const caller = await permit(user)
      refuseQuery(endpoint, request)
      const problem = names
        .map((name) => pathChecks.get(name)?.(params[name]))
        .find((each) => each !== undefined)
      if (problem !== undefined) throw new Problem('NotFound', `no object has this path: ${problem}`)
      const given = Object.fromEntries(headerNames.map((name) => [name, request.get(name)]))
      if (headerNames.length > 0) checkDeclared('header', checkHeaders, given)
      const isStillAllowed = async () => {
        const current = isPublic ? anonymous : (await tryAuthenticate(request, gateway))?.caller
        return current !== undefined && isAuthorized(() => authorizeCaller(current))
      }
      const currentCaller = async () =>
        permit(
          isPublic
            ? anonymous
            : ((await tryAuthenticate(request, gateway))?.caller ?? throwUnauthenticated(request, gateway)),
        )
      let bodyBytes = 0
      let answerBytes = 0
      const call: Call = {
        params,
        query: checkDeclared('query', checkQuery, request.query) as Call['query'],
        body: undefined,
        caller,
        isStillAllowed,
        currentCaller,
        inTurn: (work) =>
          gateway.longWork.run(
            keyOf(request, user),
            async (next) => {
              // Before its turn: to read a session takes a moment, in which work of others would get theirs.
              await currentCaller()
              await next()
              if (response.destroyed)
                throw new Problem('Invalid', 'the connection ended while the request waited')
              return work(next)
            },
            bodyBytes,
          ),
        reserveAnswer(bytes) {
          unsent.reserve(keyOf(request, user), bytes)
          answerBytes += bytes
        },
        header: (name) => request.get(name),
      }
      const again = async (each: Call): Promise<Call> => ({
        ...each,
        caller: isPublic
          ? each.caller
          : await permitAgain(gateway.cluster, organization, each.caller, permit),
      })
      const handle = async (each: Call) => {
        try {
          return await withLateObjects(gateway.cluster, async (isRepeated) =>
            endpoint.handle(isRepeated ? await again(each) : each, gateway),
          )
        } finally {
          // The complete answer is counted until it is sent.
          unsent.release(keyOf(request, user), answerBytes)
        }
      }
      if (!bodySchema || !checkBody) return handle(call)
      const limits = bodyLimits(request, user)
      const bytes = await receiveBody(request, limits)
      const read = () => {
        const body = checkBody(parseBody(bytes))
        refuseUnknownFields(bodySchema, body)
        return body
      }
      try {
        const mustWait = bytes.length > bytesWithoutTurn || endpoint.takesTurn
        // What follows until the first request to the API server is part of the turn.
        const body = mustWait ? await call.inTurn(read) : read()
        bodyBytes = bytes.length
        // A role or token may be revoked while the body is received.
        return await handle({ ...call, body, caller: await currentCaller() })
      } finally {
        limits.release(bytes.length)
      }
    }
    return endpoint.isInvalidIfMissing ? invalidIfMissing(serve) : serve
  }
}

/** The handler checks the role on the environment type, because it finds the type. */
function withoutDeployer(access: Requirement): Requirement {
  return 'application' in access ? { ...access, deployer: false } : access
}

/** Answers 400 instead of 404. */
function invalidIfMissing(serve: Serve): Serve {
  return async (request, response) => {
    try {
      return await serve(request, response)
    } catch (error) {
      throw error instanceof Missing ? new Problem('Invalid', error.message) : error
    }
  }
}

/** Refuses parameters that would have another effect than they say. */
function refuseQuery(endpoint: Endpoint, request: Request): void {
  if (isUnexpectedDryRun(endpoint, request))
    throw new Problem('Invalid', `this operation has no dry run, so it did nothing: leave out 'dry_run'`)
  // Identity providers add further parameters to public paths.
  const wrong = endpoint.access === 'public' ? undefined : misspeltParameter(endpoint, request.query)
  if (wrong !== undefined) throw new Problem('Invalid', wrong)
  const empty = emptyFlag(endpoint, request.query)
  if (empty !== undefined) throw new Problem('Invalid', `query: '${empty}' must be 'true' or 'false'`)
}

/** Whether a client asks an operation that has no dry run for one, and expects that nothing changes. */
function isUnexpectedDryRun(endpoint: Endpoint, request: Request): boolean {
  const given = request.query['dry_run']
  return (
    endpoint.method !== 'get' &&
    !offersDryRun(endpoint) &&
    (Array.isArray(given) ? given : [given]).some((each) => isOn(each) || each === '')
  )
}

/** Authenticates a request and counts it against the rate limit of the user, or of the address if that fails. */
async function authenticateRequest(
  request: Request,
  response: Response,
  gateway: Gateway,
  limit: RateLimit,
): Promise<Caller> {
  const found = await tryAuthenticate(request, gateway)
  const locals: AuditLocals = found ? { userName: found.caller.userName, via: found.via } : {}
  Object.assign(response.locals, locals)
  checkRateLimit(limit, keyOf(request, found?.caller ?? anonymous))
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

function keyOf(request: Request, caller: Caller): string {
  return callerKey(request, caller === anonymous ? undefined : caller.userName)
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

/** A wrong type in a query or header is Invalid, not Unprocessable. */
function checkDeclared(place: string, check: (value: unknown) => unknown, values: object): unknown {
  try {
    return check({ ...values })
  } catch (error) {
    if (error instanceof Problem) throw new Problem('Invalid', `${place}: ${error.message}`)
    throw error
  }
}
