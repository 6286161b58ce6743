import { createHash } from 'node:crypto'
import { domainToUnicode } from 'node:url'

/** A zone of the fake account. */
export interface Zone {
  readonly id: string
  readonly name: string
}

export const nameServers = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] as const

export type Zones = ReturnType<typeof createZones>

/** An identifier in the form of the real ones that is always the same for the same text. */
export function identifier(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Whether a text has the form of an identifier. */
export function isIdentifier(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

/** The zones of the account. */
export function createZones(first: readonly Zone[]) {
  const byId = new Map(first.map((zone) => [zone.id, zone]))
  return {
    all: (): readonly Zone[] => [...byId.values()],
    get: (id: string): Zone | undefined => byId.get(id),
    add: (zone: Zone): void => void byId.set(zone.id, zone),
    /** The zone of a name: the one with the longest name. */
    around: (name: string): Zone | undefined =>
      [...byId.values()]
        .filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`))
        .toSorted((one, other) => other.name.length - one.name.length)[0],
  }
}

/** A zone as the interface shows it: an internationalized name is in Unicode, unlike the names of records. */
export function zoneOnTheWire({ id, name }: Zone, rights: readonly string[]) {
  const since = '2024-01-01T00:00:00.000000Z'
  return {
    id,
    name: domainToUnicode(name),
    status: 'active',
    paused: false,
    type: 'full',
    development_mode: 0,
    name_servers: nameServers,
    original_name_servers: null,
    original_registrar: null,
    original_dnshost: null,
    modified_on: since,
    created_on: since,
    activated_on: since,
    vanity_name_servers: [],
    meta: { step: 2, custom_certificate_quota: 0, page_rule_quota: 3, phishing_detected: false },
    owner: { id: null, type: 'user', email: null },
    account: { id: identifier('account'), name: 'Fake account' },
    tenant: { id: null, name: null },
    tenant_unit: { id: null },
    permissions: rights.map((right) => `#dns_records:${right}`),
    plan: { id: identifier('plan'), name: 'Free Website', legacy_id: 'free', is_subscribed: false },
  }
}
