import type { Account, Operation } from './account.ts'
import { pageOf } from './listing.ts'
import { batch, create, list, overwrite, patch, read, remove } from './operations.ts'
import { mayDo, presented, type Right, type Token } from './tokens.ts'
import { type Answer, ApiError, failure, noRoute, refusals, success } from './wire.ts'
import { identifier, isIdentifier, zoneOnTheWire } from './zones.ts'

/** One call, read from the connection. */
export interface Call {
  readonly method: string
  /** Without the prefix `/client/v4`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly authorization: string | undefined
  /** The token that the call showed, when the account has it. */
  readonly token: Token | undefined
}

interface Route {
  readonly method: string
  readonly path: RegExp
  readonly right: Right
  run(operation: Operation, token: Token): Answer
}

const records = /^\/zones\/(?<zone>[^/]+)\/dns_records$/
const oneRecord = /^\/zones\/(?<zone>[^/]+)\/dns_records\/(?<record>[^/]+)$/

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/zones\/(?<zone>[^/]+)$/,
    right: 'read',
    run: ({ zone }, token) => success(zoneOnTheWire(zone, token.rights)),
  },
  { method: 'POST', path: /^\/zones\/(?<zone>[^/]+)\/dns_records\/batch$/, right: 'edit', run: batch },
  { method: 'GET', path: records, right: 'read', run: list },
  { method: 'POST', path: records, right: 'edit', run: create },
  { method: 'GET', path: oneRecord, right: 'read', run: read },
  { method: 'PUT', path: oneRecord, right: 'edit', run: overwrite },
  { method: 'PATCH', path: oneRecord, right: 'edit', run: patch },
  { method: 'DELETE', path: oneRecord, right: 'edit', run: remove },
]

/** Does what a call asks for and says how it went. */
export function answerCall(account: Account, call: Call): Answer {
  try {
    if (call.method === 'GET' && call.path === '/user/tokens/verify') return verify(call)
    const token = presented(call.authorization, call.token, refusals.invalidAccess)
    if (token.status !== 'active') throw refusals.invalidAccess()
    if (call.method === 'GET' && call.path === '/zones') return listZones(account, call, token)
    return operate(account, call, token)
  } catch (error) {
    if (error instanceof ApiError) return failure(error.status, error.errors)
    throw error
  }
}

function verify(call: Call): Answer {
  const { name, status } = presented(call.authorization, call.token, refusals.invalidToken)
  const messages = [{ code: 10000, message: 'This API Token is valid and active' }]
  return success(
    { id: identifier(`token/${name}`), status },
    { messages: status === 'active' ? messages : [] },
  )
}

function listZones({ zones }: Account, { query }: Call, token: Token): Answer {
  const name = query.get('name')?.toLowerCase()
  const visible = zones
    .all()
    .filter((zone) => mayDo(token, 'read', zone.id) && (name === undefined || zone.name === name))
  const { items, page } = pageOf(visible, query, { usual: 20, most: 50 })
  return success(
    items.map((zone) => zoneOnTheWire(zone, token.rights)),
    { page },
  )
}

function operate(account: Account, call: Call, token: Token): Answer {
  const { path, query, body } = call
  const candidates = routes.filter((route) => route.path.test(path))
  const route = candidates.find(({ method }) => method === call.method)
  if (!route) throw candidates.length > 0 ? refusals.wrongMethod() : noRoute(404, path)
  const { zone: zoneId = '', record: recordId } = route.path.exec(path)?.groups ?? {}
  if (!isIdentifier(zoneId)) throw noRoute(400, path)
  const zone = account.zones.get(zoneId)
  if (!zone) throw noRoute(404, path)
  if (!mayDo(token, route.right, zoneId)) throw refusals.noRight()
  if (recordId !== undefined && !isIdentifier(recordId)) throw noRoute(400, path)
  return route.run({ account, zone, recordId: recordId ?? '', query, body }, token)
}
