import type { Account } from './account.ts'
import type { Journal } from './journal.ts'
import type { Limiter } from './limits.ts'
import type { Misbehaviour } from './misbehave.ts'
import { newId, timeOf } from './operations.ts'
import type { StoredRecord } from './records.ts'
import { newTokenValue, type Token, type Tokens } from './tokens.ts'
import { fullName, isObject } from './validate.ts'
import type { Answer } from './wire.ts'
import { identifier, type Zone } from './zones.ts'

/** Everything that the hands behind the server reach. */
export interface Controlled {
  readonly account: Account
  readonly tokens: Tokens
  readonly limiter: Limiter
  readonly journal: Journal
  readonly misbehaviour: Misbehaviour
}

type Fields = Readonly<Record<string, unknown>>
type Control = (controlled: Controlled, body: Fields, id: string) => unknown

const controls: Readonly<Record<string, Control>> = {
  'GET /__calls': ({ journal }) => journal.all(),
  'DELETE /__calls': ({ journal }) => journal.clear(),

  'GET /__records': ({ account }) => account.records.all(),
  'POST /__records': ({ account }, body) => {
    const record = recordByHand(account, body)
    account.records.put(record)
    return record
  },
  'PATCH /__records/': ({ account }, body, id) => {
    const record = { ...existing(account, id), modified_on: timeOf(account.clock), ...body, id }
    account.records.put(record)
    return record
  },
  'DELETE /__records/': ({ account }, _body, id) => {
    existing(account, id)
    account.records.remove(id)
  },

  'GET /__zones': ({ account }) => account.zones.all(),
  'POST /__zones': ({ account }, { id, name }) => {
    if (typeof name !== 'string') throw new Error("a zone needs a 'name'")
    const zone = { id: typeof id === 'string' ? id : identifier(`zone/${name}`), name: name.toLowerCase() }
    account.zones.add(zone)
    return zone
  },

  'GET /__tokens': ({ tokens }) => tokens.all().map(({ value: _, ...token }) => token),
  'POST /__tokens': ({ tokens }, body) => {
    const token = tokenByHand(tokens, body)
    tokens.add(token)
    return token
  },
  'DELETE /__tokens': ({ tokens }, { name }) => ({ removed: tokens.remove(String(name)) }),
  'DELETE /__tokens/': ({ tokens }, _body, name) => ({ removed: tokens.remove(name) }),

  'GET /__limits': ({ account, limiter }) => ({ ...account.limits, tokens: limiter.usage() }),
  'POST /__limits': ({ account }, body) => {
    for (const key of ['requests', 'windowSeconds', 'batch', 'comment'] as const) {
      const value = body[key]
      if (typeof value === 'number') account.limits[key] = value
    }
    return account.limits
  },

  'GET /__misbehave': ({ misbehaviour }) => misbehaviour.show(),
  'POST /__misbehave': ({ misbehaviour }, body) => {
    misbehaviour.add(body)
    return misbehaviour.show()
  },
  'DELETE /__misbehave': ({ misbehaviour }) => misbehaviour.clear(),

  'POST /__reset': ({ account, journal, limiter }) => {
    account.records.clear()
    journal.clear()
    limiter.clear()
  },
}

/** Does what a call to a path that begins with `/__` asks for. */
export function control(controlled: Controlled, method: string, path: string, body: unknown): Answer {
  const [, resource = '', id = ''] = path.split('/')
  const run = controls[`${method} /${resource}${id === '' ? '' : '/'}`]
  if (!run) return { status: 404, body: { message: `nothing is at '${method} ${path}'` } }
  try {
    return { status: 200, body: run(controlled, isObject(body) ? body : {}, decodeURIComponent(id)) ?? {} }
  } catch (error) {
    return { status: 400, body: { message: error instanceof Error ? error.message : String(error) } }
  }
}

function existing({ records }: Account, id: string): StoredRecord {
  const record = records.get(id)
  if (!record) throw new Error(`record not found: '${id}'`)
  return record
}

/** A record as another client makes it, without checks. */
function recordByHand({ zones, clock }: Account, body: Fields): StoredRecord {
  const [first] = zones.all()
  const zone: Zone | undefined = typeof body.zone_id === 'string' ? zones.get(body.zone_id) : first
  if (!zone) throw new Error(`zone not found: '${String(body.zone_id)}'`)
  const now = timeOf(clock)
  return {
    id: newId(),
    type: 'A',
    content: '192.0.2.1',
    proxiable: true,
    proxied: false,
    ttl: 1,
    settings: {},
    meta: {},
    comment: null,
    tags: [],
    created_on: now,
    modified_on: now,
    ...body,
    name: fullName(String(body.name ?? '@'), zone),
    zone_id: zone.id,
  }
}

function tokenByHand(tokens: Tokens, body: Fields): Token {
  if (typeof body.name !== 'string' || body.name === '') throw new Error("a token needs a 'name'")
  const before = tokens.all().find(({ name }) => name === body.name)
  const zones = Array.isArray(body.zones) ? body.zones.map(String) : before?.zones
  const rights = (['read', 'edit'] as const).filter(
    (right) => !Array.isArray(body.rights) || body.rights.includes(right),
  )
  const status = (['active', 'disabled', 'expired'] as const).find((each) => each === body.status)
  return {
    name: body.name,
    value: typeof body.value === 'string' ? body.value : (before?.value ?? newTokenValue()),
    ...(zones === undefined ? {} : { zones }),
    rights: Array.isArray(body.rights) ? rights : (before?.rights ?? rights),
    status: status ?? 'active',
  }
}
