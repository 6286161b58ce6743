import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { Problem } from '../operator/domain/base/errors.ts'
import type { DriverDescriptor } from '../operator/domain/resource/driver.ts'
import type { Cluster } from '../operator/kube/cache/cluster.ts'
import type { Log } from '../operator/log.ts'
import { createPlanning } from '../operator/planning/planning.ts'
import { type AuditLocals, createAudit } from './audit/audit.ts'
import { createDriverInputsCheck } from './driver-inputs.ts'
import type { Answer, Endpoint, Gateway } from './endpoint.ts'
import { endpoints as allEndpoints } from './endpoints/index.ts'
import { createMetrics } from './metrics.ts'
import { openApiDocument } from './openapi/document.ts'
import { createViewer } from './pages/viewer.ts'
import { createRateLimit, type RateLimit, take } from './rate-limit.ts'
import { type AnswerBudget, createAnswerBudget } from './request/answer-budget.ts'
import { addressKey, callerKey, sourceAddress } from './request/source-address.ts'
import { allowOrigins, commonHeaders } from './response/common-headers.ts'
import { errorBody, type Refusal, refusalOf } from './response/errors.ts'
import { withOperatorNotice } from './response/operator-notice.ts'
import { contentOf, send } from './response/send.ts'
import { createServe } from './serve.ts'
import { closeServer, createHttpServer } from './server.ts'
import { defaultSettings, type GatewaySettings } from './settings.ts'
import { createOidc } from './sign-in/oidc.ts'
import { createSessions } from './sign-in/session.ts'
import { createSigner, readSessionKey } from './sign-in/signer.ts'

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly cluster: Cluster
  readonly log: Log
  /** Where audit records go, whatever else is logged; `log` when absent. */
  readonly auditLog?: Log
  readonly catalogue: readonly DriverDescriptor[]
  readonly settings?: Partial<GatewaySettings>
  readonly endpoints?: readonly Endpoint[]
  readonly version?: string
  /** Whether an operator works on what is recorded; taken for granted when absent. */
  hasOperator?(): boolean
  /** The key that signs sessions, as PEM; undefined while there is none. */
  sessionKey?(): Promise<string | undefined>
  now?(): number
}

/** Not a token that came into the wrong header: the id is logged. */
const requestIdPattern = /^(?!qm_|eyJ)[\w-]{8,64}$/

/** The REST interface over a cluster. */
export function createGateway(options: GatewayOptions) {
  const { cluster, log, catalogue, endpoints = allEndpoints, version = '0.1.0', now = Date.now } = options
  const settings = { ...defaultSettings, ...options.settings }
  const document = openApiDocument(endpoints, version)
  const planning = createPlanning(cluster.store, { catalogue, vendors: settings.vendors, log })
  const signer = createSigner(options.sessionKey ?? (() => readSessionKey(cluster.client)), log, now)
  const gateway: Gateway = {
    cluster,
    sessions: createSessions(signer, now),
    oidc: settings.oidc && createOidc(settings.oidc, { signer, log, now }),
    planning,
    checkDriverInputs: createDriverInputsCheck(planning, settings.vendors, now),
    criteriaTurns: new Map(),
    runTurns: new Map(),
    accountTurns: new Map(),
    settings,
    log,
    metrics: createMetrics(),
    audit: createAudit({ log: options.auditLog ?? log, store: cluster.store, now }),
    hasOperator: options.hasOperator ?? (() => true),
    document: JSON.stringify(document),
    viewer: createViewer(),
    now,
  }
  const app = createApp(endpoints, gateway)
  let server: Server | undefined

  return {
    handle: app,
    /** Listens on a port, 0 for any free one; answers the port. */
    async listen(port: number, host?: string): Promise<number> {
      const started = createHttpServer(app)
      server = started
      await new Promise<void>((resolve, reject) => {
        started.once('error', reject)
        started.listen(port, host, resolve)
      })
      const address = started.address()
      return typeof address === 'object' && address ? address.port : port
    },
    /** Stops listening and lets the requests under way finish. */
    async close(): Promise<void> {
      if (server) await closeServer(server)
      gateway.audit.close()
    },
  }
}

function createApp(endpoints: readonly Endpoint[], gateway: Gateway): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', gateway.settings.trustedProxies)
  app.use(prepare(gateway))
  const { allowedOrigins } = gateway.settings
  if (allowedOrigins.length > 0) app.use(allowOrigins(allowedOrigins))
  const limit = createRateLimit(gateway.settings, gateway.now)
  const answers = createAnswerBudget()
  const serve = createServe(gateway, limit, answers)
  for (const [path, operations] of byPath(endpoints)) {
    const route = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'))
    for (const each of operations) {
      const answer = serve(each)
      route[each.method]((request, response) => respond(request, response, gateway, each, answer, answers))
    }
    route.all(refuseMethod(operations, limit))
  }
  app.use((request) => {
    take(limit, addressKey(sourceAddress(request)))
    throw new Problem('NotFound', 'no such path')
  })
  app.use(refuse(gateway))
  return app
}

/** Operations by path; a path with a word goes before one that has a parameter in its place. */
function byPath(endpoints: readonly Endpoint[]): [string, Endpoint[]][] {
  const paths = Map.groupBy(endpoints, ({ path }) => path)
  const rank = (path: string) => path.replaceAll(/\{\w+\}/g, '~') // after all letters
  return [...paths].sort(([left], [right]) => (rank(left) < rank(right) ? -1 : 1))
}

/** Gives every answer its common headers, and every request an id, a line in the log and its part in the figures. */
function prepare({ log, metrics }: Gateway): RequestHandler {
  return (request, response, next) => {
    const started = performance.now()
    const given = request.get('x-request-id') ?? ''
    const requestId = requestIdPattern.test(given) ? given : randomUUID()
    response.setHeader('x-request-id', requestId)
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value)
    response.locals['requestId'] = requestId
    response.once('close', () => {
      const { method } = request
      const { route = 'none', userName } = response.locals as { route?: string; userName?: string } // set below and by us alone
      const { statusCode: status } = response
      const seconds = (performance.now() - started) / 1000
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
  serve: (request: Request, response: Response) => Promise<Answer>,
  answers: AnswerBudget,
): Promise<void> {
  response.locals['route'] = endpoint.path
  response.locals['offersDryRun'] = endpoint.query !== undefined && 'dry_run' in endpoint.query
  try {
    const answer = withOperatorNotice(await serve(request, response), endpoint, gateway.hasOperator)
    if (answer.actor !== undefined) Object.assign(response.locals, { userName: answer.actor, signsIn: true })
    const content = contentOf(answer)
    if (content !== undefined && !endpoint.isUnlimited && !response.destroyed) {
      const { userName } = response.locals as AuditLocals // set by us alone
      const isRead = endpoint.method === 'get'
      answers.hold(callerKey(request, userName), { bytes: Buffer.byteLength(content), response, isRead })
    }
    gateway.audit.record(request, response, answer.status)
    send(request, response, answer, content)
  } catch (error) {
    sendRefusal(request, response, gateway, error, endpoint)
  }
}

function refuseMethod(operations: readonly Endpoint[], limit: RateLimit): RequestHandler {
  const methods = operations.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  )
  return (request, response) => {
    response.setHeader('allow', methods.join(', '))
    take(limit, addressKey(sourceAddress(request)))
    throw new Problem('MethodNotAllowed', `this path allows ${methods.join(', ')}`)
  }
}

function refuse(gateway: Gateway): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    sendRefusal(request, response, gateway, error)
  }
}

function sendRefusal(
  request: Request,
  response: Response,
  { log, audit }: Gateway,
  error: unknown,
  endpoint?: Endpoint,
): void {
  const refusal = refusalOf(error)
  const requestId = response.locals['requestId']
  if (refusal.unexpected) log.error('request failed', { requestId, route: endpoint?.path, error })
  if (refusal.retryAfterSeconds !== undefined)
    response.setHeader('retry-after', String(refusal.retryAfterSeconds))
  if (refusal.status === 401) response.setHeader('www-authenticate', 'Bearer')
  send(request, response, { status: refusal.status, body: bodyOf(refusal, endpoint, requestId) })
  // Only now: the time of the answer does not tell whether there is something that a record is kept of.
  audit.record(request, response, refusal.status, refusal.reason)
}

function bodyOf(refusal: Refusal, endpoint: Endpoint | undefined, requestId: unknown): unknown {
  if (refusal.status === 404 && endpoint?.plainNotFound) return refusal.message
  return errorBody(refusal.unexpected ? { ...refusal, details: { request_id: requestId } } : refusal)
}
