import type { Request, Response } from 'express'
import { object } from '../operator/api/schema.ts'
import { Problem } from '../operator/domain/base/errors.ts'
import type { AuditLocals } from './audit/audit.ts'
import {
  type Authentication,
  anonymous,
  authenticate,
  authorize,
  blindnessOf,
  type Caller,
  membershipIn,
  refusalOf,
} from './authenticate.ts'
import type { Answer, Call, Endpoint, Gateway } from './endpoint.ts'
import { parameterNames } from './openapi/document.ts'
import { type RateLimit, take } from './rate-limit.ts'
import type { AnswerBudget } from './request/answer-budget.ts'
import { type BodyLimits, readJson } from './request/body.ts'
import { createBodyBudget } from './request/body-budget.ts'
import { parameters } from './request/parameters.ts'
import { callerKey } from './request/source-address.ts'
import { createValidators } from './request/validate.ts'

/** Answers one request, or throws why not. */
export type Serve = (request: Request, response: Response) => Promise<Answer>

const maxPublicBodyBytes = 8192
/** What one caller may have under way at the same time. */
const mostBodyBytes = 16 * 1024 * 1024

/** Makes operations servable: who calls, whether they may, what they send, then what they get. */
export function createServe(
  gateway: Gateway,
  limit: RateLimit,
  answers: AnswerBudget,
): (endpoint: Endpoint) => Serve {
  const validators = createValidators()
  const fits = new Map(Object.entries(parameters).map(([name, schema]) => [name, validators.test(schema)]))

  const budget = createBodyBudget(mostBodyBytes)
  const bodyLimits = (request: Request, caller: Caller): BodyLimits => {
    const key = keyOf(request, caller)
    return {
      // What needs no token is short.
      maxBytes: caller === anonymous ? maxPublicBodyBytes : gateway.settings.maxBodyBytes,
      take: (bytes) => budget.take(key, bytes),
      give: (bytes) => budget.give(key, bytes),
    }
  }

  return (endpoint) => {
    const { access, path, query = {}, headers = {}, body } = endpoint
    const names = parameterNames(path)
    const checkQuery = validators.body(object({}, query, 'Query parameters.'))
    const checkHeaders = validators.body(object({}, headers, 'Headers.'))
    const headerNames = Object.keys(headers)
    const checkBody = body && validators.body(body)

    return async (request, response) => {
      const params = request.params as Record<string, string> // no path has a wildcard, which alone gives lists
      const isPublic = access === 'public'
      if (isPublic && !endpoint.isUnlimited) take(limit, keyOf(request, anonymous))
      const known = isPublic ? anonymous : await identify(request, response, gateway, limit)
      if (!endpoint.isUnlimited) answers.demandRoom(keyOf(request, known))
      const admit = (user: Caller): Caller => {
        const member = memberAt(user, params['org_id'], gateway)
        if (typeof access === 'object') authorize(member, access, { applicationId: params['app_id'] })
        return member
      }
      const caller = admit(known)
      const unfit = names.find((name) => !fits.get(name)?.(params[name]))
      if (unfit) throw new Problem('NotFound', `nothing has such a '${unfit}'`)
      const given = Object.fromEntries(headerNames.map((name) => [name, request.get(name)]))
      if (headerNames.length > 0) asDeclared('header', checkHeaders, given)
      const call: Call = {
        params,
        query: asDeclared('query', checkQuery, request.query) as Call['query'],
        body: undefined,
        caller,
        header: (name) => request.get(name),
      }
      if (!checkBody) return endpoint.handle(call, gateway)
      const body = checkBody(await readJson(request, bodyLimits(request, known)))
      // A body may take its time, and whoever sends it may have lost the right meanwhile.
      const again = isPublic
        ? anonymous
        : ((await recognize(request, gateway))?.caller ?? throwUnknown(request, gateway))
      return endpoint.handle({ ...call, body, caller: admit(again) }, gateway)
    }
  }
}

/** Who calls; counts the request against their limit, or against that of the address when nobody is known. */
async function identify(
  request: Request,
  response: Response,
  gateway: Gateway,
  limit: RateLimit,
): Promise<Caller> {
  const known = await recognize(request, gateway)
  if (known) Object.assign(response.locals, spokenFor(known))
  take(limit, keyOf(request, known?.caller ?? anonymous))
  return known?.caller ?? throwUnknown(request, gateway)
}

async function recognize(request: Request, gateway: Gateway): Promise<Authentication | undefined> {
  if (blindnessOf(gateway.cluster.store) !== undefined) return undefined
  return authenticate(credentialsOf(request), gateway)
}

function throwUnknown(request: Request, gateway: Gateway): never {
  if (credentialsOf(request).length === 0)
    throw new Problem('Unauthorized', "the header 'Authorization' is missing")
  const blindness = blindnessOf(gateway.cluster.store)
  if (blindness !== undefined) throw new Problem('Internal', blindness)
  throw new Problem('Forbidden', refusalOf(credentialsOf(request)))
}

function credentialsOf(request: Request): readonly string[] {
  return request.headersDistinct['authorization'] ?? []
}

function keyOf(request: Request, caller: Caller): string {
  return callerKey(request, caller === anonymous ? undefined : caller.userName)
}

/** What the log and the audit say of who calls. */
function spokenFor({ caller: { userName }, via }: Authentication): AuditLocals {
  return { userName, via }
}

function memberAt(caller: Caller, organization: string | undefined, { cluster }: Gateway): Caller {
  if (organization === undefined) return caller
  return { ...caller, membership: membershipIn(cluster.store, caller, organization) }
}

/** A parameter that is not as declared is a value that breaks a rule, whatever its type. */
function asDeclared(place: string, check: (value: unknown) => unknown, values: object): unknown {
  try {
    return check({ ...values })
  } catch (error) {
    if (error instanceof Problem) throw new Problem('Invalid', `${place}: ${error.message}`)
    throw error
  }
}
