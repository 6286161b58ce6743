import type { OidcConfig } from '../operator/config.ts'

/** How people sign in with their identity provider. */
export interface OidcSettings extends Omit<OidcConfig, 'clientSecretFile'> {
  /** A public client has none. */
  readonly clientSecret?: string
}

/** What an installation may choose. */
export interface GatewaySettings {
  /** Requests per second that a user, or an address of nobody known, may make in the long run. */
  readonly requestsPerSecond: number
  /** Requests that it may make at once after a pause. */
  readonly burst: number
  /** Vendor names under which our own drivers are known. */
  readonly vendors: readonly string[]
  /** Largest request body in bytes. */
  readonly maxBodyBytes: number
  /** Origins of pages that may call us from a browser. */
  readonly allowedOrigins: readonly string[]
  /** Addresses and ranges of proxies whose `X-Forwarded-For` says who calls. */
  readonly trustedProxies: readonly string[]
  /** Absent: nobody signs in with an identity provider. */
  readonly oidc?: OidcSettings
}

export const defaultSettings: GatewaySettings = {
  requestsPerSecond: 100,
  burst: 500,
  vendors: ['quartermaster', 'humanitec'],
  maxBodyBytes: 1024 * 1024,
  allowedOrigins: [],
  trustedProxies: [],
}
