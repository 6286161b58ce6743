import type { Readable } from 'node:stream'
import { systemNamespace } from '../../api/names.ts'
import { parseJson } from '../../domain/base/json.ts'
import { type QuotaRefusal, type QuotaUse, quotaRefusalIn } from '../../domain/base/quota.ts'
import { bodyText } from './body-text.ts'
import type { Connection } from './connection.ts'
import { createFairSlots } from './fair-slots.ts'
import type { ServerClock } from './server-clock.ts'
import { type Answer, createTransport, isSuccess, type OutgoingRequest, type Transport } from './transport.ts'

/** An error response of the API server. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number
  /** Reason of the API server, such as `AlreadyExists`, `Conflict`, `NotFound`, `Invalid`, `Expired`. */
  readonly reason: string
  readonly retryAfterSeconds: number | undefined
  constructor(status: number, reason: string, message: string, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The API server refuses a create because of a quota of the namespace. */
export class QuotaError extends ApiError {
  readonly namespace: string
  readonly uses: readonly QuotaUse[]
  constructor(namespace: string, { message, uses }: QuotaRefusal) {
    super(403, 'Forbidden', message)
    this.namespace = namespace
    this.uses = uses
  }
}

/** Whether the API server does not have the object. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && !isUnserved(error)
}

/**
 * Whether the API server does not serve the version or the kind in the path of the request. This says nothing about the object,
 * which another version may serve.
 */
export function isUnserved(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.reason !== 'NotFound'
}

/** Whether a write conflicts with the object as it is now. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409
}

/**
 * Whether the object of a patch or a deletion does not exist, or the name belongs to another one. Not for creations, which
 * also conflict when the API server changes a quota.
 */
export function isGone(error: unknown): boolean {
  return isNotFound(error) || (isConflict(error) && error.reason === 'Conflict')
}

/** Whether a create is rejected because the namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.message.includes('is being terminated')
}

/** Whether a create fails because the name is in use. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists'
}

/** Whether the API server or etcd rejects a write for good: it is invalid or too large. */
export function isRejected(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return (
    [413, 422].includes(error.status) || /request is too large|message larger than max/.test(error.message)
  )
}

/** Whether an admission webhook or policy of the cluster denies a request. */
export function isDenied({ message }: ApiError): boolean {
  return /\bdenied (?:the )?request\b/.test(message)
}

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
const maxBusyRetries = 8
/** Those who asked are not kept waiting for longer: they get the refusal. */
const longestBusyPauseSeconds = 30
const quotaConflictMs = 50
/** The share of the connections of an organization that sends much, while others use them: more make every request slow. */
const sharedConnections = 1 / 16

/** A client with a connection pool for requests and one for watches, so that watches cannot starve requests. */
export function createClient(connection: Connection, options: ClientOptions = {}): KubeClient {
  const { connections = 64, timeoutMs = 30_000, onResponse, serverClock } = options
  const calls = createTransport(connection.origin, connections)
  const watches = createTransport(connection.origin)
  const slots = createFairSlots(connections, { share: Math.ceil(connections * sharedConnections) })

  /** Sends a request with the current credentials, and reports it as `name`. */
  async function send(name: string, transport: Transport, { path, headers, ...rest }: OutgoingRequest) {
    const credentials = await connection.credentials()
    const begun = performance.now()
    let status = 0
    try {
      const answer = await transport.send(credentials, {
        ...rest,
        path: connection.pathPrefix + path,
        headers: { ...credentials.headers, ...headers },
      })
      status = answer.status
      serverClock?.note(answer.date)
      return answer
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
      for (let attempt = 0; ; attempt += 1) {
        const answer = await slots.run(ownerOf(path), () => call(method, path, options))
        const { status, text } = answer
        if (isSuccess(status)) return text === '' ? undefined : JSON.parse(text)
        const error = errorOf(answer, `${method} ${path}`)
        const pause = retryMsOf(error)
        if (pause === undefined || attempt >= maxBusyRetries) throw quotaErrorOf(error, path)
        await sleep(pause * (1 + Math.random() / 2))
      }
    },
    async *watch(path, { query, accept = 'application/json', signal }) {
      try {
        const answer = await send('WATCH', watches, {
          method: 'GET',
          path: path + queryText(query),
          headers: { accept },
          timeoutMs,
          streamUntil: signal,
        })
        if (!answer.stream) throw errorOf(answer, `GET ${path}`)
        yield* linesOf(answer.stream)
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

/** The error of an answer. Names the request, method and path, where the answer does not name the object. */
function errorOf({ status, retryAfter, text }: Answer, request: string): ApiError {
  const stated = parseJson(text) as { reason?: string; message?: string } | undefined // a Status of the API server
  const object = stated?.message === unservedMessage ? undefined : stated
  const seconds = Number(retryAfter)
  const hint = status === 404 ? ': it does not serve this path' : ''
  const error = new ApiError(
    status,
    object?.reason ?? 'Unknown',
    object?.message ?? `the API server answered ${status} to ${request}${hint}`,
    retryAfter === undefined || Number.isNaN(seconds) ? undefined : seconds,
  )
  // A webhook denies with any status; these would speak of the state of the object.
  const isAmbiguous = [404, 409, 410].includes(status) && isDenied(error)
  return isAmbiguous ? new ApiError(403, 'Forbidden', error.message) : error
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
