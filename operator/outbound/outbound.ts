import type { AnswerHold } from './answer-hold.ts'

/** One call to a server that a user names. */
export interface OutboundRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** The organization that calls: few large answers are read for each at the same time. */
  readonly owner?: string
  /** For a caller that keeps the text: while it holds a large answer, fewer others are read. */
  readonly hold?: AnswerHold
  /** Allowed schemes; `https:` alone by default. */
  readonly protocols?: readonly string[]
  /** Milliseconds for the whole call; 10,000 by default. */
  readonly totalMs?: number
  /** Maximum size of the response body; 1 MiB by default. */
  readonly maxBytes?: number
  /** Awaited before the body is read, so that headers count even when the body never arrives. */
  onHeaders?(status: number, headers: OutboundResponse['headers']): Promise<void>
}

export interface OutboundResponse {
  readonly status: number
  /** By lower-case name; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * Calls servers that users name. Connects only to addresses that were checked after name resolution; private ranges need
 * a setting of the cluster administrator. Size and time are bounded, and no redirect is followed.
 */
export interface Outbound {
  /**
   * Returns the response of any status. Throws TargetRefused for an address that is not allowed, InvalidHeader for
   * an invalid header, OutboundError without a response; none of them contains header values or bodies.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>
  close(): Promise<void>
}
