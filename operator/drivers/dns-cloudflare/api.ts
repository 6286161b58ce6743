import { createHash } from 'node:crypto'
import { BaseRecords } from 'cloudflare/resources/dns/records'
import { BaseTokens } from 'cloudflare/resources/user/tokens/tokens'
import { BaseZones } from 'cloudflare/resources/zones/zones'
import { createClient } from 'cloudflare/tree-shakable'
import { isObject } from '../../domain/base/json.ts'
import type { AccountVerdict } from '../driver.ts'
import type { Budget } from './budget.ts'
import type { Change } from './decide.ts'
import { ApiFault, faultOf } from './fault.ts'
import type { HeldRecord } from './record.ts'
import { createTransport } from './transport.ts'

/** What a change did. */
export interface Done {
  readonly written: readonly HeldRecord[]
}

/** What the driver needs of a zone; all throw ApiFault. `signal` ends the wait for a call's turn, never a call. */
export interface ZoneApi {
  /** The zone's own name; undefined when the token may not know it. */
  zoneName(signal?: AbortSignal): Promise<string | undefined>
  /** All records. */
  list(signal?: AbortSignal): Promise<readonly HeldRecord[]>
  /** All of the changes or none of them; what came of each. */
  change(changes: readonly Change[], signal?: AbortSignal): Promise<readonly Done[]>
}

export interface ApiSettings {
  readonly token: string
  readonly budget: Budget
  /** The real one when not given. */
  readonly baseUrl?: string | undefined
  readonly timeoutMs?: number | undefined
}

const realUrl = 'https://api.cloudflare.com/client/v4'
const usualTimeoutMs = 15_000
const perPage = 5000
const mostPages = 100

/** A name for a token that tells nothing of it. */
export function tokenKey(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The interface of one zone. */
export function createZoneApi(zoneId: string, settings: ApiSettings): ZoneApi {
  const client = clientOf(settings)
  const call = callerOf(zoneId, settings)

  return {
    async zoneName(signal) {
      const zone = await deniedOr(() => call(() => client.zones.get({ zone_id: zoneId }), signal))
      if (zone instanceof ApiFault) return undefined
      return typeof zone.name === 'string' && zone.name !== '' ? zone.name.toLowerCase() : undefined
    },

    async list(signal) {
      const records: HeldRecord[] = []
      // The library's own paging asks for one page more than there is.
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const query = { zone_id: zoneId, page, per_page: perPage }
        const { result, result_info: info } = await call(async () => client.dns.records.list(query), signal)
        if (!Array.isArray(result)) throw unreadable()
        records.push(...result.map(heldRecord))
        pages = pagesOf(info, result.length, page)
      }
      return records
    },

    async change(changes, signal) {
      const result = await call(
        () =>
          client.dns.records.batch({
            zone_id: zoneId,
            deletes: changes.flatMap(({ deletes }) => deletes.map((id) => ({ id }))),
            patches: changes.flatMap(({ patches }) => patches),
            posts: changes.flatMap(({ posts }) => posts),
          }),
        signal,
      )
      if (!isObject(result)) throw unreadable()
      const patched = recordsOf(result.patches)
      const posted = recordsOf(result.posts)
      const done = changes.map(({ patches, posts }) => ({
        written: [...patched.splice(0, patches.length), ...posted.splice(0, posts.length)],
      }))
      const isComplete = done.every(
        ({ written }, i) =>
          written.length === (changes[i]?.patches.length ?? 0) + (changes[i]?.posts.length ?? 0),
      )
      if (!isComplete || patched.length + posted.length > 0) throw unreadable()
      return done
    },
  }
}

/** Whether the provider takes a token. */
export async function verifyToken(settings: ApiSettings, signal?: AbortSignal): Promise<AccountVerdict> {
  const client = clientOf(settings)
  const call = callerOf('', settings)
  const verified = await deniedOr(() => call(() => client.user.tokens.verify(), signal))
  if (!(verified instanceof ApiFault)) {
    const { id, status } = verified
    if (status !== 'active') return { accepted: false, message: `the token is ${status}` }
    return {
      accepted: true,
      fields: [{ id: 'token_id', description: 'ID of the token at the provider', value: id }],
    }
  }
  // A token that belongs to no user cannot be verified there, but it can look at zones.
  const zones = await deniedOr(() => call(async () => client.zones.list({ per_page: 5 }), signal))
  return zones instanceof ApiFault ? { accepted: false, message: verified.message } : { accepted: true }
}

/** What a call gives, or why it is not allowed. */
async function deniedOr<T>(call: () => Promise<T>): Promise<T | ApiFault> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ApiFault && (error.kind === 'denied' || error.kind === 'refused')) return error
    throw error
  }
}

function clientOf({ token, budget, baseUrl = realUrl, timeoutMs = usualTimeoutMs }: ApiSettings) {
  const key = tokenKey(token)
  return createClient({
    resources: [BaseRecords, BaseTokens, BaseZones],
    baseURL: baseUrl,
    apiToken: token,
    // What is left out here, the library takes from the environment.
    apiKey: null,
    apiEmail: null,
    userServiceKey: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: timeoutMs,
    fetch: createTransport({ token, onAnswer: (headers) => restWhenUsedUp(headers, key, budget) }),
  })
}

/** Makes one call when its turn has come, and sorts what goes wrong. */
function callerOf(zoneId: string, { token, budget }: ApiSettings) {
  const key = tokenKey(token)
  return async <T>(make: () => PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> => {
    await budget.take(key, signal)
    try {
      return await make()
    } catch (error) {
      const fault = faultOf(error, zoneId, token)
      if (fault.kind === 'limited') budget.rest(key, fault.seconds ?? 1)
      throw fault
    }
  }
}

/** Each answer says how many calls are left, and for how long: `"default";r=50;t=30`. */
function restWhenUsedUp(headers: Headers, key: string, budget: Budget): void {
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? []
  if (left !== undefined && Number(left) === 0) budget.rest(key, Number(seconds))
}

function pagesOf(info: unknown, count: number, page: number): number {
  const total = isObject(info) ? info.total_pages : undefined
  const pages = typeof total === 'number' ? total : page + (count < perPage ? 0 : 1)
  if (pages <= mostPages) return pages
  const message = `the zone has more than ${mostPages * perPage} records, which are too many for this driver`
  throw new ApiFault('denied', message, { reason: 'ZoneTooLarge' })
}

function recordsOf(list: unknown): HeldRecord[] {
  return Array.isArray(list) ? list.map(heldRecord) : []
}

function heldRecord(given: unknown): HeldRecord {
  if (!isObject(given)) throw unreadable()
  const {
    id,
    type,
    name,
    content,
    ttl,
    proxied,
    comment,
    created_on: createdOn,
    modified_on: modifiedOn,
  } = given
  if (typeof id !== 'string' || id === '' || typeof type !== 'string' || typeof name !== 'string')
    throw unreadable()
  return {
    id,
    type,
    name: name.toLowerCase().replace(/\.$/, ''),
    content: typeof content === 'string' ? content : '',
    ttl: typeof ttl === 'number' ? ttl : 1,
    proxied: proxied === true,
    comment: typeof comment === 'string' ? comment : '',
    ...(typeof createdOn === 'string' ? { createdOn } : {}),
    ...(typeof modifiedOn === 'string' ? { modifiedOn } : {}),
  }
}

function unreadable(): ApiFault {
  return new ApiFault('lost', 'the provider gave an answer that cannot be read')
}
