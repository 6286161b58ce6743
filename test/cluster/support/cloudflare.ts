import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { issueCertificate } from '../../../dev/development-authority.ts'
import type { JournalEntry } from '../../../dev/fake-cloudflare/journal.ts'
import type { Rule } from '../../../dev/fake-cloudflare/misbehave.ts'
import type { StoredRecord } from '../../../dev/fake-cloudflare/records.ts'
import type { Token } from '../../../dev/fake-cloudflare/tokens.ts'
import type { Zone } from '../../../dev/fake-cloudflare/zones.ts'
import type { KubeObject } from '../../../operator/api/kind.ts'
import { makeTestOrganization, type Organization } from './client.ts'
import type { SharedCluster } from './shared-cluster.ts'

/** The control interface of the fake Cloudflare; each test file has separate zones and tokens. */
export interface Cloudflare {
  /** A new zone; with the name of an older one when it is given, else with a new name. */
  makeZone(name?: string): Promise<Zone>
  /** A new token that may edit these zones. */
  makeToken(...zones: readonly Zone[]): Promise<Token>
  /** The provider accepts the token no more. */
  revoke(token: Token): Promise<void>
  /** The calls with the token, oldest first. */
  calls(token: Token): Promise<JournalEntry[]>
  records(zone: Zone): Promise<StoredRecord[]>
  addRecord(zone: Zone, record: Partial<StoredRecord>): Promise<StoredRecord>
  changeRecord(id: string, changes: Partial<StoredRecord>): Promise<void>
  removeRecord(id: string): Promise<void>
  /** Treats calls with the token as the rule says. */
  misbehave(token: Token, rule: Partial<Rule>): Promise<void>
  /** Takes all rules back, those for other tokens too. */
  behave(): Promise<void>
  /** The most calls with the token that fell into any 300 seconds. */
  mostCalls(token: Token): Promise<number>
  /** An answer of the DNS server of the provider, as every client gets it. */
  resolve(name: string, type?: string): Promise<string[]>
}

/** The control of a fake Cloudflare. */
export function cloudflareAt({
  url,
  dnsPort,
}: Pick<SharedCluster['cloudflare'], 'url' | 'dnsPort'>): Cloudflare {
  const resolver = new Resolver({ tries: 2, timeout: 10_000 })
  resolver.setServers([`127.0.0.1:${dnsPort}`])

  async function control<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${url}/__${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return answer.json() as Promise<T> // the fake is of this project
  }

  return {
    makeZone: (name = `z${randomBytes(4).toString('hex')}.test`) =>
      control('POST', 'zones', { name, id: randomBytes(16).toString('hex') }),
    makeToken: (...zones) =>
      control('POST', 'tokens', {
        name: `token-${randomBytes(4).toString('hex')}`,
        zones: zones.map(({ id }) => id),
      }),
    async revoke({ name }) {
      await control('POST', 'tokens', { name, status: 'disabled' })
    },
    async calls({ name }) {
      return (await control<JournalEntry[]>('GET', 'calls')).filter(({ token }) => token === name)
    },
    async records({ id }) {
      return (await control<StoredRecord[]>('GET', 'records')).filter(({ zone_id }) => zone_id === id)
    },
    addRecord: ({ id }, record) => control('POST', 'records', { zone_id: id, ...record }),
    changeRecord: (id, changes) => control('PATCH', `records/${id}`, changes),
    removeRecord: (id) => control('DELETE', `records/${id}`),
    async misbehave({ name }, { match, ...rule }) {
      await control('POST', 'misbehave', { rules: [{ ...rule, match: { ...match, token: name } }] })
    },
    async behave() {
      await control('DELETE', 'misbehave')
    },
    async mostCalls({ name }) {
      const { tokens } = await control<{ tokens: { token: string; maximum: number }[] }>('GET', 'limits')
      return tokens.find(({ token }) => token === name)?.maximum ?? 0
    },
    async resolve(name, type = 'A') {
      try {
        const found: unknown = await resolver.resolve(name, type as 'A')
        return Array.isArray(found) ? found.map(String) : []
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === 'ENOTFOUND' || code === 'ENODATA') return []
        throw error
      }
    },
  }
}

/** Additional inputs of a definition of DNS names. */
export interface DnsDefinition {
  readonly zone?: Zone
  readonly values?: object
  readonly criteria?: readonly object[]
  readonly accountName?: string
  /** Secret of the certificate. */
  readonly tls?: string
  readonly provision?: object
}

/** An organization whose definition `dns` creates names in a separate zone. */
export interface DnsOrganization extends Organization {
  readonly provider: Cloudflare
  readonly zone: Zone
  readonly token: Token
  /** Applies a definition of type `dns`; omitted inputs are as in the first one. */
  defineDns(name: string, definition?: DnsDefinition): Promise<KubeObject>
  /** A Secret of the organization. */
  secret(name: string, stringData: Record<string, string>): Promise<void>
  tlsSecret(name: string, certificate: { readonly crt: string; readonly key: string }): Promise<void>
}

/**
 * Makes an organization with an application `shop`, an account `provider` whose token may edit the zone and `others`,
 * a Secret `wildcard` with a certificate for the zone, and a definition `dns`.
 */
export async function makeDnsOrganization(
  cluster: Parameters<typeof makeTestOrganization>[0] & Pick<SharedCluster, 'directory' | 'cloudflare'>,
  prefix: string,
  { spareZone = false }: { readonly spareZone?: boolean } = {},
): Promise<DnsOrganization & { readonly spare: Zone }> {
  const provider = cloudflareAt(cluster.cloudflare)
  const zone = await provider.makeZone()
  // A zone of the same name would accept the same names: the earlier ones must be deleted nevertheless.
  const spare = spareZone ? await provider.makeZone(zone.name) : zone
  const token = await provider.makeToken(zone, spare)
  const organization = await makeTestOrganization(cluster, prefix)

  async function secret(name: string, stringData: Record<string, string>, type = 'Opaque') {
    const { ok, status } = await organization.kube('POST', `/api/v1/namespaces/${organization.id}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      type,
      stringData,
    })
    if (!ok) throw new Error(`Secret '${name}': status ${status}`)
  }
  const made = {
    ...organization,
    provider,
    zone,
    spare,
    token,
    secret: (name: string, stringData: Record<string, string>) => secret(name, stringData),
    tlsSecret: (name: string, { crt, key }: { readonly crt: string; readonly key: string }) =>
      secret(name, { 'tls.crt': crt, 'tls.key': key }, 'kubernetes.io/tls'),
    defineDns: (name: string, definition: DnsDefinition = {}) => {
      const { values, criteria = [{}], accountName = 'provider', tls = 'wildcard', provision } = definition
      return organization.define(name, {
        type: 'dns',
        driverType: 'quartermaster/dns-cloudflare',
        accountName,
        driverInputs: {
          values: { zone_id: (definition.zone ?? zone).id, domain: zone.name, ...values },
          secretRefs: { tls: { secret: tls } },
        },
        criteria,
        ...(provision ? { provision } : {}),
      })
    },
  }
  await made.secret('provider-token', { token: token.value })
  await made.tlsSecret('wildcard', await issueCertificate(cluster.directory, [`*.${zone.name}`]))
  await organization.apply('resourceaccounts', 'ResourceAccount', 'provider', {
    type: 'cloudflare',
    credentialsSecretName: 'provider-token',
  })
  await organization.application('shop')
  await made.defineDns('dns')
  return made
}
