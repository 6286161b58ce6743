import type { FreeForm, Static } from '../../api/schema.ts'
import { Stalled, withoutSideEffects } from '../../domain/base/errors.ts'
import type { Driver, ProvisionRequest } from '../driver.ts'
import { refuseBadCertificate, tlsSecret } from '../tls-secret.ts'
import { createZoneApi, tokenKey, verifyToken } from './api.ts'
import { createBudget } from './budget.ts'
import { dnsCloudflareDescriptor, type dnsSecrets, type dnsValues } from './descriptor.ts'
import { createZoneMemory, type Patience, type ZoneMemory } from './memory.ts'
import { domainOf, nameOf } from './name.ts'
import { errorOf } from './outcome.ts'
import { markOf, targetOf, wantedRecord } from './record.ts'
import { createZone, type Zone } from './zone.ts'

type Values = Static<typeof dnsValues>
type Secrets = Static<typeof dnsSecrets>

export interface DnsCloudflareSettings extends Partial<Patience> {
  /** 8 hexadecimal digits that tell this cluster from others. */
  readonly installationId: string
  /** Where names lead when nothing else says so. */
  readonly loadbalancer?: string | undefined
  /** Address of the provider's interface, the real one when not given. */
  readonly baseUrl?: string | undefined
  /** Milliseconds since 1970, for certificates. */
  readonly now?: () => number
  /** Milliseconds that only grow. */
  readonly clock?: () => number
  /** How long nobody may come before the wishes for a zone are fulfilled together. */
  readonly collectMs?: number
  /** How long one call may take. */
  readonly timeoutMs?: number
}

/** The driver of one process. */
export interface DnsCloudflare extends Driver {
  /** Ends what still waits. */
  close(): void
}

const mostZones = 500

/** Makes subdomains in zones of Cloudflare, each with a Secret of its TLS certificate. */
export function createDnsCloudflare(settings: DnsCloudflareSettings): DnsCloudflare {
  const { installationId, now = Date.now, clock = () => performance.now() } = settings
  const { settleMs = 10_000, confirmMs = 5000, overlayMs = 60_000 } = settings
  const budget = createBudget({ clock })
  const zones = new Map<string, Zone>()
  const memories = new Map<string, ZoneMemory>()

  function zoneOf(zoneId: string, token: string): Zone {
    const key = `${tokenKey(token)} ${zoneId}`
    const known = zones.get(key)
    if (known) return known
    if (zones.size >= mostZones) forgetIdle()
    // All tokens of a zone share what was done in it.
    const memory = memories.get(zoneId) ?? createZoneMemory(clock, { settleMs, confirmMs, overlayMs })
    memories.set(zoneId, memory)
    const { baseUrl, timeoutMs, collectMs = 100 } = settings
    const api = createZoneApi(zoneId, { token, budget, baseUrl, timeoutMs })
    const zone = createZone({ zoneId, api, memory, budget, tokenKey: tokenKey(token), clock, collectMs })
    zones.set(key, zone)
    return zone
  }

  function forgetIdle(): void {
    for (const [key, zone] of zones) if (zone.isIdle) zones.delete(key)
    const used = new Set([...zones.keys()].map((key) => key.split(' ')[1]))
    for (const zoneId of memories.keys()) if (!used.has(zoneId)) memories.delete(zoneId)
  }

  return {
    descriptor: dnsCloudflareDescriptor,

    identify(request) {
      const { zone_id, domain } = valuesOf(request)
      return { zone_id, name: nameOf(request.context, request.guResId, domain) }
    },

    async provision(request) {
      const { guResId, context, neighbours, namespace, signal } = request
      const values = valuesOf(request)
      const name = nameOf(context, guResId, values.domain)
      const mark = markOf(installationId, guResId)
      const { token, tls, record } = beforeTheCall(() => {
        const target = targetOf({
          input: values.target,
          cluster: neighbours.cluster?.[0]?.outputs.loadbalancer,
          setting: settings.loadbalancer,
        })
        return {
          tls: certificateOf(request, now()),
          record: wantedRecord(name, mark, target, values),
          token: tokenOf(request.account),
        }
      })
      await zoneOf(values.zone_id, token).ask({ name, mark, record }, signal)
      const secret = tlsSecret(guResId, namespace, tls)
      return {
        outputs: { values: { host: name, tls_secret_name: secret.metadata.name }, secrets: {} },
        objects: [secret],
        reservedHosts: [name],
      }
    },

    async deprovision({ guResId, identity, successor, account, signal }) {
      const { zone_id: zoneId, name } = identity
      if (typeof zoneId !== 'string' || typeof name !== 'string') return // nothing was begun
      if (successor?.zone_id === zoneId && successor.name === name) return
      await zoneOf(zoneId, tokenOf(account)).ask({ name, mark: markOf(installationId, guResId) }, signal)
    },

    async checkAccount(credentials, signal) {
      const token = validToken(credentials)
      if (token === undefined) return { accepted: false, message: invalidToken }
      const { baseUrl, timeoutMs } = settings
      try {
        return await verifyToken({ token, budget, baseUrl, timeoutMs }, signal)
      } catch (error) {
        throw errorOf(error)
      }
    },

    close() {
      for (const zone of zones.values()) zone.close()
    },
  }
}

/** What fails while nothing was asked of the provider made nothing. */
function beforeTheCall<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Error ? withoutSideEffects(error) : error
  }
}

function valuesOf(request: ProvisionRequest): Values {
  return request.values as Values // checked against the schema before
}

/** The certificate; Stalled when it does not fit the domain. */
function certificateOf(request: ProvisionRequest, now: number): Secrets['tls'] {
  const { tls } = request.secrets as Secrets // checked as above
  refuseBadCertificate(tls, domainOf(valuesOf(request).domain), now)
  return tls
}

function tokenOf(account: FreeForm | undefined): string {
  if (!account)
    throw new Stalled('AccountRequired', "an account of type 'cloudflare' is needed to reach the zone")
  const token = validToken(account)
  if (token === undefined) throw new Stalled('InvalidAccount', invalidToken)
  return token
}

const invalidToken =
  "the credential 'token' of the account must be one line of printable characters without spaces"

function validToken({ token }: FreeForm): string | undefined {
  return typeof token === 'string' && /^[\x21-\x7e]{1,1024}$/.test(token) ? token : undefined
}
