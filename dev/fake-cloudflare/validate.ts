import { isIPv4, isIPv6 } from 'node:net'
import type { DnsRecord, Records } from './records.ts'
import { ApiError, invalidRecord, refusals } from './wire.ts'
import type { Zone } from './zones.ts'

/** The fields of a record that a caller gives. */
export type RecordFields = Pick<
  DnsRecord,
  'name' | 'type' | 'content' | 'ttl' | 'proxied' | 'proxiable' | 'comment' | 'settings'
>

const addressTypes = new Set(['A', 'AAAA'])
const sameName =
  'For more details, refer to <https://developers.cloudflare.com/dns/manage-dns-records/troubleshooting/records-with-same-name/>.'

/** The complete name: lower case, within the zone; `@` is the zone itself. */
export function fullName(name: string, zone: Zone): string {
  const plain = name.toLowerCase().replace(/\.$/, '')
  if (plain === '@' || plain === zone.name) return zone.name
  return plain.endsWith(`.${zone.name}`) ? plain : `${plain}.${zone.name}`
}

/** The fields of a wanted record, normalized as the real interface does; throws where it would refuse them. */
export function recordFields(input: unknown, zone: Zone, commentLimit: number): RecordFields {
  if (!isObject(input)) throw refusals.invalidBody()
  const type = String(input.type ?? '').toUpperCase()
  const contentOf = contents[type]
  if (!contentOf) throw invalidRecord(9003, `Invalid 'type' '${type}'.`)
  const name = nameOf(input.name, zone)
  const proxied = input.proxied === true
  if (proxied && type === 'TXT') throw invalidRecord(9041, 'This DNS record type cannot be proxied.')
  const ttl = ttlOf(input.ttl)
  if (Array.isArray(input.tags) && input.tags.length > 0) {
    throw invalidRecord(9300, `DNS record has ${input.tags.length} tags, exceeding the quota of 0.`)
  }
  return {
    name,
    type,
    content: contentOf(input.content, name),
    proxiable: type !== 'TXT',
    proxied,
    // The time to live of a proxied record is always automatic.
    ttl: proxied ? 1 : ttl,
    settings: isObject(input.settings) ? input.settings : {},
    comment: commentOf(input.comment, commentLimit),
  }
}

/** Throws when the record conflicts with existing ones; the one with `ownId` is the record itself. */
export function checkNeighbours(fields: RecordFields, zone: Zone, records: Records, ownId?: string): void {
  const others = records.named(zone.id, fields.name).filter(({ id }) => id !== ownId)
  if (others.some(({ type, content }) => type === fields.type && content === fields.content)) {
    throw new ApiError(400, { code: 81058, message: 'An identical record already exists.' })
  }
  const addresses = others.some(({ type }) => addressTypes.has(type))
  const alias = others.some(({ type }) => type === 'CNAME')
  if (fields.type === 'CNAME' && (addresses || alias)) {
    const message = `An A, AAAA, or CNAME record with that host already exists. ${sameName}`
    throw new ApiError(400, { code: 81053, message })
  }
  if (addressTypes.has(fields.type) && alias) {
    const message = `A CNAME record with that host already exists. ${sameName}`
    throw new ApiError(400, { code: 81054, message })
  }
}

const contents: Readonly<Record<string, (content: unknown, name: string) => string>> = {
  A(content) {
    if (typeof content === 'string' && isIPv4(content)) return content
    throw invalidRecord(9005, 'Content for A record must be a valid IPv4 address.')
  },
  AAAA(content) {
    if (typeof content !== 'string' || !isIPv6(content) || content.includes('%')) {
      throw invalidRecord(9006, 'Content for AAAA record must be a valid IPv6 address.')
    }
    return new URL(`http://[${content}]/`).hostname.slice(1, -1)
  },
  CNAME(content, name) {
    const target = typeof content === 'string' ? content.toLowerCase().replace(/\.$/, '') : ''
    if (!isName(target) || isIPv4(target)) throw invalidRecord(9007, 'Content for CNAME record is invalid.')
    if (target === name) throw invalidRecord(9039, 'CNAME content cannot reference itself.')
    return target
  },
  TXT(content) {
    if (typeof content === 'string' && content !== '') return content
    throw invalidRecord(9051, 'Content for TXT record is invalid.')
  },
}

function nameOf(given: unknown, zone: Zone): string {
  if (typeof given !== 'string' || given === '') throw invalidRecord(9000, 'DNS name is invalid.')
  const name = fullName(given, zone)
  if (!isName(name)) throw invalidRecord(9000, 'DNS name is invalid.')
  return name
}

function ttlOf(given: unknown): number {
  if (given === undefined || given === 1) return 1
  if (typeof given !== 'number') throw invalidRecord(9022, 'TTL must be a number.')
  if (Number.isInteger(given) && given >= 60 && given <= 86_400) return given
  throw invalidRecord(9021, 'TTL must be between 60 and 86400 seconds, or 1 for Automatic.')
}

function commentOf(given: unknown, limit: number): string | null {
  if (given === undefined || given === null || given === '') return null
  if (typeof given !== 'string') throw refusals.invalidBody()
  if (given.length <= limit) return given
  const message = `DNS record comment exceeds the maximum length of ${limit} characters.`
  throw new ApiError(400, { code: 9313, message })
}

function isName(name: string): boolean {
  return (
    name.length <= 253 && /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_-]{1,63}$/.test(name)
  )
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
