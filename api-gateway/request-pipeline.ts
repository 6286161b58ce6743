import type { Request, Response } from 'express'
import { object } from '../operator/api/schema.ts'
import { Problem } from '../operator/domain/base/errors.ts'
import type { Call, Endpoint, EndpointResponse, Gateway } from './endpoint.ts'
import { withLateObjects } from './late-objects.ts'
import { parameterNames } from './openapi/document.ts'
import { identify, type Permission } from './permission.ts'
import type { RateLimit } from './rate-limit.ts'
import { parseBody } from './request/body.ts'
import { emptyFlag, isOn, offersDryRun } from './request/boolean-query.ts'
import type { ByteBudget } from './request/byte-budget.ts'
import { Missing } from './request/missing.ts'
import { parameters } from './request/parameters.ts'
import { createReceivedBodies } from './request/received-bodies.ts'
import { misspeltParameter, refuseUnknownFields } from './request/unknown-fields.ts'
import { createValidators, type Validators } from './request/validate.ts'

/** Handles a request and returns the response, or throws. */
export type Serve = (request: Request, response: Response) => Promise<EndpointResponse>

/** Public operations accept only short bodies. */
const maxPublicBodyBytes = 8192
/** Bytes of a body that is read at once, because most are short. */
const bytesWithoutTurn = 64 * 1024

/** Wraps endpoints with rate limits, authentication, authorization and validation. */
export function createServe(
  gateway: Gateway,
  limit: RateLimit,
  unsent: ByteBudget,
): (endpoint: Endpoint) => Serve {
  const validators = createValidators()
  const readParameters = createParameterReader(validators)
  const bodies = createReceivedBodies()

  return (endpoint) => {
    const { body: bodySchema } = endpoint
    const parametersOf = readParameters(endpoint)
    const checkBody = bodySchema && validators.body(bodySchema)
    const maxBodyBytes = endpoint.access === 'public' ? maxPublicBodyBytes : gateway.settings.maxBodyBytes

    const serve: Serve = async (request, response) => {
      const permission = await identify(request, response, endpoint, gateway, limit)
      const { key, current: currentCaller, isStillAllowed } = permission
      if (!endpoint.isUnlimited) unsent.ensureAvailable(key)
      const caller = await permission.first()
      const call: UncountedCall = {
        ...parametersOf(request),
        body: undefined,
        caller,
        isStillAllowed,
        currentCaller,
        inTurn: turnsOf(gateway, permission, response),
        header: (name) => request.get(name),
      }
      const handle = (each: UncountedCall) => handleCounted(endpoint, gateway, permission, unsent, each)
      if (!bodySchema || !checkBody) return handle(call)
      return bodies.during(request, key, maxBodyBytes, async (bytes) => {
        const read = () => {
          const body = checkBody(parseBody(bytes))
          refuseUnknownFields(bodySchema, body)
          return body
        }
        const mustWait = bytes.length > bytesWithoutTurn || endpoint.takesTurn
        // What follows until the first request to the API server is part of the turn.
        const body = mustWait ? await call.inTurn(read) : read()
        const inTurn = turnsOf(gateway, permission, response, bytes.length)
        // A role or token may be revoked while the body is received.
        return handle({ ...call, body, inTurn, caller: await currentCaller() })
      })
    }
    return endpoint.isInvalidIfMissing ? invalidIfMissing(serve) : serve
  }
}

/** A call whose answer is not counted yet. */
type UncountedCall = Omit<Call, 'reserveAnswer'>

/** Handles a call, again if an object was late, and counts its complete answer until it is sent. */
async function handleCounted(
  endpoint: Endpoint,
  gateway: Gateway,
  { key, again }: Permission,
  unsent: ByteBudget,
  call: UncountedCall,
): Promise<EndpointResponse> {
  let answerBytes = 0
  const reserveAnswer = (bytes: number) => {
    unsent.reserve(key, bytes)
    answerBytes += bytes
  }
  try {
    return await withLateObjects(gateway.cluster, async (isRepeated) => {
      const caller = isRepeated ? await again(call.caller) : call.caller
      return endpoint.handle({ ...call, caller, reserveAnswer }, gateway)
    })
  } finally {
    unsent.release(key, answerBytes)
  }
}

/** Runs long work of a request in turn, with the `bytes` of its body. */
function turnsOf(
  { longWork }: Gateway,
  { key, current }: Permission,
  response: Response,
  bytes = 0,
): Call['inTurn'] {
  return (work) =>
    longWork.run(
      key,
      async (next) => {
        // Before its turn: to read a session takes a moment, in which work of others would get theirs.
        await current()
        await next()
        if (response.destroyed) throw new Problem('Invalid', 'the connection ended while the request waited')
        return work(next)
      },
      bytes,
    )
}

/** Reads the parameters in the path, the query and the headers of requests; throws for those that are not valid. */
function createParameterReader(
  validators: Validators,
): (endpoint: Endpoint) => (request: Request) => Pick<Call, 'params' | 'query'> {
  const pathChecks = new Map(
    Object.entries(parameters).map(([name, schema]) => [name, validators.parameter(name, schema)]),
  )
  return (endpoint) => {
    const { path, query = {}, headers = {} } = endpoint
    const names = parameterNames(path)
    const checkQuery = validators.body(object({}, query, 'Query parameters.'))
    const checkHeaders = validators.body(object({}, headers, 'Headers.'))
    const headerNames = Object.keys(headers)
    return (request) => {
      const params = request.params as Record<string, string> // only a wildcard gives a list, and no path has one
      refuseQuery(endpoint, request)
      const problem = names
        .map((name) => pathChecks.get(name)?.(params[name]))
        .find((each) => each !== undefined)
      if (problem !== undefined) throw new Problem('NotFound', `no object has this path: ${problem}`)
      const given = Object.fromEntries(headerNames.map((name) => [name, request.get(name)]))
      if (headerNames.length > 0) checkDeclared('header', checkHeaders, given)
      return { params, query: checkDeclared('query', checkQuery, request.query) as Call['query'] }
    }
  }
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
  const isRepeated = ([name, { type }]: [string, { readonly type?: unknown }]) =>
    type === 'string' && Array.isArray(request.query[name])
  const [repeated] = Object.entries(endpoint.query ?? {}).find(isRepeated) ?? []
  if (repeated !== undefined) throw new Problem('Invalid', `query: '${repeated}' is given more than once`)
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

/** A wrong type in a query or header is Invalid, not Unprocessable. */
function checkDeclared(place: string, check: (value: unknown) => unknown, values: object): unknown {
  try {
    return check({ ...values })
  } catch (error) {
    if (error instanceof Problem) throw new Problem('Invalid', `${place}: ${error.message}`)
    throw error
  }
}
