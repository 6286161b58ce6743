import { randomUUID } from 'node:crypto'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { Problem } from '../operator/domain/base/errors.ts'
import type { AuditLocals } from './audit/audit.ts'
import type { Endpoint, Gateway } from './endpoint.ts'
import { createPortal, portalPaths } from './pages/portal.ts'
import { checkRateLimit, createRateLimit, type RateLimit } from './rate-limit.ts'
import { offersDryRun } from './request/boolean-query.ts'
import { type ByteBudget, createByteBudget } from './request/byte-budget.ts'
import { addressKey, callerKey, sourceAddress } from './request/source-address.ts'
import { createServe, type Serve } from './request-pipeline.ts'
import { startRequestSpan } from './request-span.ts'
import { allowOrigins, commonHeaders } from './response/common-headers.ts'
import { type ErrorResponse, errorBody, toErrorResponse } from './response/errors.ts'
import { withOperatorNotice } from './response/operator-notice.ts'
import { contentOf, send, statusOf } from './response/send.ts'
import { sendEvents } from './response/send-events.ts'

/** Limit per caller: clients that do not read their responses keep them in memory. */
const maxUnsentBytes = 64 * 1024 * 1024
const maxUnsentBytesOfAll = 192 * 1024 * 1024
const unsentRefusal = 'too many answers are not read yet'

/** Excludes API tokens and JWTs sent in the wrong header, because the ID is logged. */
const requestIdPattern = /^(?!qm_|eyJ)[\w-]{8,64}$/

/** The routes of the endpoints and of the portal, as one request handler. */
export function createApp(endpoints: readonly Endpoint[], gateway: Gateway, portalDirectory: URL): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', gateway.settings.trustedProxies)
  app.use(instrument(gateway))
  const { allowedOrigins } = gateway.settings
  if (allowedOrigins.length > 0) app.use(allowOrigins(allowedOrigins))
  const limit = createRateLimit(gateway.settings, gateway.now)
  const unsent = createByteBudget({
    limit: maxUnsentBytes,
    total: maxUnsentBytesOfAll,
    refusal: unsentRefusal,
  })
  const serve = createServe(gateway, limit, unsent)
  for (const [path, operations] of byPath(endpoints)) {
    const route = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'))
    for (const each of operations) {
      const handle = serve(each)
      route[each.method]((request, response) => respond(request, response, gateway, each, handle, unsent))
    }
    route.all(methodNotAllowed(operations, limit))
  }
  const portal = createPortal(portalDirectory, limit)
  if (portal) {
    app.get(portalPaths, portal.page)
    app.get('/assets/:file', portal.file)
  }
  app.use((request) => {
    checkRateLimit(limit, addressKey(sourceAddress(request)))
    throw new Problem('NotFound', 'no such path')
  })
  app.use(errorHandler(gateway))
  return app
}

/** Groups operations by path; literal segments sort before parameters. */
function byPath(endpoints: readonly Endpoint[]): [string, Endpoint[]][] {
  const paths = Map.groupBy(endpoints, ({ path }) => path)
  const rank = (path: string) => path.replaceAll(/\{\w+\}/g, '~') // sorts after all letters
  return [...paths].sort(([left], [right]) => (rank(left) < rank(right) ? -1 : 1))
}

/** What is known of a request when its response ends. */
interface Measured {
  readonly route?: string
  readonly userName?: string
  /** When a response that takes long began, in milliseconds of the process. */
  readonly answeredAt?: number
}

/** Sets the common headers and the request ID, and logs and measures each request. */
function instrument({ log, metrics }: Gateway): RequestHandler {
  return (request, response, next) => {
    const started = performance.now()
    const given = request.get('x-request-id') ?? ''
    const requestId = requestIdPattern.test(given) ? given : randomUUID()
    response.setHeader('x-request-id', requestId)
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value)
    response.locals['requestId'] = requestId
    response.once('close', () => {
      const { method } = request
      const { route = 'none', userName, answeredAt = performance.now() } = response.locals as Measured // only the gateway sets them
      const status = statusOf(response) ?? 'none'
      const seconds = (answeredAt - started) / 1000
      metrics.observe({ method: knownMethods.has(method) ? method : 'OTHER', route, status, seconds })
      log.debug('request', { requestId, method, route, status, seconds, userName })
    })
    next()
  }
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

async function respond(
  request: Request,
  response: Response,
  gateway: Gateway,
  endpoint: Endpoint,
  handle: Serve,
  unsent: ByteBudget,
): Promise<void> {
  response.locals['route'] = endpoint.path
  response.locals['offersDryRun'] = offersDryRun(endpoint)
  gateway.audit.begin(request, response)
  const span = startRequestSpan(request, response, gateway, endpoint)
  try {
    const answer = await span.within(() => handle(request, response))
    const result = withOperatorNotice(answer, endpoint, gateway.hasOperator)
    if (result.actor !== undefined) Object.assign(response.locals, { userName: result.actor, signsIn: true })
    const content = contentOf(result)
    if (content !== undefined && !endpoint.isUnlimited && !response.destroyed) {
      const { userName } = response.locals as AuditLocals // only the gateway sets them
      const key = callerKey(request, userName)
      const bytes = Buffer.byteLength(content)
      // A write already took effect, so its response is always sent.
      unsent.reserve(key, bytes, { force: endpoint.method !== 'get' })
      response.once('close', () => unsent.release(key, bytes))
    }
    gateway.audit.record(request, response, result.status)
    if (result.events) {
      response.locals['answeredAt'] = performance.now()
      await sendEvents(request, response, result.events)
      return
    }
    send(request, response, result, content)
  } catch (error) {
    sendError(request, response, gateway, error, endpoint)
  }
}

function methodNotAllowed(operations: readonly Endpoint[], limit: RateLimit): RequestHandler {
  const methods = operations.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  )
  return (request, response) => {
    response.setHeader('allow', methods.join(', '))
    checkRateLimit(limit, addressKey(sourceAddress(request)))
    throw new Problem('MethodNotAllowed', `this path allows ${methods.join(', ')}`)
  }
}

function errorHandler(gateway: Gateway): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    sendError(request, response, gateway, error)
  }
}

function sendError(
  request: Request,
  response: Response,
  { log, audit }: Gateway,
  error: unknown,
  endpoint?: Endpoint,
): void {
  const result = toErrorResponse(error)
  const requestId = response.locals['requestId']
  if (result.unexpected) log.error('request failed', { requestId, route: endpoint?.path, error })
  if (result.retryAfterSeconds !== undefined)
    response.setHeader('retry-after', String(result.retryAfterSeconds))
  if (result.status === 401) response.setHeader('www-authenticate', 'Bearer')
  send(request, response, { status: result.status, body: errorBodyFor(result, endpoint, requestId) })
  // The record is written after the response, so that response times do not reveal what is audited.
  audit.record(request, response, result.status, result.reason)
}

function errorBodyFor(result: ErrorResponse, endpoint: Endpoint | undefined, requestId: unknown): unknown {
  if (result.status === 404 && endpoint?.plainNotFound) return result.message
  return errorBody(result.unexpected ? { ...result, details: { request_id: requestId } } : result)
}
