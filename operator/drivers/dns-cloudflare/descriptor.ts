import type { FreeForm } from '../../api/schema.ts'
import { boolean, integer, object, string } from '../../api/schema.ts'
import { Stalled } from '../../domain/base/errors.ts'
import { isObject } from '../../domain/base/json.ts'
import type { DriverDescriptor, InputsCheck } from '../../domain/resource/driver.ts'
import { checkCertificate, maxPemLength } from '../../domain/secret/certificate.ts'
import { domainOf } from './name.ts'
import { contentOf, lifetimeOf } from './record.ts'

/** The plain inputs of the driver. */
export const dnsValues = object(
  {
    zone_id: string('ID of the provider zone that holds the record.', {
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      maxLength: 64,
    }),
    domain: string('Domain under which the subdomain is created.', { minLength: 1, maxLength: 254 }),
  },
  {
    proxied: boolean('Whether the provider proxies the subdomain. False when absent.'),
    ttl: integer(
      "Lifetime of the DNS name in seconds, 30 or more; 1 is the provider's own choice. 1 when absent.",
      { minimum: 1, maximum: 86_400 },
    ),
    target: string(
      'Target of the record: an address or a host name. Defaults to the load balancer of the cluster.',
      {
        maxLength: 254,
      },
    ),
  },
  'Inputs of the Cloudflare DNS driver.',
)

/** The secret inputs of the driver. */
export const dnsSecrets = object(
  {
    tls: object(
      {
        'tls.crt': string('Wildcard certificate of the domain and its issuers, PEM.', {
          maxLength: maxPemLength,
        }),
        'tls.key': string('Private key of the certificate, PEM.', { maxLength: maxPemLength }),
      },
      {},
      'TLS certificate as in a Secret of type `kubernetes.io/tls`.',
    ),
  },
  {},
  'Secret inputs of the Cloudflare DNS driver.',
)

export const dnsCloudflareDescriptor: DriverDescriptor = {
  name: 'dns-cloudflare',
  description: 'Makes a subdomain with a TLS certificate in a zone of Cloudflare.',
  resourceTypes: ['dns'],
  account: { types: ['cloudflare'], required: true },
  values: dnsValues,
  secrets: dnsSecrets,
  neighbours: { cluster: 'k8s-cluster.default#k8s-cluster' },
  inputsInsteadOfNeighbours: { cluster: 'target' },
  takesIngressRules: false,
  remote: true,
  repairs: true,
  check,
  outputNames: () => ['host', 'tls_secret_name'],
  replaceOnChangeOf: ['zone_id', 'domain'],
}

function check(
  { values, secrets }: { readonly values: FreeForm; readonly secrets: FreeForm },
  now: number,
): InputsCheck {
  const { domain: domainText, target, ttl } = values
  const problems = [
    ...problemOf(() => isKnown(target) && contentOf(target)),
    ...problemOf(() => typeof ttl === 'number' && lifetimeOf(ttl)),
  ]
  if (!isKnown(domainText)) return { problems, warnings: [] }
  problems.unshift(...problemOf(() => domainOf(domainText)))
  const tls = isObject(secrets.tls) ? secrets.tls : {}
  const [crt, key] = [tls['tls.crt'], tls['tls.key']]
  if (problems.length > 0 || !isKnown(crt) || !isKnown(key)) return { problems, warnings: [] }
  return checkCertificate({ crt, key, domain: domainOf(domainText), now })
}

/** Whether a text is complete: placeholders are resolved later. */
function isKnown(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('$\u007b')
}

function problemOf(work: () => unknown): string[] {
  try {
    work()
    return []
  } catch (error) {
    if (error instanceof Stalled) return [error.message]
    throw error
  }
}
