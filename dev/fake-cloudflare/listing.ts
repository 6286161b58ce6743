import type { DnsRecord } from './records.ts'
import { ApiError, type PageInfo } from './wire.ts'

type Test = (value: string, wanted: string) => boolean

const tests: Readonly<Record<string, Test>> = {
  exact: (value, wanted) => value === wanted,
  contains: (value, wanted) => value.includes(wanted),
  startswith: (value, wanted) => value.startsWith(wanted),
  endswith: (value, wanted) => value.endsWith(wanted),
  present: (value) => value !== '',
  absent: (value) => value === '',
}

const filters = ['name', 'content', 'comment', 'type', 'proxied', 'search', 'tag'] as const
const orders = ['type', 'name', 'content', 'ttl', 'proxied'] as const

/** The records that the parameters of a list ask for, in the order they ask for. */
export function select<T extends DnsRecord>(records: readonly T[], query: URLSearchParams): readonly T[] {
  const conditions = [...query].flatMap(([key, wanted]) => conditionOf(key, wanted.toLowerCase()))
  const anyIsEnough = query.get('match') === 'any' && conditions.length > 0
  const chosen = records.filter((record) =>
    anyIsEnough ? conditions.some((fits) => fits(record)) : conditions.every((fits) => fits(record)),
  )
  return sorted(chosen, query)
}

/** One page of what was found. */
export function pageOf<T>(
  found: readonly T[],
  query: URLSearchParams,
  size: { readonly usual: number; readonly most: number },
): { readonly items: readonly T[]; readonly page: PageInfo } {
  const page = numberOf(query, 'page', 1, Number.MAX_SAFE_INTEGER)
  const perPage = numberOf(query, 'per_page', size.usual, size.most)
  const items = found.slice((page - 1) * perPage, page * perPage)
  const pages = Math.max(1, Math.ceil(found.length / perPage))
  return {
    items,
    page: { page, per_page: perPage, count: items.length, total_count: found.length, total_pages: pages },
  }
}

function conditionOf(key: string, wanted: string): readonly ((record: DnsRecord) => boolean)[] {
  const [field = '', operator = 'exact'] = key.split('.')
  const test = tests[operator]
  if (!filters.some((filter) => filter === field)) return []
  if (!test) throw invalidParameter(key)
  if (field === 'search') {
    return [(record) => ['name', 'content', 'comment'].some((each) => textOf(record, each).includes(wanted))]
  }
  return [(record) => test(textOf(record, field), wanted)]
}

/** Filters ignore case. */
function textOf(record: DnsRecord, field: string): string {
  switch (field) {
    case 'name':
      return record.name
    case 'content':
      return record.content.toLowerCase()
    case 'comment':
      return (record.comment ?? '').toLowerCase()
    case 'type':
      return record.type.toLowerCase()
    case 'proxied':
      return String(record.proxied)
    default:
      return ''
  }
}

function sorted<T extends DnsRecord>(records: readonly T[], query: URLSearchParams): readonly T[] {
  const order = orders.find((each) => each === query.get('order')) ?? 'name'
  const sign = query.get('direction') === 'desc' ? -1 : 1
  const keys = new Map(
    records.map((record) => [
      record.id,
      order === 'ttl' ? String(record.ttl).padStart(6, '0') : textOf(record, order),
    ]),
  )
  const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))
  return records.toSorted(
    (one, other) =>
      sign * compare(keys.get(one.id) ?? '', keys.get(other.id) ?? '') || compare(one.id, other.id),
  )
}

function numberOf(query: URLSearchParams, key: string, usual: number, most: number): number {
  const given = query.get(key)
  if (given === null) return usual
  const value = Number(given)
  if (!Number.isInteger(value) || value < 1 || value > most) throw invalidParameter(key)
  return value
}

function invalidParameter(key: string): ApiError {
  return new ApiError(400, { code: 6003, message: `Invalid request parameter '${key}'` })
}
