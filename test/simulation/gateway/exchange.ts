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

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
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

/** Gives a request to a handler of the HTTP server of Node, without a socket. */
export function exchange(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { method, path, headers, body }: RestRequest,
): Promise<RestAnswer> {
  const connection = new Connection()
  const request = new IncomingMessage(connection as never) // it has what the handlers use of a socket
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const sent = {
    host: 'gateway.example.com',
    ...headers,
    ...(payload ? { 'content-type': 'application/json', 'content-length': String(payload.length) } : {}),
  }
  Object.assign(request, {
    method,
    url: path,
    headers: sent,
    rawHeaders: Object.entries(sent).flat(),
    headersDistinct: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]])),
    complete: true,
  })
  if (payload) request.push(payload)
  request.push(null)
  const response = new ServerResponse(request)
  response.assignSocket(connection as never) // as above
  const { promise, resolve } = Promise.withResolvers<RestAnswer>()
  response.once('finish', () => {
    resolve({ status: response.statusCode, headers: response.getHeaders(), text: connection.body })
    response.detachSocket(connection as never) // as above
    response.emit('close')
  })
  handle(request, response)
  return promise
}
