import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { Membership, User } from '../../operator/api/access.ts'
import { systemNamespace } from '../../operator/api/names.ts'
import { boolean, integer, map, object, oneOf, type Static, string, time } from '../../operator/api/schema.ts'
import type { Store } from '../../operator/kube/cache/store.ts'
import type { Log } from '../../operator/log.ts'
import { isOn } from '../request/boolean-query.ts'
import { addressKey, sourceAddress } from '../request/source-address.ts'
import { named } from '../response/shapes.ts'
import { createBursts } from './audit-bursts.ts'

/** Whether it was done, was not allowed or possible, or went wrong. */
export const auditResults = ['success', 'refused', 'failed'] as const

export const auditRecordShape = named(
  'AuditRecord',
  object(
    {
      id: string('ID of the record. Later records have greater IDs.', { maxLength: 63 }),
      at: time('Time when the request was answered.'),
      user_id: string('ID of the user who made the request. Empty if unknown.'),
      request_method: string('HTTP method.', { maxLength: 63 }),
      request_path: string('Path without its query. A long path is truncated.'),
      path_parameters: map(string('Value.'), 'Path parameters, which identify the objects of the request.'),
      response_status: integer('HTTP status of the response.'),
      result: oneOf(auditResults, 'Result of the request.'),
      request_id: string('ID of the request, as in the response header `X-Request-Id` and in the log.', {
        maxLength: 64,
      }),
      source_address: string('Address of the client.', { maxLength: 63 }),
    },
    {
      org_id: string('Organization of the request.', { maxLength: 63 }),
      route: string('Path template of the operation.'),
      via: string('Credential that authenticated the user: `token:<name>` for an API token, or `session`.'),
      reason: string('Machine-readable reason why the request failed: one CamelCase word.', {
        maxLength: 63,
      }),
      dry_run: boolean('True if the request was a dry run.'),
      count: integer(
        'Number of rate-limited requests (429) of one caller within a minute that this record stands for. The record describes the first of them; `at` is the time of the last.',
      ),
    },
    'One request that wrote something or was rejected.',
  ),
)

/** One request that wrote or was refused. */
export type AuditRecord = Static<typeof auditRecordShape>

/** The same before it has its place among the others. */
export type Facts = Omit<AuditRecord, 'id'>

/** What is learnt about a request while it is served. */
export interface AuditLocals {
  readonly requestId?: string
  /** Path template of the operation. */
  readonly route?: string
  readonly userName?: string
  readonly via?: string
  /** Whether the operation can be asked to write nothing. */
  readonly offersDryRun?: boolean
  /** Whether somebody signed in, be it by a read. */
  readonly signsIn?: boolean
}

/** The record of what was done and refused over REST. */
export interface Audit {
  /** Takes a request in: what was done before its answer leaves, what was refused after it. A read that succeeds is passed over. */
  record(request: Request, response: Response, status: number, reason?: string): void
  /** What is kept of an organization, the newest first. */
  newest(organization: string): readonly AuditRecord[]
  /** Whether this process could have made a record with that id. */
  isOurs(id: string): boolean
  /** Writes what is still held back. */
  close(): void
}

/** What an audit is made of. */
export interface AuditOptions {
  /** Where every record goes, each as one line. */
  readonly log: Log
  readonly store: Store
  now(): number
  /** Records that are kept in memory. */
  readonly limit?: number
  /** For so long the refusals of a caller who asks too often become one record. */
  readonly burstMs?: number
}

const defaultLimit = 10_000
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Writes each record to the log, and keeps the newest of them in memory. */
export function createAudit(options: AuditOptions): Audit {
  const { log, store, now, limit = defaultLimit, burstMs = 60_000 } = options
  const bursts = createBursts(write, burstMs)
  const mark = randomBytes(4).toString('hex')
  const shelves = new Map<string, AuditRecord[]>()
  let count = 0
  let kept = 0

  function keep(shelf: string, record: AuditRecord): void {
    const records = shelves.get(shelf) ?? []
    records.push(record)
    shelves.set(shelf, records)
    kept += 1
    if (kept > limit) dropOldest()
  }

  /** The fullest shelf gives way, so that nobody's requests push out the records of all others. */
  function dropOldest(): void {
    let fullest: AuditRecord[] = []
    for (const records of shelves.values()) if (records.length > fullest.length) fullest = records
    fullest.shift()
    kept -= 1
  }

  function write(facts: Facts): void {
    count += 1
    const record = { id: `${mark}-${String(count).padStart(12, '0')}`, ...facts }
    log.info('audit', { stream: 'audit', ...record })
    if (record.org_id !== undefined) keep(shelfOf(store, record.org_id, record.user_id), record)
  }

  return {
    record(request, response, status, reason) {
      const isRefusal = status >= 400 && status < 500
      const { signsIn } = response.locals as AuditLocals // set by us alone
      if (reads.has(request.method) && !isRefusal && !signsIn) return
      const at = new Date(now()).toISOString()
      const facts = () => factsOf({ at, request, response, status, reason, store })
      if (status === 429) bursts.take(burstKey(request, response, store), at, facts)
      else write(facts())
    },
    newest(organization) {
      const both = [true, false].flatMap((isMember) => shelves.get(shelfName(organization, isMember)) ?? [])
      return both.sort((left, right) => (left.id < right.id ? 1 : -1))
    },
    isOurs: (id) => id.startsWith(`${mark}-`),
    close: () => bursts.close(),
  }
}

/** Strangers have a shelf apart: they are refused, however often, at the cost of their own records first. */
function shelfOf(store: Store, organization: string, userId: string): string {
  return shelfName(organization, store.get(Membership, organization, userId) !== undefined)
}

function shelfName(organization: string, isMember: boolean): string {
  return `${organization}/${isMember ? 'members' : 'strangers'}`
}

/** Whose refusals, and about which organization, are one burst. */
function burstKey(request: Request, { locals }: Response, store: Store): string {
  const { params, path } = request
  const { userName, via = '' } = locals as AuditLocals // set by us alone
  const caller = userName === undefined ? addressKey(sourceAddress(request)) : `user:${userName} ${via}`
  return `${caller} ${organizationOf(store, params as Readonly<Record<string, string>>, path) ?? ''}` // as below
}

interface Observed {
  readonly at: string
  readonly request: Request
  readonly response: Response
  readonly status: number
  readonly reason: string | undefined
  readonly store: Store
}

/** Neither body nor query nor header comes in: of what a caller sends, only the path and the id of the request. */
function factsOf({ at, request, response, status, reason, store }: Observed): Facts {
  const { requestId = '', route, userName = '', via, offersDryRun } = response.locals as AuditLocals // set by us alone
  const params = request.params as Readonly<Record<string, string>> // no path has a wildcard, which alone gives lists
  const organization = organizationOf(store, params, request.path)
  return detached({
    at,
    user_id: userName,
    request_method: request.method,
    request_path: request.path,
    path_parameters: { ...params },
    response_status: status,
    result: status < 400 ? 'success' : status < 500 ? 'refused' : 'failed',
    request_id: requestId,
    source_address: sourceAddress(request),
    ...(organization === undefined ? {} : { org_id: organization }),
    ...(route === undefined ? {} : { route }),
    ...(via === undefined ? {} : { via }),
    ...(reason === undefined ? {} : { reason }),
    ...(offersDryRun && isOn(request.query['dry_run']) ? { dry_run: true } : {}),
  })
}

/** The organization that a request is about, be it by its service user; undefined when there is no such one. */
function organizationOf(
  store: Store,
  { org_id, user_id = '' }: Readonly<Record<string, string>>,
  path: string,
): string | undefined {
  const inPath = org_id ?? /^\/orgs\/([a-z0-9-]+)/.exec(path)?.[1]
  const name = inPath ?? store.get(User, systemNamespace, user_id)?.spec.organizationName
  return name !== undefined && store.isOrganization(name) ? name : undefined
}

const maxText = 512
const tokens = /qm(?:_|%5f)[a-z0-9.-]+(?:_|%5f)[\w%-]+|eyJ[\w-]+\.[\w.-]+/gi

/** A copy with short texts, none of them a token that somebody put into a path. */
function detached(facts: Facts): Facts {
  const shorten = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.slice(0, maxText).replaceAll(tokens, '[redacted]') : value
  // Through text, since a part of a string keeps the whole of it in memory.
  return JSON.parse(JSON.stringify(facts, shorten)) as Facts // what went in, shorter
}
