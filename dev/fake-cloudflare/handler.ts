import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../../operator/domain/base/json.ts'
import { answerCall } from './api.ts'
import { misbehave } from './bad-answers.ts'
import { type Controlled, control } from './control.ts'
import { limitHeaders } from './limits.ts'
import { timeOf } from './operations.ts'
import { type Answer, failure, refusals } from './wire.ts'

const mostBytes = 32 * 1024 * 1024
const loopback = /^(127\.|::1$|::ffff:127\.)/

/** Serves one request: of the interface, or of the control behind it. */
export async function serve(
  controlled: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const method = request.method ?? 'GET'
  const text = await read(request)
  if (text === undefined)
    return write(response, failure(413, [{ code: 10413, message: 'Body too large' }]), {})
  if (pathname.startsWith('/__')) {
    const isNear = loopback.test(request.socket.remoteAddress ?? '')
    const forbidden = { status: 403, body: { message: 'only this machine may do that' } }
    return write(response, isNear ? control(controlled, method, pathname, parseJson(text)) : forbidden, {})
  }
  const path = pathname.replace(/^\/client\/v4(?=\/|$)/, '')
  await serveCall(controlled, { method, path, query: searchParams, text }, request, response)
}

async function serveCall(
  { account, tokens, limiter, journal, misbehaviour }: Controlled,
  { method, path, query, text }: { method: string; path: string; query: URLSearchParams; text: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { authorization } = request.headers
  const token = tokens.find(authorization)
  const body = parseJson(text)
  const entry = journal.add({
    at: timeOf(account.clock),
    method,
    path,
    query: Object.fromEntries(query),
    token: token?.name ?? null,
    body: body ?? (text === '' ? null : text),
    status: 0,
    committed: false,
  })
  const budget = token ? limiter.spend(token.name) : limiter.full()
  const headers = limitHeaders(account.limits, budget)
  response.on('close', () => {
    if (response.headersSent) entry.status = response.statusCode
  })
  const send = (answer: Answer): void => {
    if (!response.destroyed) entry.status = answer.status
    write(response, answer, headers)
  }
  const operate = (): Answer => {
    if (text !== '' && body === undefined) return failure(400, refusals.invalidBody().errors)
    const before = account.records.revision()
    const answer = answerCall(account, { method, path, query, body, authorization, token })
    entry.committed ||= account.records.revision() !== before
    return answer
  }
  if (!budget.allowed) return send(failure(429, refusals.tooManyCalls().errors))
  const rule = misbehaviour.next(method, request.url ?? '', token?.name)
  if (!rule) return send(operate())
  await misbehave(rule, { request, response, operate, send })
}

function write(response: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>>): void {
  if (response.destroyed || response.headersSent) return
  const { status, body } = answer
  response.writeHead(status, { 'content-type': 'application/json', ...headers, ...answer.headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
