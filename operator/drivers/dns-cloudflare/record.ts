import { isIPv4, isIPv6 } from 'node:net'
import { Stalled } from '../../domain/base/errors.ts'
import { asciiName, isName } from './name.ts'

/** Types of records with the address of a host. */
export const hostTypes = ['A', 'AAAA', 'CNAME'] as const
export type HostType = (typeof hostTypes)[number]

/** A record to create or update. */
export interface WantedRecord {
  readonly type: HostType
  readonly name: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
  /** The mark that makes it ours. */
  readonly comment: string
}

/** A record of the provider. */
export interface ExistingRecord {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
  readonly comment: string
  /** Times that compare as text. */
  readonly createdOn?: string
  readonly modifiedOn?: string
}

/** Sources of a record's target; the first one wins. */
export interface TargetSources {
  readonly input: string | undefined
  readonly cluster: unknown
  readonly setting: string | undefined
}

/** The comment that marks a resource's record, within the 100 characters that every zone allows. */
export function markOf(installationId: string, guResId: string): string {
  return `quartermaster:${installationId}:${guResId}`
}

/** The address or host name that a record leads to. */
export function targetOf({ input, cluster, setting }: TargetSources): string {
  const found = [input, cluster, setting].find((each) => typeof each === 'string' && each !== '')
  if (typeof found === 'string') return found
  throw new Stalled(
    'NoTarget',
    "the DNS record has no target: set the input 'target', the output 'loadbalancer' of a 'k8s-cluster' resource, or QUARTERMASTER_LOADBALANCER",
  )
}

/** Type and content of the record that leads to an address or a host. */
export function contentOf(target: string): Pick<WantedRecord, 'type' | 'content'> {
  const text = target.trim()
  if (isIPv4(text)) return { type: 'A', content: text }
  if (isIPv6(text) && !text.includes('%')) return { type: 'AAAA', content: shortestIPv6(text) }
  const name = asciiName(text)
  if (isName(name)) return { type: 'CNAME', content: name }
  throw new Stalled(
    'InvalidInputs',
    `'${target.slice(0, 100)}' in 'target' is neither an address nor a host name`,
  )
}

/** The TTL, which some zone accepts: 30 to 59 seconds are for enterprise zones. */
export function lifetimeOf(ttl: number): number {
  if (ttl === 1 || ttl >= 30) return ttl
  throw new Stalled('InvalidInputs', `'${ttl}' in 'ttl' is neither 1 nor at least 30 seconds`)
}

/** The record that a resource's inputs ask for. */
export function wantedRecord(
  name: string,
  comment: string,
  target: string,
  { ttl = 1, proxied = false }: { readonly ttl?: number; readonly proxied?: boolean },
): WantedRecord {
  const { type, content } = contentOf(target)
  if (content === name) throw new Stalled('InvalidInputs', `the name '${name}' cannot lead to itself`)
  const lifetime = proxied ? 1 : lifetimeOf(ttl) // the provider sets that of proxied names
  return { type, name, content, ttl: lifetime, proxied, comment }
}

/** Whether a record is as wanted. */
export function isAsWanted(existing: ExistingRecord, wanted: WantedRecord): boolean {
  return (
    existing.type === wanted.type &&
    existing.ttl === wanted.ttl &&
    existing.proxied === wanted.proxied &&
    plainContent(existing) === wanted.content
  )
}

function plainContent({ type, content }: ExistingRecord): string {
  if (type === 'AAAA' && isIPv6(content) && !content.includes('%')) return shortestIPv6(content)
  return type === 'CNAME' ? asciiName(content) : content
}

function shortestIPv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1)
}
