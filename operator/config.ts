import { isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { isLoopback } from './domain/base/loopback.ts'
import { contentOf } from './drivers/dns-cloudflare/record.ts'
import { misspeltSettings, recordNames } from './misspelt-settings.ts'
import { readLabel, readLimit, readOrigin, readOutbound, readProxy } from './setting-items.ts'
import {
  counts,
  delays,
  intervals,
  positiveCounts,
  type Range,
  rates,
  ratios,
  readAccepted,
  readChoice,
  readNumber,
  readPort,
  readWebAddress,
  splitWords,
} from './setting-values.ts'

/** Settings of sign-in with an identity provider. */
export interface OidcConfig {
  /** Issuer URL of the provider. */
  readonly issuer: string
  readonly clientId: string
  /** File with the client secret; absent for a public client. */
  readonly clientSecretFile?: string
  /** Claim that identifies a user. */
  readonly claim: string
  readonly scopes: string
  /** Public address of the gateway, with a slash at its end. */
  readonly publicUrl: string
}

/** Settings of traces. */
export interface TracingConfig {
  /** Address of an OpenTelemetry collector (OTLP over HTTP). */
  readonly endpoint: string
  /** Part of the traces to record, from 0 to 1. */
  readonly ratio: number
}

const logLevels = ['error', 'warn', 'info', 'debug'] as const
type LogLevel = (typeof logLevels)[number]

const secretsScopes = ['cluster', 'organizations'] as const
type SecretsScope = (typeof secretsScopes)[number]

const rolloutPolicies = ['wait', 'applied'] as const
type RolloutPolicy = (typeof rolloutPolicies)[number]

/** Settings of both processes, read once from the environment. */
export interface Config {
  /** Kubeconfig file. */
  readonly kubeconfig?: string
  /** Address of the API server, in a pod; absent where `KUBECONFIG` names another. */
  readonly podApiServer?: string
  /** The lowest level to write. */
  readonly logLevel: LogLevel
  /** Vendor names that driver types may begin with. */
  readonly vendors: readonly string[]
  /** Identity of this process in the leader election. */
  readonly identity: string
  /** Port and address of health and metrics of the operator; all addresses, also of IPv6, when absent. */
  readonly healthPort: number
  readonly healthHost: string | undefined
  /** Port and address of the gateway; all addresses when absent. */
  readonly gatewayPort: number
  readonly gatewayHost: string | undefined
  readonly requestsPerSecond: number
  readonly requestBurst: number
  /** Origins that may call the gateway from a browser (CORS). */
  readonly allowedOrigins: readonly string[]
  /** Addresses and ranges (CIDR) of proxies whose `X-Forwarded-For` names the client. */
  readonly trustedProxies: readonly string[]
  /** Attempts after which a resource fails its deployment. */
  readonly deploymentAttempts: number
  readonly deploymentTimeoutSeconds: number
  /** How long a kubectl deployment waits for missing objects. Also the time before a mismatch is Stalled. */
  readonly settleSeconds: number
  /** How long a new artefact version waits for others, so that one deployment has all of them. */
  readonly imageSettleSeconds: number
  /** How long the Workloads of an environment must not change before they are deployed. */
  readonly workloadSettleSeconds: number
  /** Finished deployments to keep for each environment. */
  readonly keptDeployments: number
  readonly driverDeadlineSeconds: number
  /** Whether a workload is ready when its pods run, or when its objects are applied. */
  readonly rollout: RolloutPolicy
  /** How long a pod may wait for a node before its workload fails. */
  readonly schedulingSeconds: number
  /** How often every object is reconciled. */
  readonly resyncSeconds: number
  readonly leaseSeconds: number
  /** Where the rights to Secrets come from: the whole cluster, or RoleBindings that the operator makes. */
  readonly secretsScope: SecretsScope
  /** Target of DNS names without one in the definition or the cluster's resource. */
  readonly loadbalancer: string | undefined
  /** Address of the Cloudflare API, unless it is the public one. */
  readonly cloudflareUrl: string | undefined
  /** Private networks (CIDR) and hosts that third-party drivers and webhooks may use. */
  readonly outboundAllowed: readonly string[]
  /** Patterns of annotations that no Ingress may have; the documented ones when absent. */
  readonly ingressDeniedAnnotations: readonly string[] | undefined
  /** How long a failing webhook call is retried, and how long an ended one is kept. */
  readonly webhookGiveUpSeconds: number
  readonly webhookKeptSeconds: number
  /** Limits of the quota of new organizations, by resource of a ResourceQuota; empty for none. */
  readonly organizationQuota: Readonly<Record<string, number>>
  /** Labels of the namespaces that the operator makes for environments; those of a definition do not replace them. */
  readonly namespaceLabels: Readonly<Record<string, string>>
  /** Exceptions from the denied annotations. */
  readonly ingressAllowedAnnotations: readonly string[]
  /** Absent when sign-in with an identity provider is off. */
  readonly oidc: OidcConfig | undefined
  /** Absent when traces are off. */
  readonly tracing: TracingConfig | undefined
  /** Variables that misspell a setting, each with the one that is meant, as messages. */
  readonly misspelt: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings from the environment; throws an error that names the variable when a value is not valid. */
export function readConfig(given: Environment = process.env): Config {
  const names = new Set<string>()
  const environment = recordNames(given, names)
  const text = (name: string, otherwise: string) => environment[`QUARTERMASTER_${name}`] || otherwise
  const optional = (name: string, read: (value: string) => string) => {
    const value = text(name, '')
    return value === '' ? undefined : read(value)
  }
  const words = (name: string) => splitWords(environment[`QUARTERMASTER_${name}`] ?? '')
  const number = (name: string, otherwise: number, range: Range) =>
    readNumber(name, text(name, String(otherwise)), range)
  const port = (name: string, otherwise: number) => readPort(name, text(name, String(otherwise)))
  return {
    kubeconfig: environment.QUARTERMASTER_KUBECONFIG || undefined,
    podApiServer: environment.KUBECONFIG ? undefined : readPodApiServer(environment),
    logLevel: readChoice('LOG_LEVEL', logLevels, text('LOG_LEVEL', 'info')),
    vendors: ['quartermaster', ...splitWords(text('VENDOR_ALIASES', 'humanitec'))],
    identity: text('IDENTITY', `${hostname()}-${process.pid}`),
    healthPort: port('HEALTH_PORT', 8081),
    healthHost: environment.QUARTERMASTER_HEALTH_HOST || undefined,
    gatewayPort: port('GATEWAY_PORT', 8080),
    gatewayHost: environment.QUARTERMASTER_GATEWAY_HOST || undefined,
    requestsPerSecond: number('REQUESTS_PER_SECOND', 100, rates),
    requestBurst: number('REQUEST_BURST', 500, positiveCounts),
    allowedOrigins: words('ALLOWED_ORIGINS').map(readOrigin),
    trustedProxies: words('TRUSTED_PROXIES').map(readProxy),
    deploymentAttempts: number('DEPLOYMENT_ATTEMPTS', 3, positiveCounts),
    deploymentTimeoutSeconds: number('DEPLOYMENT_TIMEOUT_SECONDS', 1800, intervals),
    settleSeconds: number('SETTLE_SECONDS', 60, delays),
    imageSettleSeconds: number('IMAGE_SETTLE_SECONDS', 5, delays),
    workloadSettleSeconds: number('WORKLOAD_SETTLE_SECONDS', 5, delays),
    keptDeployments: number('KEPT_DEPLOYMENTS', 50, counts),
    driverDeadlineSeconds: number('DRIVER_DEADLINE_SECONDS', 60, intervals),
    rollout: readChoice('ROLLOUT', rolloutPolicies, text('ROLLOUT', 'wait')),
    schedulingSeconds: number('SCHEDULING_SECONDS', 30, delays),
    resyncSeconds: number('RESYNC_SECONDS', 1800, intervals),
    leaseSeconds: number('LEASE_SECONDS', 15, intervals),
    secretsScope: readChoice('SECRETS_SCOPE', secretsScopes, text('SECRETS_SCOPE', 'cluster')),
    loadbalancer: optional('LOADBALANCER', readLoadbalancer),
    cloudflareUrl: optional('CLOUDFLARE_URL', (url) =>
      readWebAddress('CLOUDFLARE_URL', url, 'https://api.cloudflare.com/client/v4'),
    ),
    outboundAllowed: words('OUTBOUND_ALLOWED').map(readOutbound),
    ingressDeniedAnnotations:
      environment.QUARTERMASTER_INGRESS_DENIED_ANNOTATIONS === undefined
        ? undefined
        : words('INGRESS_DENIED_ANNOTATIONS'),
    webhookGiveUpSeconds: number('WEBHOOK_GIVE_UP_SECONDS', 24 * 3600, counts),
    webhookKeptSeconds: number('WEBHOOK_KEPT_SECONDS', 3 * 24 * 3600, counts),
    ingressAllowedAnnotations: words('INGRESS_ALLOWED_ANNOTATIONS'),
    namespaceLabels: Object.fromEntries(words('NAMESPACE_LABELS').map(readLabel)),
    organizationQuota: Object.fromEntries(words('ORGANIZATION_QUOTA').map(readLimit)),
    oidc: readOidc(text),
    tracing: readTracing(text, number('TRACING_RATIO', 1, ratios)),
    misspelt: misspeltSettings(given, [...names]),
  }
}

/** The address that Kubernetes gives to every pod. */
function readPodApiServer(environment: Environment): string | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  if (!host || !port) return undefined
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

type ReadText = (name: string, otherwise: string) => string

function readTracing(text: ReadText, ratio: number): TracingConfig | undefined {
  const endpoint = text('TRACING_ENDPOINT', '')
  if (endpoint === '') return undefined
  return { endpoint: readWebAddress('TRACING_ENDPOINT', endpoint, 'http://collector:4318'), ratio }
}

/** The target of DNS records. */
function readLoadbalancer(text: string): string {
  return readAccepted('LOADBALANCER', text, 'an address or a host name', contentOf)
}

function readOidc(text: ReadText): OidcConfig | undefined {
  if (text('OIDC_ISSUER', '') === '') return undefined
  const scopes = text('OIDC_SCOPES', 'openid email')
  if (!scopes.split(' ').includes('openid'))
    throw new Error("QUARTERMASTER_OIDC_SCOPES must contain 'openid'")
  return {
    issuer: readAddress(text, 'OIDC_ISSUER').href,
    clientId: readNeeded(text, 'OIDC_CLIENT_ID'),
    clientSecretFile: text('OIDC_CLIENT_SECRET_FILE', '') || undefined,
    claim: text('OIDC_CLAIM', 'email'),
    scopes,
    publicUrl: readAddress(text, 'PUBLIC_URL').href.replace(/\/?$/, '/'),
  }
}

function readNeeded(text: ReadText, name: string): string {
  const value = text(name, '')
  if (value === '') throw new Error(`QUARTERMASTER_${name} is required when QUARTERMASTER_OIDC_ISSUER is set`)
  return value
}

/** An address without user, query and fragment that uses HTTPS or a loopback host. */
function readAddress(text: ReadText, name: string): URL {
  const url = URL.parse(readNeeded(text, name))
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.host))
  if (!url || !isSafe || url.href !== `${url.origin}${url.pathname}`)
    throw new Error(
      `QUARTERMASTER_${name} must be an address that begins with 'https://' and ends with its path`,
    )
  return url
}
