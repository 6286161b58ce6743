/** What an installation may choose. */
export interface GatewaySettings {
  /** Requests per second that a token, or an address without one, may make in the long run. */
  readonly requestsPerSecond: number
  /** Requests that it may make at once after a pause. */
  readonly burst: number
  /** Vendor names under which our own drivers are known. */
  readonly vendors: readonly string[]
  /** Largest request body in bytes. */
  readonly maxBodyBytes: number
}

export const defaultSettings: GatewaySettings = {
  requestsPerSecond: 100,
  burst: 500,
  vendors: ['quartermaster', 'humanitec'],
  maxBodyBytes: 1024 * 1024,
}
