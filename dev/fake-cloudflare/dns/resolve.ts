import type { Answer, Question } from 'dns-packet'
import type { Records, StoredRecord } from '../records.ts'
import { nameServers, type Zone, type Zones } from '../zones.ts'

/** What is to be said to a question. */
export interface Resolution {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'REFUSED'
  readonly answers: readonly Answer[]
  readonly authorities: readonly Answer[]
}

const automaticTtl = 300
const proxy: Readonly<Record<string, string>> = { A: '104.16.0.1', AAAA: '2606:4700::6810:1' }
const longestChain = 8

/** Answers a question from the records, as the authority for their zones. */
export function resolve(records: Records, zones: Zones, { name, type }: Question): Resolution {
  const answers: Answer[] = []
  let owner = name.toLowerCase()
  let zone = zones.around(owner)
  if (!zone) return { rcode: 'REFUSED', answers, authorities: [] }
  for (let links = 0; links < longestChain; links += 1) {
    const found = recordsOf(records, zone, owner)
    // The first name is answered in the letters it was asked in.
    const asked = links === 0 ? name : owner
    const proxied = found?.find((record) => record.proxied)
    const alias = proxied ? undefined : found?.find((record) => record.type === 'CNAME')
    if (!found || !alias || type === 'CNAME') {
      answers.push(...(proxied ? proxyAnswers(asked, type) : []), ...plainAnswers(found ?? [], asked, type))
      answers.push(...zoneAnswers(records, zone, owner, type))
      const rcode = found ? 'NOERROR' : 'NXDOMAIN'
      const isEmpty = !answers.some((answer) => answer.type !== 'CNAME' || type === 'CNAME')
      return { rcode, answers, authorities: isEmpty ? [startOfAuthority(records, zone)] : [] }
    }
    answers.push({ type: 'CNAME', name: asked, ttl: ttlOf(alias), data: alias.content })
    owner = alias.content
    const next = zones.around(owner)
    if (!next) return { rcode: 'NOERROR', answers, authorities: [] }
    zone = next
  }
  return { rcode: 'NOERROR', answers, authorities: [] }
}

/** The records of a name, those of a wildcard where it has none; undefined when the name does not exist. */
function recordsOf(records: Records, zone: Zone, name: string): readonly StoredRecord[] | undefined {
  const exists = (each: string): boolean => each === zone.name || records.isPopulated(zone.id, each)
  if (exists(name)) return records.named(zone.id, name)
  let encloser = name
  while (!exists(encloser)) encloser = encloser.slice(encloser.indexOf('.') + 1)
  const wildcard = records.named(zone.id, `*.${encloser}`)
  return wildcard.length > 0 ? wildcard : undefined
}

function plainAnswers(found: readonly StoredRecord[], name: string, asked: string): readonly Answer[] {
  return found.flatMap((record): Answer[] => {
    const { type, content } = record
    if (record.proxied || (type !== asked && asked !== 'ANY')) return []
    const ttl = ttlOf(record)
    if (type === 'TXT') return [{ type, name, ttl, data: textsOf(content) }]
    if (type === 'A' || type === 'AAAA' || type === 'CNAME') return [{ type, name, ttl, data: content }]
    return []
  })
}

function proxyAnswers(name: string, type: string): readonly Answer[] {
  if (type !== 'A' && type !== 'AAAA') return []
  return [{ type, name, ttl: automaticTtl, data: proxy[type] ?? '' }]
}

function zoneAnswers(records: Records, zone: Zone, name: string, type: string): readonly Answer[] {
  if (name !== zone.name) return []
  if (type === 'SOA') return [startOfAuthority(records, zone)]
  if (type !== 'NS') return []
  return nameServers.map((data) => ({ type: 'NS', name, ttl: 86_400, data }))
}

function startOfAuthority(records: Records, zone: Zone): Answer {
  return {
    type: 'SOA',
    name: zone.name,
    ttl: automaticTtl,
    data: {
      mname: nameServers[0],
      rname: 'dns.cloudflare.com',
      serial: records.revision() + 1,
      refresh: 10_000,
      retry: 2400,
      expire: 604_800,
      minimum: 60,
    },
  }
}

function ttlOf({ ttl }: StoredRecord): number {
  return ttl === 1 ? automaticTtl : ttl
}

/** The strings of a text record: those in quotes, or the content in pieces of at most 255 bytes. */
function textsOf(content: string): Buffer[] {
  const quoted = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(.)/g, '$1'),
  )
  const texts = content.startsWith('"') && quoted.length > 0 ? quoted : [content]
  return texts.flatMap((text) => {
    const bytes = Buffer.from(text)
    const pieces = Math.max(1, Math.ceil(bytes.length / 255))
    return Array.from({ length: pieces }, (_, index) => bytes.subarray(index * 255, (index + 1) * 255))
  })
}
