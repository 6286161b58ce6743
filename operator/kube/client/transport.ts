import { Readable } from 'node:stream'
import { createSecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import { NoAnswer } from './api-error.ts'
import type { Credentials } from './credentials.ts'

type Controller = Dispatcher.DispatchController

/** A request; `timeoutMs` limits each silence of the server, until a stream begins: `longestSilenceMs` by default. */
export interface OutgoingRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number | undefined
  /** For a request whose successful answer is a stream; ends it. */
  readonly streamUntil?: AbortSignal
}

/** An answer of the server. */
export interface Answer {
  /** HTTP status. */
  readonly status: number
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  /** The whole body; empty when it is a stream. */
  readonly text: string
  readonly stream?: Readable
}

/** Keep-alive connections to one server. */
export interface Transport {
  /** Resolves with the answer; throws when the connection ends before the answer does. */
  send(credentials: Credentials, request: OutgoingRequest): Promise<Answer>
  close(): void
}

const keepAliveMs = 60_000

/** A pool of at most `connections` connections to the server, replaced only when the certificates change. */
export function createTransport(origin: string, connections?: number): Transport {
  let current: { readonly key: string; tls: Credentials['tls']; readonly pool: Pool } | undefined
  let isClosed = false

  function poolOf({ tls }: Credentials): Pool {
    if (current?.tls === tls) return current.pool
    const key = JSON.stringify(tls)
    if (current?.key === key) {
      current.tls = tls
      return current.pool
    }
    // Its requests end by themselves.
    void current?.pool.close()
    current = { key, tls, pool: openPool(origin, connections, tls) }
    return current.pool
  }

  return {
    async send(credentials, request) {
      if (isClosed) throw new Error('the client is closed')
      const pool = poolOf(credentials)
      return new Promise((resolve, reject) => {
        const { method, path, headers, body } = request
        // `reset`: a DELETE with a body would end the connection.
        const options = { method, path, headers, body, reset: false, headersTimeout: 0, bodyTimeout: 0 }
        pool.dispatch(options, new Exchange(request, resolve, reject))
      })
    },
    close() {
      isClosed = true
      void current?.pool.destroy()
    },
  }
}

function openPool(origin: string, connections: number | undefined, tls: Credentials['tls']): Pool {
  const { ca, cert, key, ...rest } = tls
  // One context for all connections: each would parse the certificates again and keep them.
  const connect = { ...rest, secureContext: createSecureContext({ ca, cert, key }) }
  return new Pool(origin, {
    connections: connections ?? null,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    connect,
  })
}

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: OutgoingRequest
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void
  /** Counts from the dispatch on, so that it covers the wait for a connection. */
  readonly #silence: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  readonly #abort = () => this.#fail(this.#request.streamUntil?.reason)
  #controller: Controller | undefined
  #failure: unknown
  #status = 0
  #retryAfter: string | undefined
  #date: string | undefined
  #stream: Readable | undefined

  constructor(request: OutgoingRequest, resolve: (answer: Answer) => void, reject: (error: unknown) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    const { method, timeoutMs = longestSilenceMs(method), streamUntil } = request
    this.#silence = setTimeout(() => {
      this.#fail(new NoAnswer(`the API server was silent for ${timeoutMs} ms after ${nameOf(request)}`))
    }, timeoutMs).unref()
    streamUntil?.addEventListener('abort', this.#abort)
    if (streamUntil?.aborted) this.#abort()
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#failure !== undefined) controller.abort(this.#failure as Error)
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#silence.refresh()
    this.#status = status
    this.#retryAfter = headers['retry-after']?.toString()
    this.#date = headers['date']?.toString()
    if (this.#request.streamUntil && isSuccess(status)) this.#stream = this.#openStream(controller)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#stream === undefined) {
      this.#silence.refresh()
      this.#chunks.push(chunk)
    } else if (!this.#stream.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#end()
    this.#stream?.push(null)
    this.#answer(Buffer.concat(this.#chunks).toString())
  }

  onResponseError(_: Controller, error: Error): void {
    this.#end()
    this.#stream?.destroy(error)
    const message = `no answer of the API server to ${nameOf(this.#request)}: ${error.message}`
    this.#reject(new NoAnswer(message, { cause: error }))
  }

  #openStream(controller: Controller): Readable {
    clearTimeout(this.#silence)
    const stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        controller.abort(error ?? new Error('the stream is closed'))
        done(error)
      },
    })
    this.#answer('', stream)
    return stream
  }

  #answer(text: string, stream?: Readable): void {
    const [status, retryAfter, date] = [this.#status, this.#retryAfter, this.#date]
    this.#resolve({ status, retryAfter, date, text, stream })
  }

  /** Ends the exchange, also when the request has no connection yet. */
  #fail(error: unknown): void {
    this.#failure = error
    this.#end()
    this.#reject(error)
    this.#controller?.abort(error as Error)
  }

  #end(): void {
    clearTimeout(this.#silence)
    this.#request.streamUntil?.removeEventListener('abort', this.#abort)
  }
}

/** The request for a message: its query may be long. */
function nameOf({ method, path }: OutgoingRequest): string {
  return `${method} ${path.split('?', 1)[0]}`
}

/**
 * How long the server may be silent. It answers a write within a minute, and may wait half of that for one webhook; its answer names
 * a webhook that fails.
 */
function longestSilenceMs(method: string): number {
  return method === 'GET' ? 30_000 : 65_000
}

/** Whether the server did what the request asks for. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}
