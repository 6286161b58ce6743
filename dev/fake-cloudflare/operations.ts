import { randomBytes } from 'node:crypto'
import type { Operation } from './account.ts'
import { pageOf, select } from './listing.ts'
import type { DnsRecord, StoredRecord } from './records.ts'
import { checkNeighbours, isObject, type RecordFields, recordFields } from './validate.ts'
import { type Answer, invalidRecord, refusals, success } from './wire.ts'

/** A list of records, which may be late. */
export function list({ account, zone, query }: Operation): Answer {
  const { records, clock } = account
  const delayMs = account.listingDelayMs()
  const name = query.get('match') === 'any' ? null : (query.get('name.exact') ?? query.get('name'))
  const candidates =
    name !== null && delayMs === 0
      ? records.named(zone.id, name.toLowerCase())
      : records.asOf(zone.id, clock() - delayMs)
  const { items, page } = pageOf(select(candidates, query), query, { usual: 100, most: 5_000_000 })
  return success(items.map(onTheWire), { page })
}

export function read(operation: Operation): Answer {
  return success(onTheWire(existing(operation, operation.recordId)))
}

export function create(operation: Operation): Answer {
  return success(onTheWire(post(operation, operation.body)))
}

export function overwrite(operation: Operation): Answer {
  return success(onTheWire(change(operation, operation.recordId, operation.body)))
}

export function patch(operation: Operation): Answer {
  const current = existing(operation, operation.recordId)
  return success(onTheWire(change(operation, current.id, merged(current, operation.body))))
}

export function remove(operation: Operation): Answer {
  const { id } = drop(operation, operation.recordId)
  return success({ id })
}

/** All of the changes or none of them, in the order deletes, patches, puts, posts. */
export function batch(operation: Operation): Answer {
  const { account, body } = operation
  const deletes = itemsOf(body, 'deletes')
  const patches = itemsOf(body, 'patches')
  const puts = itemsOf(body, 'puts')
  const posts = itemsOf(body, 'posts')
  const count = deletes.length + patches.length + puts.length + posts.length
  const limit = account.limits.batch
  // The number of the real error is not known; its status is.
  if (count > limit)
    throw invalidRecord(9400, `Batch has ${count} operations, exceeding the quota of ${limit}.`)
  const result = account.records.transaction(() => ({
    deletes: deletes.map((item) => onTheWire(drop(operation, idOf(item)))),
    patches: patches.map((item) => {
      const current = existing(operation, idOf(item))
      return onTheWire(change(operation, current.id, merged(current, item)))
    }),
    puts: puts.map((item) => onTheWire(change(operation, idOf(item), item))),
    posts: posts.map((item) => onTheWire(post(operation, item))),
  }))
  return success(result)
}

/** A record without what only the store knows. */
export function onTheWire({ zone_id: _, ...record }: StoredRecord): DnsRecord {
  return record
}

/** A time as the interface writes it. */
export function timeOf(clock: () => number): string {
  return new Date(clock()).toISOString().replace('Z', '000Z')
}

/** A new identifier. */
export function newId(): string {
  return randomBytes(16).toString('hex')
}

function existing({ account, zone }: Operation, id: string): StoredRecord {
  const record = account.records.get(id)
  if (!record || record.zone_id !== zone.id) throw refusals.noSuchRecord()
  return record
}

function post({ account, zone }: Operation, input: unknown): StoredRecord {
  const fields = recordFields(input, zone, account.limits.comment)
  checkNeighbours(fields, zone, account.records)
  const now = timeOf(account.clock)
  const record: StoredRecord = {
    id: newId(),
    ...fields,
    meta: {},
    tags: [],
    created_on: now,
    modified_on: now,
    ...(fields.comment === null ? {} : { comment_modified_on: now }),
    zone_id: zone.id,
  }
  account.records.put(record)
  return record
}

function change(operation: Operation, id: string, input: unknown): StoredRecord {
  const { account, zone } = operation
  const current = existing(operation, id)
  const fields = recordFields(input, zone, account.limits.comment)
  checkNeighbours(fields, zone, account.records, id)
  const now = timeOf(account.clock)
  const { comment_modified_on: commented, ...rest } = current
  const record: StoredRecord = {
    ...rest,
    ...fields,
    modified_on: now,
    ...commentTime(current, fields, commented, now),
  }
  account.records.put(record)
  return record
}

function commentTime(
  current: StoredRecord,
  { comment }: RecordFields,
  before: string | undefined,
  now: string,
): { readonly comment_modified_on?: string } {
  if (comment === null) return {}
  return { comment_modified_on: comment === current.comment ? (before ?? now) : now }
}

function drop(operation: Operation, id: string): StoredRecord {
  const record = existing(operation, id)
  operation.account.records.remove(id)
  return record
}

function merged(current: StoredRecord, input: unknown): unknown {
  if (!isObject(input)) throw refusals.invalidBody()
  return { ...current, ...input }
}

function itemsOf(body: unknown, key: string): readonly unknown[] {
  if (!isObject(body)) throw refusals.invalidBody()
  const items = body[key] ?? []
  if (!Array.isArray(items)) throw refusals.invalidBody()
  return items
}

function idOf(item: unknown): string {
  if (!isObject(item) || typeof item.id !== 'string') throw refusals.invalidBody()
  return item.id
}
