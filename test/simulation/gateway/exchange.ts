import { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'

/** A request as a client sends it. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What the client receives. */
export interface RestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A connection in memory, from one address. */
class Connection extends Duplex {
  readonly remoteAddress = '192.0.2.1'
  readonly #chunks: Buffer[] = []
  /** Gets each text that is sent, in place of the collection. */
  onText: ((text: string) => void) | undefined
  /** Passes while the client reads nothing: then what is sent waits. */
  waitToRead: (() => Promise<void>) | undefined

  constructor() {
    // The handler learns of each text whether it is read.
    super({ writableHighWaterMark: 1 })
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const wait = this.waitToRead?.()
    if (wait) void wait.then(() => this.#take(chunk, done))
    else this.#take(chunk, done)
  }

  #take(chunk: Buffer, done: () => void): void {
    if (this.onText) this.onText(chunk.toString())
    else this.#chunks.push(chunk)
    done()
  }

  setTimeout(): this {
    return this
  }

  /** The body of the answer: it is sent whole. */
  get body(): string {
    const text = Buffer.concat(this.#chunks).toString()
    return text.slice(text.indexOf('\r\n\r\n') + 4)
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Gives a request to a handler of the HTTP server of Node, without a socket. */
export function exchange(handle: Handle, request: RestRequest): Promise<RestAnswer> {
  const { connection, incoming, response } = prepare(request)
  const { promise, resolve } = Promise.withResolvers<RestAnswer>()
  response.once('finish', () => {
    resolve({ status: response.statusCode, headers: response.getHeaders(), text: connection.body })
    response.detachSocket(connection as never) // it has what the handlers use of a socket
    response.emit('close')
  })
  handle(incoming, response)
  return promise
}

/** An answer that is sent in parts. */
export interface Stream {
  /** The status of the answer, when it has ended. */
  readonly ended: Promise<number>
  /** The client leaves. */
  close(): void
}

/** Who reads an answer in parts. */
export interface Reader {
  onText(text: string): void
  /** How long it waits before it reads the next part. */
  readonly pause?: (() => Promise<void>) | undefined
}

/** Gives a request to a handler, and each part of the answer to a reader. */
export function openStream(handle: Handle, request: RestRequest, { onText, pause }: Reader): Stream {
  const { connection, incoming, response } = prepare(request)
  connection.onText = onText
  connection.waitToRead = pause
  const { promise, resolve } = Promise.withResolvers<number>()
  response.once('finish', () => {
    resolve(response.statusCode)
    response.emit('close')
  })
  response.once('close', () => resolve(response.statusCode))
  handle(incoming, response)
  return { ended: promise, close: () => void connection.destroy() }
}

/** A request, and the answer that a handler writes. */
function prepare({ method, path, headers, body }: RestRequest) {
  const connection = new Connection()
  const incoming = new IncomingMessage(connection as never) // it has what the handlers use of a socket
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const sent = {
    host: 'gateway.example.com',
    ...headers,
    ...(payload ? { 'content-type': 'application/json', 'content-length': String(payload.length) } : {}),
  }
  Object.assign(incoming, {
    method,
    url: path,
    headers: sent,
    rawHeaders: Object.entries(sent).flat(),
    headersDistinct: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]])),
    complete: true,
  })
  if (payload) incoming.push(payload)
  incoming.push(null)
  const response = new ServerResponse(incoming)
  response.assignSocket(connection as never) // as above
  // The server of Node does this for its sockets.
  connection.on('drain', () => response.emit('drain'))
  return { connection, incoming, response }
}
