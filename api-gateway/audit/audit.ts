import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { Membership, User } from '../../operator/api/access.ts'
import { systemNamespace } from '../../operator/api/names.ts'
import type { RestErrorName } from '../../operator/api/reasons/errors.ts'
import type { Store } from '../../operator/kube/cache/store.ts'
import type { Log } from '../../operator/log.ts'
import { isOn } from '../request/boolean-query.ts'
import { addressKey, sourceAddress } from '../request/source-address.ts'
import { createBursts } from './audit-bursts.ts'
import type { AuditEntry, AuditRecord } from './audit-record.ts'

/** What the handlers of a request store in `response.locals`. */
export interface AuditLocals {
  readonly requestId?: string
  /** Path template of the operation. */
  readonly route?: string
  readonly userName?: string
  readonly via?: string
  /** Whether the operation has the query parameter `dry_run`. */
  readonly offersDryRun?: boolean
  /** Whether the request signed a user in. */
  readonly signsIn?: boolean
}

/** Audit records of requests that wrote something or were rejected. */
export interface Audit {
  /** Notes a request that is handled: it is recorded when it is answered, or else when this process ends. */
  begin(request: Request, response: Response): void
  /** Records a request: writes before the response, rejections after it. Ignores successful reads. */
  record(request: Request, response: Response, status: number, reason?: string): void
  /** Returns the stored records of an organization, newest first; none of an earlier one of its name. */
  newest(organization: string): readonly AuditRecord[]
  /** Whether this process can have created a record with this ID. */
  isOurs(id: string): boolean
  /** Writes all pending records, those of writes without an answer too: the API server may have made them. */
  close(): void
}

/** Dependencies and limits of the audit. */
export interface AuditOptions {
  /** Receives every record. */
  readonly log: Log
  readonly store: Store
  now(): number
  /** Maximum number of records in memory. */
  readonly limit?: number
  /** Interval within which the rate-limited requests of a caller are aggregated. */
  readonly burstMs?: number
}

const defaultLimit = 10_000
/** What is recorded of a write without an answer. */
const interrupted: readonly [status: number, reason: RestErrorName] = [500, 'Internal']
const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Writes each record to the log and keeps the newest ones in memory. */
export function createAudit(options: AuditOptions): Audit {
  const { log, store, now, limit = defaultLimit, burstMs = 60_000 } = options
  const bursts = createBursts(write, burstMs)
  const processId = randomBytes(4).toString('hex')
  const groups = new Map<string, AuditRecord[]>()
  /** Writes that are handled. */
  const open = new Map<Response, Request>()
  let isClosed = false
  let count = 0
  let kept = 0

  function keep(group: string, record: AuditRecord): void {
    const records = groups.get(group) ?? []
    records.push(record)
    groups.set(group, records)
    kept += 1
    if (kept > limit) dropOldest()
  }

  /** Removes a record from the largest group, so that no organization displaces the records of others. */
  function dropOldest(): void {
    let fullest: [group: string, records: AuditRecord[]] = ['', []]
    for (const each of groups) if (each[1].length > fullest[1].length) fullest = each
    const [group, records] = fullest
    records.shift()
    if (records.length === 0) groups.delete(group)
    kept -= 1
  }

  function write(entry: AuditEntry): void {
    count += 1
    const record = { id: `${processId}-${String(count).padStart(12, '0')}`, ...entry }
    log.info('audit', { stream: 'audit', ...record })
    if (record.org_id !== undefined) keep(groupOf(store, record.org_id, record.user_id), record)
  }

  return {
    begin(request, response) {
      if (!reads.has(request.method)) open.set(response, request)
    },
    record(request, response, status, reason) {
      if (open.delete(response) && isClosed) return
      const isRefusal = status >= 400 && status < 500
      const { signsIn } = response.locals as AuditLocals // only the gateway sets them
      if (reads.has(request.method) && !isRefusal && !signsIn) return
      const at = new Date(now()).toISOString()
      const entry = () => recordOf({ at, request, response, status, reason, store })
      if (status === 429) bursts.take(burstKey(request, response, store), at, entry)
      else write(entry())
    },
    newest(organization) {
      const both = [true, false].flatMap(
        (isMember) => groups.get(groupKey(store, organization, isMember)) ?? [],
      )
      return both.sort((left, right) => (left.id < right.id ? 1 : -1))
    },
    isOurs: (id) => id.startsWith(`${processId}-`),
    close() {
      isClosed = true
      const at = new Date(now()).toISOString()
      const [status, reason] = interrupted
      for (const [response, request] of open)
        write(recordOf({ at, request, response, status, reason, store }))
      bursts.close()
    },
  }
}

/** Non-members have a separate group, so that their requests displace only their own records. */
function groupOf(store: Store, organization: string, userId: string): string {
  return groupKey(store, organization, store.get(Membership, organization, userId) !== undefined)
}

/** An organization has no records of an earlier one of its name. The times of records are of another clock than its own. */
function groupKey(store: Store, organization: string, isMember: boolean): string {
  const { createdAt = '' } = store.organization(organization) ?? {}
  return `${organization}/${createdAt}/${isMember ? 'members' : 'strangers'}`
}

/** Requests of one caller to one organization are aggregated. */
function burstKey(request: Request, { locals }: Response, store: Store): string {
  const { params, path } = request
  const { userName, via = '' } = locals as AuditLocals // only the gateway sets them
  const caller = userName === undefined ? addressKey(sourceAddress(request)) : `user:${userName} ${via}`
  return `${caller} ${organizationOf(store, params as Readonly<Record<string, string>>, path) ?? ''}` // see recordOf
}

interface AuditedRequest {
  readonly at: string
  readonly request: Request
  readonly response: Response
  readonly status: number
  readonly reason: string | undefined
  readonly store: Store
}

/** Contains no body, query or header, except the request ID. */
function recordOf({ at, request, response, status, reason, store }: AuditedRequest): AuditEntry {
  const { requestId = '', route, userName = '', via, offersDryRun } = response.locals as AuditLocals // only the gateway sets them
  const params = request.params as Readonly<Record<string, string>> // only a wildcard gives a list, and no path has one
  const organization = organizationOf(store, params, request.path)
  return sanitized({
    at,
    user_id: userName,
    request_method: request.method,
    request_path: request.path,
    path_parameters: { ...params },
    response_status: status,
    result: status < 400 ? 'success' : status < 500 ? 'refused' : 'failed',
    request_id: requestId,
    source_address: sourceAddress(request),
    org_id: organization,
    route,
    via,
    reason,
    dry_run: (offersDryRun && isOn(request.query['dry_run'])) || undefined,
  })
}

/** Organization in the path, or of the service user in the path; undefined if it does not exist. */
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

/** Copies a record with truncated texts and redacted tokens, which a path may contain. */
function sanitized(entry: AuditEntry): AuditEntry {
  const shorten = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.slice(0, maxText).replaceAll(tokens, '[redacted]') : value
  // Copies through JSON, because a substring keeps the whole string in memory.
  return JSON.parse(JSON.stringify(entry, shorten)) as AuditEntry // the same fields with shorter texts
}
