/** One call to somebody else's server. */
export interface OutboundRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** Schemes that the caller allows, `https:` alone when not given. */
  readonly protocols?: readonly string[]
  /** Milliseconds for the whole call; 10,000 when not given. */
  readonly totalMs?: number
  /** Bytes of the answer's body that are read; more is an error. 1 MiB when not given. */
  readonly maxBytes?: number
  /** Awaited before the body is read, so that what a header tells is kept even if no body ever comes. */
  onHeaders?(status: number, headers: OutboundResponse['headers']): Promise<void>
}

export interface OutboundResponse {
  readonly status: number
  /** By lower-case name; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * The one way to servers that somebody names: the address is checked after resolution and connected to as checked,
 * private ranges only where the cluster administrator allows them; bytes and time are bounded, no redirect is followed.
 */
export interface Outbound {
  /**
   * Any answer of the server is an answer, whatever its status. Throws TargetRefused for an address that is not
   * allowed, InvalidHeader for a header that must not be sent, OutboundError for everything else that keeps an answer
   * from coming; none of them tells the values of headers, or bodies.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>
  close(): Promise<void>
}
