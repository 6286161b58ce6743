import type { Request, Response } from 'express'
import type { Answer } from '../endpoint.ts'

/** What an answer holds, as it is sent. */
export function contentOf({ body, text }: Answer): string | Buffer | undefined {
  return text?.content ?? (body === undefined ? undefined : JSON.stringify(body))
}

/** Sends an answer, unless there is one already or nobody waits for it any more. */
export function send(
  request: Request,
  response: Response,
  answer: Answer,
  content: string | Buffer | undefined = contentOf(answer),
): void {
  const { status, text, headers = {} } = answer
  if (response.headersSent || response.destroyed) return
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (content !== undefined) response.setHeader('content-type', text?.contentType ?? 'application/json')
  if (content !== undefined && isLongUnread(request)) closeAfter(content, response)
  else response.end(content)
}

const lingerMs = 500

/** Answers and closes, but not at once: a reset would take the answer from a client that is still sending. */
function closeAfter(content: string | Buffer, response: Response): void {
  response.setHeader('connection', 'close')
  response.setHeader('content-length', Buffer.byteLength(content))
  response.write(content)
  response.socket?.pause() // what comes is not read
  const timer = setTimeout(() => response.end(), lingerMs)
  response.once('close', () => clearTimeout(timer))
}

const worthReading = 65_536

/** Whether more of a body is to come than reading it for nothing would be worth. */
function isLongUnread({ complete, headers }: Request): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > worthReading
}
