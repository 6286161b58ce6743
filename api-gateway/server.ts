import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RestErrorName } from '../operator/api/reasons/errors.ts'
import { commonHeaders } from './response/common-headers.ts'

const maxConnections = 10_000
const shutdownMs = 25_000
const patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  /** How long a connection may stand still, as that of a client that does not read its answer. */
  idleTimeout: 65_000,
}

/** An HTTP server whose every answer is JSON, and that slow or broken clients cannot hold. */
export function createHttpServer(
  handle: RequestListener,
  { idleTimeout, ...timeouts }: typeof patience = patience,
): Server {
  const server = createServer({ ...timeouts, maxHeaderSize: 16_384 }, (request, response) => {
    // What came in one go with a request that ended the connection is not served any more.
    if (request.socket.writableEnded) return
    const fault = faultOf(request)
    if (fault === undefined) handle(request, response)
    else answerRaw(request.socket, 400, 'Invalid', fault)
  })
  server.maxConnections = maxConnections
  server.timeout = idleTimeout
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const message = parserMessages[error.code ?? ''] ?? 'the request is not valid HTTP'
    answerRaw(socket, 400, 'Invalid', message)
  })
  server.on('connect', (_request, socket) =>
    answerRaw(socket, 405, 'MethodNotAllowed', 'tunnels are not offered'),
  )
  server.on('checkExpectation', (request) =>
    answerRaw(request.socket, 400, 'Invalid', 'the expectation cannot be met'),
  )
  return server
}

/** What the parser lets through, and is no request that we could serve. */
function faultOf({ url = '', headersDistinct }: IncomingMessage): string | undefined {
  // A proxy may have looked at another one than we would.
  if ((headersDistinct['host'] ?? []).length > 1) return "there is more than one header 'Host'"
  return url.startsWith('/') || url === '*' || URL.canParse(url) ? undefined : 'the target is no address'
}

const lingerMs = 500

const parserMessages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the header is too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request took too long',
}

/** Answers and ends the connection, but not at once: a reset would take the answer from a client that is still sending. */
function answerRaw(socket: Duplex, status: 400 | 405, reason: RestErrorName, message: string): void {
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
  // Of a tunnel Node takes its own listeners and timers off: nobody else would hear of an error, or end it.
  socket.on('error', () => socket.destroy())
  deafen(socket)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Reads nothing more, whatever comes: Node goes on reading after each message of what came in one go. */
function deafen(socket: Duplex): void {
  socket.pause()
  socket.resume = () => socket
}

/** Lets the requests under way finish, for some seconds. */
export function closeServer(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), shutdownMs)
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
