import type { Request, Response } from 'express'
import type { EndpointResponse } from '../endpoint.ts'

/** Node reserves three bytes for each character of a text that waits to be sent. */
const maxTextLength = 16_384

/** Serializes the body of a response. */
export function contentOf({ body, text }: EndpointResponse): string | Buffer | undefined {
  const content = text?.content ?? (body === undefined ? undefined : JSON.stringify(body))
  return typeof content === 'string' && content.length > maxTextLength ? Buffer.from(content) : content
}

/** Sends a response unless one was sent or the client disconnected. */
export function send(
  request: Request,
  response: Response,
  answer: EndpointResponse,
  content: string | Buffer | undefined = contentOf(answer),
): void {
  const { status, text, headers = {} } = answer
  if (response.headersSent || response.destroyed) return
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (content !== undefined) response.setHeader('content-type', text?.contentType ?? 'application/json')
  if (content !== undefined && hasLongUnreadBody(request)) sendAndClose(content, response)
  else response.end(content)
}

const lingerMs = 500

/**
 * Closes the connection after a delay: an immediate reset would discard the response while the client is still
 * sending.
 */
function sendAndClose(content: string | Buffer, response: Response): void {
  response.setHeader('connection', 'close')
  response.setHeader('content-length', Buffer.byteLength(content))
  response.write(content)
  response.socket?.pause() // the rest of the body is not read
  const timer = setTimeout(() => response.end(), lingerMs)
  response.once('close', () => clearTimeout(timer))
}

const maxDiscardedBytes = 65_536

/** Whether the unread part of the body is too long to read and discard. */
function hasLongUnreadBody({ complete, headers }: Request): boolean {
  if (complete) return false
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > maxDiscardedBytes
  )
}

/** The status of a response; undefined if the client left before it had one. */
export function statusOf({ headersSent, statusCode }: Response): number | undefined {
  return headersSent ? statusCode : undefined
}
