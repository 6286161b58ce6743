import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RestErrorName } from '../operator/api/reasons/errors.ts'
import { commonHeaders } from './response/common-headers.ts'

const maxConnections = 10_000
/** Leaves time to write the audit records and spans before the process ends, 25 seconds after the signal. */
const shutdownMs = 20_000
const idleCheckMs = 100
/** A client may be sending a request on a kept connection when the server begins to close. */
const lastRequestMs = 500
const defaultTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  /** Closes connections without activity, for example if a client does not read its response; not while one is awaited. */
  idleTimeout: 65_000,
}

/** Creates an HTTP server that always responds with JSON and closes slow or broken connections. */
export function createHttpServer(
  handle: RequestListener,
  { idleTimeout, ...timeouts }: typeof defaultTimeouts = defaultTimeouts,
): Server {
  const server = createServer({ ...timeouts, maxHeaderSize: 16_384 }, (request, response) => {
    // Ignores pipelined requests after one that ended the connection.
    if (request.socket.writableEnded) return
    const target = originForm(request.url)
    // A proxy may have used a different Host header than we would.
    if ((request.headersDistinct['host'] ?? []).length > 1)
      respondAndClose(request.socket, 400, 'Invalid', "the header 'Host' is given more than once")
    else if (target === undefined)
      respondAndClose(request.socket, 400, 'Invalid', 'the request target is not valid')
    else handle(Object.assign(request, { url: target }), response)
  })
  server.maxConnections = maxConnections
  server.timeout = idleTimeout
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const message = parserMessages[error.code ?? ''] ?? 'the request is not valid HTTP'
    respondAndClose(socket, 400, 'Invalid', message)
  })
  server.on('connect', (_request, socket) =>
    respondAndClose(socket, 405, 'MethodNotAllowed', 'CONNECT is not supported'),
  )
  server.on('checkExpectation', (request) =>
    respondAndClose(request.socket, 400, 'Invalid', "the header 'Expect' has an unsupported value"),
  )
  keepAwaited(server)
  keepUnsentAnswers(server)
  return server
}

/** Keeps connections without activity open while no answer has begun: it may take several writes, each of a minute. */
function keepAwaited(server: Server): void {
  server.on('request', (_, response) => {
    // Without a listener, Node closes the connection.
    response.on('timeout', (socket: Socket) => {
      if (response.headersSent) socket.destroy()
    })
  })
}

/**
 * Keeps idle connections open while a client has not received all of an answer. Node takes a connection for idle as soon as its
 * answer is complete, and `close` of a server would cut off what is not sent.
 */
function keepUnsentAnswers(server: Server): void {
  const open = new Set<ServerResponse>()
  server.on('request', (_, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    for (const { writableEnded, writableFinished } of open) if (writableEnded && !writableFinished) return
    closeIdle()
  }
}

/** Scheme and authority of the absolute form, which a server must accept: RFC 9112, 3.2.2. */
const originPattern = /^https?:\/\/[^/?#]+/i

/**
 * Returns a request target without its origin and fragment; undefined if it is not valid. Express answers some targets that
 * have them with HTML.
 */
function originForm(url = ''): string | undefined {
  const [target = ''] = url.split('#')
  if (target.startsWith('/') || target === '*') return target
  const [origin] = originPattern.exec(target) ?? []
  if (origin === undefined || !URL.canParse(target)) return undefined
  const path = target.slice(origin.length)
  return path.startsWith('/') ? path : `/${path}`
}

const lingerMs = 500

const parserMessages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the header is too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request timed out',
}

/**
 * Responds and closes the connection after a delay: an immediate reset would discard the response while the
 * client is still sending.
 */
function respondAndClose(socket: Duplex, status: 400 | 405, reason: RestErrorName, message: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ error: reason, message })
  const head = [
    `HTTP/1.1 ${status} ${status === 400 ? 'Bad Request' : 'Method Not Allowed'}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 405 ? ['Allow: GET'] : []),
    ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ]
  // Node removes its listeners and timers from a tunnel, so errors must be handled here.
  socket.on('error', () => socket.destroy())
  stopReading(socket)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Stops reading. Node resumes the socket after each pipelined request. */
function stopReading(socket: Duplex): void {
  socket.pause()
  socket.resume = () => socket
}

/**
 * Waits for open requests up to a time limit. For a moment, a request on a kept connection is still answered, and its answer ends
 * the connection; then connections without a request are closed.
 */
export function closeServer(server: Server): Promise<void> {
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false
  })
  const begin = performance.now()
  const closeIdle = server.closeIdleConnections.bind(server)
  // Node calls it when a server closes.
  server.closeIdleConnections = () => {
    if (performance.now() - begin >= lastRequestMs) closeIdle()
  }
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const timer = setTimeout(() => server.closeAllConnections(), shutdownMs)
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(idle)
      clearTimeout(timer)
      resolve()
    })
  })
}
