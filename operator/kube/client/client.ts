import { Agent, type Dispatcher } from 'undici'
import { systemNamespace } from '../../api/names.ts'
import { parseJson } from '../../domain/base/json.ts'
import { type QuotaRefusal, type QuotaUse, quotaRefusalIn } from '../../domain/base/quota.ts'
import type { Connection, Credentials } from './connection.ts'
import { createFairSlots } from './fair-slots.ts'

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
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404
}

/** Whether a write conflicts with the object as it is now. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409
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
  /** Yields the lines of a watch until `signal` aborts or the server ends it. */
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
  /** Called after each attempt, watches included, with the HTTP status, 0 without a response, and the seconds until the headers. */
  readonly onResponse?: (method: string, status: number, seconds: number) => void
}

const maxBusyRetries = 8
const quotaConflictMs = 50
/** The share of the connections of an organization while others use them: more make every request slow. */
const sharedConnections = 1 / 16

/** A client with a connection pool for requests and one for watches, so that watches cannot starve requests. */
export function createClient(connection: Connection, options: ClientOptions = {}): KubeClient {
  const { connections = 64, timeoutMs = 30_000, onResponse } = options
  const agents = agentsOf(connections)
  const slots = createFairSlots(connections, Math.ceil(connections * sharedConnections))

  async function measured(method: string, attempt: () => Promise<Dispatcher.ResponseData>) {
    const begun = performance.now()
    let status = 0
    try {
      const response = await attempt()
      status = response.statusCode
      return response
    } finally {
      onResponse?.(method, status, (performance.now() - begun) / 1000)
    }
  }

  async function send(method: string, path: string, call: RequestOptions) {
    const credentials = await connection.credentials()
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const response = await measured(method, () =>
      agents(credentials).calls.request({
        origin: connection.origin,
        path: connection.pathPrefix + path + queryText(call.query),
        method: method as Dispatcher.HttpMethod, // callers pass upper-case verbs
        headers: {
          ...credentials.headers,
          accept: call.accept ?? 'application/json',
          ...(body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        },
        body,
        // A DELETE with a body would close its connection.
        reset: false,
        headersTimeout: call.timeoutMs ?? timeoutMs,
        bodyTimeout: call.timeoutMs ?? timeoutMs,
      }),
    )
    return { response, text: await response.body.text() }
  }

  return {
    async request(method, path, call = {}) {
      for (let attempt = 0; ; attempt += 1) {
        const { response, text } = await slots.run(ownerOf(path), () => send(method, path, call))
        if (response.statusCode < 300) return text === '' ? undefined : JSON.parse(text)
        const error = errorOf(response, text)
        const pause = retryMsOf(error)
        if (pause === undefined || attempt >= maxBusyRetries) throw quotaErrorOf(error, path)
        await sleep(pause * (1 + Math.random() / 2))
      }
    },
    async *watch(path, { query, accept = 'application/json', signal }) {
      const credentials = await connection.credentials()
      const response = await measured('WATCH', () =>
        agents(credentials).watches.request({
          origin: connection.origin,
          path: connection.pathPrefix + path + queryText(query),
          method: 'GET',
          headers: { ...credentials.headers, accept },
          headersTimeout: timeoutMs,
          bodyTimeout: 0,
          signal,
        }),
      )
      if (response.statusCode >= 300) throw errorOf(response, await response.body.text())
      yield* linesOf(response.body)
    },
    async close() {
      await agents.close()
    },
  }
}

/** One pair of agents, replaced only when the certificates change. */
function agentsOf(connections: number) {
  let current: { key: string; tls: object; readonly calls: Agent; readonly watches: Agent } | undefined
  const get = ({ tls }: Credentials) => {
    if (current?.tls === tls) return current
    const key = JSON.stringify(tls)
    if (current?.key === key) {
      current.tls = tls
      return current
    }
    const shared = {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: 60_000,
      connect: { ...tls, timeout: 10_000 },
    }
    current = { key, tls, calls: new Agent({ ...shared, connections }), watches: new Agent(shared) }
    return current
  }
  get.close = async () => {
    await Promise.all([current?.calls.destroy(), current?.watches.destroy()])
  }
  return get
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

function errorOf(response: Dispatcher.ResponseData, text: string): ApiError {
  const status = parseJson(text) as { reason?: string; message?: string } | undefined // a Status of the API server
  const header = response.headers['retry-after']
  const retryAfter = Number(Array.isArray(header) ? header[0] : header)
  return new ApiError(
    response.statusCode,
    status?.reason ?? 'Unknown',
    status?.message ?? `the API server answered ${response.statusCode}`,
    header === undefined || Number.isNaN(retryAfter) ? undefined : retryAfter,
  )
}

/** Milliseconds after which a request is repeated that failed only because others run; undefined for other errors. */
function retryMsOf({ status, reason, message, retryAfterSeconds }: ApiError): number | undefined {
  // API Priority and Fairness asks for it.
  if (status === 429 && retryAfterSeconds !== undefined) return retryAfterSeconds * 1000
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
