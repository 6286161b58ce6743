import { hash } from 'node:crypto'
import { BaseRecords } from 'cloudflare/resources/dns/records'
import { BaseTokens } from 'cloudflare/resources/user/tokens/tokens'
import { BaseZones } from 'cloudflare/resources/zones/zones'
import { createClient } from 'cloudflare/tree-shakable'
import { isObject } from '../../domain/base/json.ts'
import type { AccountCheck } from '../driver.ts'
import { CloudflareError, listError, toCloudflareError } from './api-error.ts'
import type { Change } from './decide.ts'
import { asciiName } from './name.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { ExistingRecord } from './record.ts'
import { createTransport } from './transport.ts'

/** The records that a change wrote. */
export interface ChangeResult {
  readonly written: readonly ExistingRecord[]
}

/** Listed records. */
export interface RecordList {
  readonly records: readonly ExistingRecord[]
  /** Whether the list has several pages: a record that moves to the page before, when another one is deleted, is missing. */
  readonly isPaged: boolean
  /** Whether that happened, as far as the totals of the pages show. */
  readonly hasMoved: boolean
}

/** The API of a zone; all methods throw CloudflareError. `signal` ends the wait for the rate limit, never a call. */
export interface ZoneApi {
  /** The zone's name; undefined when the token may not read it. */
  zoneName(signal?: AbortSignal): Promise<string | undefined>
  /** All records, or those of one name. */
  list(signal?: AbortSignal, name?: string): Promise<RecordList>
  /** Makes all of the changes or none. */
  change(changes: readonly Change[], signal?: AbortSignal): Promise<readonly ChangeResult[]>
}

export interface ApiSettings {
  readonly token: string
  readonly rateLimiter: RateLimiter
  /** The provider's when absent. */
  readonly baseUrl?: string | undefined
  readonly timeoutMs?: number | undefined
}

const defaultUrl = 'https://api.cloudflare.com/client/v4'
const defaultTimeoutMs = 15_000
const perPage = 5000
const maxPages = 100

/** A key for a token that does not reveal it. */
export function tokenKey(token: string): string {
  return hash('sha256', token)
}

/** The API of one zone. */
export function createZoneApi(zoneId: string, settings: ApiSettings): ZoneApi {
  const client = clientOf(settings)
  const call = callerOf(zoneId, settings)

  return {
    async zoneName(signal) {
      const zone = await deniedOr(() => call(() => client.zones.get({ zone_id: zoneId }), signal))
      if (zone instanceof CloudflareError) return undefined
      // The provider shows internationalized names in Unicode.
      return (typeof zone.name === 'string' && asciiName(zone.name)) || undefined
    },

    async list(signal, name) {
      // While pages are read, a new record moves others to the page after: they are in both.
      const records = new Map<string, ExistingRecord>()
      const filter = name === undefined ? {} : { name: { exact: name } }
      let pages = 1
      let page = 0
      let total = 0
      let hasMoved = false
      // The paging of the library requests one page too many.
      while (page < pages) {
        page += 1
        const query = { zone_id: zoneId, page, per_page: perPage, ...filter }
        const list = call(async () => client.dns.records.list(query), signal)
        const { result, result_info: info } = await list.catch((error: unknown) => {
          throw listError(error)
        })
        if (!Array.isArray(result)) throw unreadable()
        for (const each of result.map(existingRecord)) records.set(each.id, each)
        pages = pagesOf(info, result.length, page)
        const count = totalOf(info)
        hasMoved ||= count < total
        total = count
      }
      return { records: [...records.values()], isPaged: page > 1, hasMoved }
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

/** Whether the provider accepts a token. */
export async function verifyToken(settings: ApiSettings, signal?: AbortSignal): Promise<AccountCheck> {
  const client = clientOf(settings)
  const call = callerOf('', settings)
  const verified = await deniedOr(() => call(() => client.user.tokens.verify(), signal))
  if (!(verified instanceof CloudflareError)) {
    const { id, status } = verified
    if (status !== 'active') return { accepted: false, message: `the token is ${status}` }
    return {
      accepted: true,
      fields: [{ id: 'token_id', description: 'ID of the token at the provider', value: id }],
    }
  }
  // A token of an account, not of a user, cannot be verified, but it can list zones.
  const zones = await deniedOr(() => call(async () => client.zones.list({ per_page: 5 }), signal))
  return zones instanceof CloudflareError
    ? { accepted: false, message: verified.message }
    : { accepted: true }
}

/** The result of a call, or the error that denies it. */
async function deniedOr<T>(call: () => Promise<T>): Promise<T | CloudflareError> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof CloudflareError && (error.kind === 'denied' || error.kind === 'rejected'))
      return error
    throw error
  }
}

function clientOf({ token, rateLimiter, baseUrl = defaultUrl, timeoutMs = defaultTimeoutMs }: ApiSettings) {
  const key = tokenKey(token)
  return createClient({
    resources: [BaseRecords, BaseTokens, BaseZones],
    baseURL: baseUrl,
    apiToken: token,
    // The library reads omitted options from the environment.
    apiKey: null,
    apiEmail: null,
    userServiceKey: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: timeoutMs,
    fetch: createTransport({ token, onResponse: (headers) => pauseWhenUsedUp(headers, key, rateLimiter) }),
  })
}

/** Makes calls within the rate limit; throws CloudflareError. */
function callerOf(zoneId: string, { token, rateLimiter }: ApiSettings) {
  const key = tokenKey(token)
  return async <T>(make: () => PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> => {
    await rateLimiter.take(key, signal)
    try {
      return await make()
    } catch (error) {
      const failure = toCloudflareError(error, zoneId, token)
      if (failure.kind === 'rateLimited') rateLimiter.pause(key, failure.seconds ?? 1)
      throw failure
    }
  }
}

/** Each response names the remaining calls and the seconds of the window: `"default";r=50;t=30`. */
function pauseWhenUsedUp(headers: Headers, key: string, rateLimiter: RateLimiter): void {
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? []
  if (left !== undefined && Number(left) === 0) rateLimiter.pause(key, Number(seconds))
}

function pagesOf(info: unknown, count: number, page: number): number {
  const total = isObject(info) ? info.total_pages : undefined
  const pages = typeof total === 'number' ? total : page + (count < perPage ? 0 : 1)
  if (pages <= maxPages) return pages
  const message = `the zone has more than ${maxPages * perPage} records, which are too many for this driver`
  throw new CloudflareError('denied', message, { reason: 'ZoneTooLarge' })
}

function totalOf(info: unknown): number {
  const count = isObject(info) ? info.total_count : undefined
  return typeof count === 'number' ? count : 0
}

function recordsOf(list: unknown): ExistingRecord[] {
  return Array.isArray(list) ? list.map(existingRecord) : []
}

function existingRecord(given: unknown): ExistingRecord {
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
    name: asciiName(name),
    content: typeof content === 'string' ? content : '',
    ttl: typeof ttl === 'number' ? ttl : 1,
    proxied: proxied === true,
    comment: typeof comment === 'string' ? comment : '',
    createdOn: typeof createdOn === 'string' ? createdOn : undefined,
    modifiedOn: typeof modifiedOn === 'string' ? modifiedOn : undefined,
  }
}

function unreadable(): CloudflareError {
  return new CloudflareError('unknown', 'the provider gave an answer that cannot be read')
}
