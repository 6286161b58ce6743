import type { FreeForm, Static } from '../../api/schema.ts'
import { Stalled, withoutSideEffects } from '../../domain/base/errors.ts'
import type { Driver, ProvisionRequest } from '../driver.ts'
import { refuseBadCertificate, tlsSecret } from '../tls-secret.ts'
import { verifyToken } from './api.ts'
import { dnsCloudflareDescriptor, type dnsSecrets, type dnsValues } from './descriptor.ts'
import { toDriverError } from './errors.ts'
import { domainOf, nameOf } from './name.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { markOf, targetOf, wantedRecord } from './record.ts'
import { ZonePool, type ZoneSettings } from './zone-pool.ts'

type Values = Static<typeof dnsValues>
type Secrets = Static<typeof dnsSecrets>

export interface DnsCloudflareSettings extends ZoneSettings {
  /** 8 hexadecimal digits that identify this cluster. */
  readonly installationId: string
  /** The default target of records. */
  readonly loadbalancer?: string | undefined
  /** Milliseconds since 1970, for certificates. */
  readonly now?: () => number
  /** Monotonic milliseconds. */
  readonly clock?: () => number
}

/** The driver of one process. */
export interface DnsCloudflare extends Driver {
  /** Ends pending requests. */
  close(): void
}

/** Creates subdomains in zones of Cloudflare, each with a Secret of its TLS certificate. */
export function createDnsCloudflare(settings: DnsCloudflareSettings): DnsCloudflare {
  const { installationId, now = Date.now, clock = () => performance.now() } = settings
  const rateLimiter = createRateLimiter({ clock })
  const zones = new ZonePool(settings, { clock, rateLimiter })

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
      await zones.zoneOf(values.zone_id, token).ensure({ name, mark, record }, signal)
      const secret = tlsSecret(guResId, namespace, tls)
      return {
        outputs: { values: { host: name, tls_secret_name: secret.metadata.name }, secrets: {} },
        objects: [secret],
        reservedHosts: [name],
      }
    },

    async deprovision({ guResId, identity, successor, account, signal }) {
      const { zone_id: zoneId, name } = identity
      if (typeof zoneId !== 'string' || typeof name !== 'string') return // never provisioned
      if (successor?.zone_id === zoneId && successor.name === name) return
      await zones
        .zoneOf(zoneId, tokenOf(account))
        .ensure({ name, mark: markOf(installationId, guResId) }, signal)
    },

    async checkAccount(credentials, signal) {
      const token = validToken(credentials)
      if (token === undefined) return { accepted: false, message: invalidToken }
      const { baseUrl, timeoutMs } = settings
      try {
        return await verifyToken({ token, rateLimiter, baseUrl, timeoutMs }, signal)
      } catch (error) {
        throw toDriverError(error)
      }
    },

    close: () => zones.close(),
  }
}

/** Marks an error before the first call: nothing was made. */
function beforeTheCall<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Error ? withoutSideEffects(error) : error
  }
}

function valuesOf(request: ProvisionRequest): Values {
  return request.values as Values // the schema was checked
}

/** The certificate; Stalled when it does not fit the domain. */
function certificateOf(request: ProvisionRequest, now: number): Secrets['tls'] {
  const { tls } = request.secrets as Secrets // the schema was checked
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
