import type { Readable } from 'node:stream'
import { systemNamespace } from '../../api/names.ts'
import { parseJson, sameJson } from '../../domain/base/json.ts'
import { quotaRefusalIn } from '../../domain/base/quota.ts'
import { ApiError, isDenied, NoAnswer, QuotaError } from './api-error.ts'
import { bodyText } from './body-text.ts'
import type { Connection } from './connection.ts'
import type { Credentials } from './credentials.ts'
import { createFairSlots } from './fair-slots.ts'
import type { ServerClock } from './server-clock.ts'
import { ServerStart } from './server-start.ts'
import { type Answer, createTransport, isSuccess, type OutgoingRequest, type Transport } from './transport.ts'

/** Query parameters; undefined ones are omitted. */
export type Query = Record<string, string | number | boolean | undefined>

export interface RequestOptions {
  readonly query?: Query
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
  readonly timeoutMs?: number
}

/** A client of the API server: raw JSON over keep-alive connections. */
export interface KubeClient {
  /** Returns the parsed body; throws ApiError on an error response, any other error without a response. */
  request(method: string, path: string, options?: RequestOptions): Promise<unknown>
  /** Yields an empty line when the server answers, then the lines of a watch until `signal` aborts or the server ends it. */
  watch(
    path: string,
    options: { readonly query: Query; readonly accept?: string; readonly signal: AbortSignal },
  ): AsyncIterable<string>
  close(): Promise<void>
}

interface ClientOptions {
  /** Maximum number of requests in flight. */
  readonly connections?: number
  readonly timeoutMs?: number
  /** Called after each attempt, watches included, with the HTTP status, 0 without a response, and the seconds until the answer, or the head of a watch. */
  readonly onResponse?: (method: string, status: number, seconds: number) => void
  /** Follows the dates of the answers. */
  readonly serverClock?: ServerClock
}

/** What the API server says of every kind that it does not serve, with the reason `NotFound`. */
const unservedMessage = 'the server could not find the requested resource'
/** What it says of a selector for a field that the kind does not list. We select only by fields that our kinds list. */
const unknownField = 'field label not supported'
/** How the refusals end of an API server that starts, after it has waited for ten seconds. */
const unreadyMessage = ' is forbidden: not yet ready to handle request'
const maxBusyRetries = 8
/** Those who asked are not kept waiting for longer: they get the refusal. */
const longestBusyPauseSeconds = 30
const quotaConflictMs = 50
/** Pause before an API server that starts is asked again. */
const startingMs = 1000
/** The share of the connections of an organization that sends much, while others use them: more make every request slow. */
const sharedConnections = 1 / 16

/** A client with a connection pool for requests and one for watches, so that watches cannot starve requests. */
export function createClient(connection: Connection, options: ClientOptions = {}): KubeClient {
  const { connections = 64, timeoutMs, onResponse, serverClock } = options
  const calls = createTransport(connection.origin, connections)
  const watches = createTransport(connection.origin)
  const slots = createFairSlots(connections, { share: Math.ceil(connections * sharedConnections) })
  const start = new ServerStart()

  /** Sends a request, and once more when the credentials have been replaced. */
  async function send(name: string, transport: Transport, request: OutgoingRequest) {
    const credentials = await connection.credentials()
    const answer = await sendAs(credentials, name, transport, request)
    if (answer.status !== 401) return answer
    const renewed = await connection.credentials(credentials)
    return sameJson(renewed, credentials) ? answer : sendAs(renewed, name, transport, request)
  }

  /** Sends a request with these credentials, and reports it as `name`. */
  async function sendAs(
    credentials: Credentials,
    name: string,
    transport: Transport,
    { path, headers, ...rest }: OutgoingRequest,
  ) {
    const begun = performance.now()
    let status = 0
    try {
      const answer = await transport.send(credentials, {
        ...rest,
        path: connection.pathPrefix + path,
        headers: { ...credentials.headers, ...headers },
      })
      status = answer.status
      if (isSuccess(status)) start.noteSuccess()
      serverClock?.note(answer.date)
      return answer
    } catch (error) {
      if (error instanceof NoAnswer) start.noteSilence()
      throw error
    } finally {
      onResponse?.(name, status, (performance.now() - begun) / 1000)
    }
  }

  async function call(method: string, path: string, options: RequestOptions) {
    const { query, accept = 'application/json', contentType = 'application/json' } = options
    const body = options.body === undefined ? undefined : bodyText(options.body, contentType)
    return send(method, calls, {
      method,
      path: path + queryText(query),
      headers: { accept, ...(body === undefined ? {} : { 'content-type': contentType }) },
      body,
      timeoutMs: options.timeoutMs ?? timeoutMs,
    })
  }

  return {
    async request(method, path, options = {}) {
      let refusedAt: number | undefined
      for (let attempt = 0; ; attempt += 1) {
        const answer = await slots.run(ownerOf(path), () => call(method, path, options))
        const { status } = answer
        if (isSuccess(status)) return contentOf(answer, `${method} ${path}`)
        const error = errorOf(answer, `${method} ${path}`)
        const isStarting = start.explains(error)
        if (isStarting) refusedAt ??= performance.now()
        const pause = isStarting ? startingMs : retryMsOf(error)
        if (pause === undefined || attempt >= maxBusyRetries)
          throw start.lastRefusal(quotaErrorOf(error, path), refusedAt)
        await sleep(pause * (1 + Math.random() / 2))
      }
    },
    async *watch(path, { query, accept = 'application/json', signal }) {
      let refusedAt: number | undefined
      try {
        for (let attempt = 0; ; attempt += 1) {
          const answer = await send('WATCH', watches, {
            method: 'GET',
            path: path + queryText(query),
            headers: { accept },
            timeoutMs,
            streamUntil: signal,
          })
          if (answer.stream) return yield* linesOf(answer.stream)
          const error = errorOf(answer, `GET ${path}`)
          refusedAt ??= performance.now()
          if (!start.explains(error) || attempt >= maxBusyRetries) throw start.lastRefusal(error, refusedAt)
          await sleep(startingMs * (1 + Math.random() / 2))
          signal.throwIfAborted()
        }
      } catch (error) {
        // An aborted stream fails as if the server had closed the connection.
        signal.throwIfAborted()
        throw error
      }
    },
    async close() {
      calls.close()
      watches.close()
    },
  }
}

/** An empty line at once, then the lines of a stream. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = ''
  stream.setEncoding('utf8')
  // The loop throws it, but may not have begun.
  stream.on('error', () => {})
  try {
    yield ''
    for await (const part of stream) {
      const lines = (rest + String(part)).split('\n')
      rest = lines.pop() ?? ''
      // `yield*` makes four promises of each line.
      for (const line of lines) yield line
    }
  } finally {
    stream.destroy()
  }
}

/** The content of a successful answer. A proxy may cut it, and the error of the parser may quote a secret. */
function contentOf({ text }: Answer, request: string): unknown {
  if (text === '') return undefined
  const content = parseJson(text)
  if (content === undefined) throw cutAnswer(request)
  return content
}

function cutAnswer(request: string): NoAnswer {
  return new NoAnswer(`the API server answered ${request} with what is not JSON; a proxy may have cut it`)
}

/** The error of an answer. Names the request, method and path, where the answer does not name the object. */
function errorOf({ status, retryAfter, text }: Answer, request: string): ApiError {
  const stated = parseJson(text) as { reason?: string; message?: string } | undefined // a Status of the API server
  // Its reason decides whether a refusal is for good.
  if (status === 403 && stated === undefined && text.startsWith('{')) throw cutAnswer(request)
  const object = stated?.message === unservedMessage ? undefined : stated
  const seconds = Number(retryAfter)
  const message = object?.message ?? `the API server answered ${status} to ${request}`
  const error = new ApiError(
    status,
    object?.reason ?? 'Unknown',
    message + hintOf(status, request, object?.message),
    retryAfter === undefined || Number.isNaN(seconds) ? undefined : seconds,
    request,
  )
  return withPlainStatus(error)
}

/** The error with a status that says whose fault it is. */
function withPlainStatus(error: ApiError): ApiError {
  const { status, message, request } = error
  // A webhook denies with any status; these would speak of the state of the object.
  if (isDenied(error))
    return [404, 409, 410].includes(status)
      ? new ApiError(403, 'Forbidden', message, undefined, request)
      : error
  // It refuses everything until it has read the rules of admission.
  const isUnready = status === 403 && message.endsWith(unreadyMessage)
  return isUnready ? new ApiError(503, 'ServiceUnavailable', message) : error
}

/** Of answers without a message. The API server has one for a body that is too large for it. */
const hints: Readonly<Record<number, string>> = {
  404: ': it does not serve this path',
  413: ': the body is too large for a proxy before it',
}

/** What the message of the API server, which may be absent, does not say. */
function hintOf(status: number, request: string, message: string | undefined): string {
  if (message === undefined) return hints[status] ?? ''
  if (status === 504) return `: ${request}`
  const isOfKind = status === 400 && message.startsWith(unknownField)
  return isOfKind ? ': the CustomResourceDefinition is of another version than this process' : ''
}

/** Milliseconds after which a request is repeated that failed only because others run; undefined for other errors. */
function retryMsOf({ status, reason, message, retryAfterSeconds }: ApiError): number | undefined {
  // API Priority and Fairness asks for it, and a proxy may ask for any time.
  if (status === 429 && retryAfterSeconds !== undefined)
    return retryAfterSeconds > longestBusyPauseSeconds ? undefined : retryAfterSeconds * 1000
  // A create counts in the quotas of its namespace, as others do at the same time.
  const isQuotaConflict = status === 409 && reason === 'Conflict' && message.includes('on resourcequotas "')
  return isQuotaConflict ? quotaConflictMs : undefined
}

/** The namespace in a path; empty without one. */
function namespaceIn(path: string): string {
  return /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? ''
}

/** The organization of a path, whose name the namespaces of its environments begin with; empty for the system. */
function ownerOf(path: string): string {
  const namespace = namespaceIn(path)
  return namespace === systemNamespace ? '' : (namespace.split('--', 1)[0] ?? '')
}

function quotaErrorOf(error: ApiError, path: string): ApiError {
  const namespace = namespaceIn(path)
  const refusal = error.status === 403 ? quotaRefusalIn(error.message, namespace) : undefined
  return refusal ? new QuotaError(namespace, refusal) : error
}

/** The query string with its question mark, or an empty string. */
function queryText(query: Query = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size > 0 ? `?${given.toString()}` : ''
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
