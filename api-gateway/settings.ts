import type { OidcConfig } from '../operator/config.ts'

/** Settings of the identity provider. */
export interface OidcSettings extends Omit<OidcConfig, 'clientSecretFile'> {
  /** Absent for a public client. */
  readonly clientSecret?: string
}

/** Settings of an installation. */
export interface GatewaySettings {
  /** Average requests per second of a user, or of an address for unauthenticated requests. */
  readonly requestsPerSecond: number
  /** Maximum number of requests at once. */
  readonly burst: number
  /** Vendor names of the built-in drivers. */
  readonly vendors: readonly string[]
  /** Time limit of a deployment in the operator. */
  readonly deploymentTimeoutSeconds: number
  /** Maximum size of a request body in bytes. */
  readonly maxBodyBytes: number
  /** Origins of web pages that may call the API. */
  readonly allowedOrigins: readonly string[]
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** Absent if no identity provider is configured. */
  readonly oidc?: OidcSettings
}

export const defaultSettings: GatewaySettings = {
  requestsPerSecond: 100,
  burst: 500,
  vendors: ['quartermaster', 'humanitec'],
  deploymentTimeoutSeconds: 1800,
  maxBodyBytes: 1024 * 1024,
  allowedOrigins: [],
  trustedProxies: [],
}
